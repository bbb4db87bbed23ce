// How many namespaces are managed, where they change, read at every scrape. Which ones: `kubectl mkv operators`.

import type { NamespacesNote } from '@marekvs/api';
import { createMeters } from '@marekvs/runtime';
import type { Registry } from 'prom-client';

export interface NamespaceMetrics {
  /** Reads it at every scrape from now on; undefined where namespaces do not come and go. */
  observe(note: () => NamespacesNote | undefined): void;
}

const STATES = ['held', 'quiet', 'starting', 'refused', 'leaving'] as const;

export function createNamespaceMetrics(registry: Registry, prefix: string): NamespaceMetrics {
  let read: () => NamespacesNote | undefined = () => undefined;
  const { gauge } = createMeters(registry);
  const helpOfStates = 'Namespaces of the ConfigMap of --namespaces-from, by what is done about them';
  gauge(`${prefix}namespaces`, helpOfStates, ['state'], (it) => {
    const note = read();
    if (note !== undefined) for (const state of STATES) it.set({ state }, note[state]);
  });
  gauge(`${prefix}namespaces_problems`, 'What of the setting of --namespaces-from is not in force', [], (it) => {
    it.reset();
    const note = read();
    if (note !== undefined) it.set(note.problems.length);
  });
  return {
    observe(note) {
      read = note;
    },
  };
}
