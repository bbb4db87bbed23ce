// A row per cluster: its bounds, its size, and the next size according to what the operator has stored. Pure.

import { type MarekvsCluster, reasonRow } from '@marekvs/api';
import { table } from '../../screen/table.ts';
import { ageText, type RenderContext, since } from '../../screen/text.ts';
import { type SizingRow, sizingRow } from './list-row.ts';

/** @param withNamespace for lists over all namespaces */
export function sizingList(
  clusters: readonly MarekvsCluster[],
  withNamespace: boolean,
  context: RenderContext,
): readonly string[] {
  const figure = (value: number | undefined) => (value === undefined ? '-' : String(value));
  return table<SizingRow>(
    [
      ...(withNamespace ? [{ head: 'NAMESPACE', cell: ({ namespace }: SizingRow) => namespace, least: 9 }] : []),
      { head: 'NAME', cell: ({ cluster }) => cluster, least: 8 },
      { head: 'MIN', cell: ({ minNodes }) => figure(minNodes), isNumber: true },
      { head: 'MAX', cell: ({ maxNodes }) => figure(maxNodes), isNumber: true },
      { head: 'SIZE', cell: ({ size }) => String(size), isNumber: true },
      { head: 'IDEAL', cell: ({ ideal }) => figure(ideal), isNumber: true },
      { head: 'OPS/S', cell: ({ opsPerSecond }) => figure(opsPerSecond), isNumber: true },
      {
        head: 'REASON',
        cell: ({ reason }) => reason,
        least: 10,
        colour: ({ reason }) => (reasonRow(reason)?.severity === 'warning' ? 'yellow' : undefined),
      },
      { head: 'SINCE', cell: (row) => since(row.since, context.nowMs), isNumber: true },
      { head: 'NEXT', cell: ({ next }) => nextText(next) },
    ],
    clusters.map((cluster) => sizingRow(cluster, context.nowMs)),
    context,
  );
}

/** The time is the latest one: it is not seen from here whether the wait has begun already. */
function nextText(next: SizingRow['next']): string {
  if (next === undefined) return '-';
  return next.latestInMs <= 0 ? `${next.nodes} now` : `${next.nodes} in ${ageText(next.latestInMs)}`;
}
