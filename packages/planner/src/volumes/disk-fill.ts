// Answers: how full is the fullest volume of a cluster, and how full would it be with one node less? The prediction is
// that of the preflight of a removal (volumes/disk-forecast.ts), so that a size is never decided that the removal would
// then refuse.

import type { DiskFill } from '../autoscale/rules.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import { type DiskFigures, forecastDisks, highWaterPercent } from './disk-forecast.ts';

/** Volumes fill slowly. An idle member gives its figures every four minutes: a minute after the next ones failed to
 *  come, the last ones no longer count. */
const STALE_MS = 300_000;

/** @param nodes the members that count */
export function diskFillOf(o: ClusterObservation, nodes: readonly NodeRecord[]): DiskFill {
  const members = nodes.map((node): DiskFigures => {
    const facts = o.facts.find(({ podUid }) => podUid === node.pod?.uid);
    const isCurrent = facts !== undefined && o.monotonicMs - facts.last.atMs <= STALE_MS;
    return { node, last: isCurrent ? facts.last.figures : undefined };
  });
  const fills = members.flatMap(({ node, last }) => {
    const percent = fillPercent(last);
    return percent === undefined ? [] : [{ name: node.name, percent }];
  });
  const fullest = fills.sort((a, b) => b.percent - a.percent)[0];
  return { now: fullest?.percent, fullest: fullest?.name, afterRemoval: afterRemoval(o, members) };
}

/** Of the fullest survivor when the node with the highest id goes, which is the one a removal chooses among equals. */
function afterRemoval(o: ClusterObservation, members: readonly DiskFigures[]): number | undefined {
  const [target, ...survivors] = [...members].sort((a, b) => b.node.id - a.node.id);
  if (target === undefined || survivors.length === 0) return undefined;
  const capacity = forecastDisks({
    target,
    survivors,
    replicationFactor: target.node.replicationFactor,
    highWaterPercent: highWaterPercent(o.cluster.spec.extraEnv),
  });
  if (capacity.kind === 'unknown') return undefined;
  return Math.max(...capacity.forecasts.map(({ usedBytes, totalBytes }) => (100 * usedBytes) / totalBytes));
}

/** A total of 0 is a gauge before its first value, not a disk. */
export function fillPercent(last: DiskFigures['last']): number | undefined {
  if (last?.isFresh !== true || !last.diskTotalBytes || last.diskAvailBytes === undefined) return undefined;
  return (100 * (last.diskTotalBytes - last.diskAvailBytes)) / last.diskTotalBytes;
}
