// How many namespaces are managed, where they change, read at every scrape. Which ones: `kubectl mkv operators`.

import type { NamespacesNote } from '@marekvs/api';
import { Gauge, type Registry } from 'prom-client';

export interface NamespaceMetrics {
  /** Reads it at every scrape from now on; undefined where namespaces do not come and go. */
  observe(note: () => NamespacesNote | undefined): void;
}

const STATES = ['held', 'quiet', 'starting', 'refused', 'leaving'] as const;

export function createNamespaceMetrics(registry: Registry, prefix: string): NamespaceMetrics {
  let read: () => NamespacesNote | undefined = () => undefined;
  new Gauge({
    name: `${prefix}namespaces`,
    help: 'Namespaces of the ConfigMap of --namespaces-from, by what is done about them',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const note = read();
      if (note !== undefined) for (const state of STATES) this.set({ state }, note[state]);
    },
  });
  new Gauge({
    name: `${prefix}namespaces_problems`,
    help: 'What of the setting of --namespaces-from is not in force',
    registers: [registry],
    collect() {
      this.reset();
      const note = read();
      if (note !== undefined) this.set(note.problems.length);
    },
  });
  return {
    observe(note) {
      read = note;
    },
  };
}
