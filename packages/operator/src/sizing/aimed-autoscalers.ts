// Finds the HorizontalPodAutoscalers that aim at a cluster whose size spec.autoscale decides, and reports the conflict.
// Pure.

import { GROUP } from '@marekvs/api';
import { type Hold, hold } from '@marekvs/planner';
import type { HorizontalPodAutoscaler } from '@marekvs/runtime';

/** Sorted names of the HorizontalPodAutoscalers that aim at this cluster. All of `all` are in its namespace. */
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

/** Asks a person to choose between spec.autoscale and the HorizontalPodAutoscalers; empty without a conflict. */
export function autoscalerHolds(names: readonly string[] | undefined): readonly Hold[] {
  if (names === undefined || names.length === 0) return [];
  const [aims, asks] = names.length === 1 ? ['aims', 'it asks'] : ['aim', 'they ask'];
  const message = `HorizontalPodAutoscaler ${names.join(', ')} ${aims} at this cluster, whose size spec.autoscale decides: what ${asks} for is refused`;
  return [hold('AutoscaleConflict', message, true)];
}
