// The note of its namespaces that a replica of the operator leaves on its Lease, where they come and go: written by the
// operator, read by the plugin.

import { isRecord } from './is-record.ts';

/** Streams from which on all namespaces watched together are cheaper by far: they take 8. */
export const MANY_STREAMS = 400;

export interface NamespacesNote {
  /** `namespace/name` of the ConfigMap that says which. */
  readonly from: string;
  /** Managed, and with a cluster. */
  readonly held: number;
  /** Without one, and watched for it. */
  readonly quiet: number;
  readonly starting: number;
  readonly refused: number;
  readonly leaving: number;
  /** Watches that all this takes. */
  readonly streams: number;
  /** Those that are not managed, and why. */
  readonly without: readonly { readonly namespace: string; readonly why: string }[];
  /** What of the setting is not in force, and why. */
  readonly problems: readonly string[];
}

const MAX_SHOWN = 5;
const MAX_TEXT = 160;
/** Longer than any that was written. */
const MAX_NOTE = 8_000;

const COUNTS = ['held', 'quiet', 'starting', 'refused', 'leaving', 'streams'] as const;

/** No longer than a few hundred bytes, however many there are. */
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
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text;
}
