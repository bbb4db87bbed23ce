// The note about its namespaces that a replica of the operator writes on its Lease, if their list can change: written
// by the operator, read by the plugin.

import { shortened } from '../values/cut-text.ts';
import { isRecord } from '../values/is-record.ts';

/** From this number of streams on, watching all namespaces together is far cheaper: that takes 8 streams. */
export const MANY_STREAMS = 400;

export interface NamespacesNote {
  /** `namespace/name` of the ConfigMap that lists the namespaces. */
  readonly from: string;
  /** Managed namespaces with a cluster. */
  readonly held: number;
  /** Namespaces without a cluster, watched for one. */
  readonly quiet: number;
  readonly starting: number;
  readonly refused: number;
  readonly leaving: number;
  /** Watches that all of this takes. */
  readonly streams: number;
  /** Namespaces that are not managed, and why. */
  readonly without: readonly { readonly namespace: string; readonly why: string }[];
  /** Which parts of the setting are not in force, and why. */
  readonly problems: readonly string[];
}

const MAX_SHOWN = 5;
const MAX_TEXT = 160;
/** Longer than any note that a replica writes. */
const MAX_NOTE = 8_000;

const COUNTS = ['held', 'quiet', 'starting', 'refused', 'leaving', 'streams'] as const;

/** Bounded in length, however many namespaces there are: of lists only the first entries are kept. */
export function formatNamespacesNote(note: NamespacesNote): string {
  return JSON.stringify({
    ...note,
    without: note.without.slice(0, MAX_SHOWN).map(({ namespace, why }) => ({ namespace, why: cut(why) })),
    problems: note.problems.slice(0, MAX_SHOWN).map(cut),
  });
}

/** Undefined for a text that no replica has written. */
export function parseNamespacesNote(text: string | undefined): NamespacesNote | undefined {
  const note = parsed(text);
  if (typeof note?.from !== 'string') return undefined;
  const count = (name: (typeof COUNTS)[number]): number => (typeof note[name] === 'number' ? note[name] : 0);
  return {
    from: cut(note.from),
    held: count('held'),
    quiet: count('quiet'),
    starting: count('starting'),
    refused: count('refused'),
    leaving: count('leaving'),
    streams: count('streams'),
    without: listOf(note.without).flatMap((one) => {
      const { namespace, why } = isRecord(one) ? one : {};
      return typeof namespace === 'string' && typeof why === 'string'
        ? [{ namespace: cut(namespace), why: cut(why) }]
        : [];
    }),
    problems: listOf(note.problems).flatMap((one) => (typeof one === 'string' ? [cut(one)] : [])),
  };
}

function parsed(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (text === undefined || text.length > MAX_NOTE) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, MAX_SHOWN) : [];
}

function cut(text: string): string {
  return shortened(text, MAX_TEXT);
}
