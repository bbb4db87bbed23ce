// What a command shows when it is not given the name of a cluster: a list of them.

import type { MarekvsCluster } from '@marekvs/api';
import { listClusters } from '../cluster/cluster-parts.ts';
import type { Run } from '../connection/cli.ts';
import type { RenderContext } from '../screen/text.ts';
import type { Screen } from './watch-screen.ts';

/** @param lines with a column for the namespace, or without */
export async function listScreen(
  run: Run,
  lines: (clusters: readonly MarekvsCluster[], withNamespace: boolean, context: RenderContext) => readonly string[],
): Promise<Screen> {
  const clusters = await listClusters(run);
  const where = await run.namespace();
  if (clusters.length === 0)
    return () => [`no clusters in ${where === undefined ? 'any namespace' : `namespace ${where}`}`];
  return () => lines(clusters, where === undefined, run.context());
}
