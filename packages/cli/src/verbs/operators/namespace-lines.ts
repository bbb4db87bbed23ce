// Answers: what has to be known of the namespaces that the operator manages, where these change at run time? Read from
// what its replicas report of themselves. Pure.

import { MANY_STREAMS, type NamespacesNote } from '@marekvs/api';
import type { ReplicaRow } from './replica-rows.ts';

/** A summary, and a line for each thing that somebody has to do. Empty where the namespaces are fixed. */
export function namespaceLines(rows: readonly ReplicaRow[]): readonly string[] {
  const notes = rows.flatMap(({ namespaces }) => namespaces ?? []);
  // All replicas follow the same setting; the one that is furthest behind is shown.
  const [note] = notes.toSorted((a, b) => trouble(b) - trouble(a));
  if (note === undefined) return [];
  const problems = [...new Set(notes.flatMap((one) => one.problems))];
  const without = new Map(notes.flatMap((one) => one.without.map(({ namespace, why }) => [namespace, why] as const)));
  const unnamed = Math.max(...notes.map(({ refused }) => refused)) - without.size;
  return [
    `namespaces of ConfigMap ${note.from}: ${countsText(note)}`,
    ...problems.map((problem) => `not in force: ${problem}`),
    ...[...without].map(
      ([namespace, why]) =>
        `without rights: ${namespace}, ${why}: kubectl apply -n ${namespace} -k config/components/namespace-role`,
    ),
    ...(unnamed > 0 ? [`without rights: ${unnamed} more`] : []),
    ...(note.streams > MANY_STREAMS
      ? [
          `recommended: ${note.streams} watches for these, all namespaces together take 8: config/components/cluster-role`,
        ]
      : []),
  ];
}

function countsText({ held, quiet, starting, refused }: NamespacesNote): string {
  const all = held + quiet + starting + refused;
  return [
    `${held + quiet} of ${all} managed`,
    ...(quiet > 0 ? [`${quiet} of them without a cluster`] : []),
    ...(starting > 0 ? [`${starting} being begun`] : []),
  ].join(', ');
}

function trouble({ problems, refused, starting }: NamespacesNote): number {
  return problems.length + refused + starting;
}
