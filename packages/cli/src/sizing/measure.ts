// Measures from here what the members of a cluster serve, and applies the rules of sizing to it.

import type { MarekvsCluster } from '@marekvs/api';
import { readParts } from '../cluster/cluster-parts.ts';
import { observationOf } from '../cluster/observation.ts';
import type { Run } from '../connection/cli.ts';
import { readTwice } from '../members/two-readings.ts';
import { type SizingOutlook, sizingOutlook } from './outlook.ts';

/** The time over which the operator measures a rate (docs/design/contract.md#sizing). */
export const MEASURED_SECONDS = 5;

/** Members are asked only when their load decides the size. */
export async function measuredOutlook(
  run: Run,
  cluster: MarekvsCluster,
  seconds: number,
): Promise<{ readonly cluster: MarekvsCluster; readonly outlook: SizingOutlook }> {
  const parts = await readParts(run, cluster);
  const isAsked = cluster.spec.autoscale !== undefined && cluster.status?.autoscale !== undefined;
  const readings = await readTwice(run, isAsked ? parts.pods : [], seconds);
  const { observation } = observationOf(parts, undefined, run.ports.nowMs());
  return { cluster, outlook: sizingOutlook(observation, parts.nodes, readings) };
}
