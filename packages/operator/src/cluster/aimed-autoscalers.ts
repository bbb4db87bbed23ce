// Which HorizontalPodAutoscalers aim at a cluster, and what is to be said of them where spec.autoscale decides its
// size. Pure.

import { GROUP } from '@marekvs/api';
import { type Hold, hold } from '@marekvs/planner';
import type { HorizontalPodAutoscaler } from '@marekvs/runtime';

/** Names of those that aim at the cluster of this name, sorted. All are of its namespace. */
export function aimedAutoscalers(all: readonly HorizontalPodAutoscaler[], clusterName: string): readonly string[] {
  return all
    .filter((one) => aimsAt(one, clusterName))
    .flatMap(({ metadata }) => metadata.name ?? [])
    .sort();
}

function aimsAt({ spec }: HorizontalPodAutoscaler, clusterName: string): boolean {
  const { apiVersion = '', kind, name } = spec?.scaleTargetRef ?? {};
  return kind === 'MarekvsCluster' && name === clusterName && apiVersion.startsWith(`${GROUP}/`);
}

/** The message about those that were found: a person has to decide which of the two it shall be. */
export function autoscalerHolds(names: readonly string[] | undefined): readonly Hold[] {
  if (names === undefined || names.length === 0) return [];
  const [aims, asks] = names.length === 1 ? ['aims', 'it asks'] : ['aim', 'they ask'];
  const message = `HorizontalPodAutoscaler ${names.join(', ')} ${aims} at this cluster, whose size spec.autoscale decides: what ${asks} for is refused`;
  return [hold('AutoscaleConflict', message, true)];
}
