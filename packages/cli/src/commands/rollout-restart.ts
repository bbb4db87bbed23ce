// `kubectl mkv rollout restart`: every member is restarted in its turn, with the template it has.

import { allRestarted } from '../changing/restart-all.ts';
import type { Run } from '../cli.ts';
import { blocked } from '../errors.ts';
import { readCluster } from '../reading/cluster-parts.ts';
import { changeReviewed, type ReviewOptions } from './reviewed-change.ts';

export async function restartAll(run: Run, name: string | undefined, options: ReviewOptions): Promise<void> {
  const cluster = await readCluster(run, name);
  const restart = allRestarted(cluster, new Date(run.ports.nowMs()).toISOString());
  if (restart.kind === 'refused') throw blocked(restart.why, restart.next);
  const { namespace, name: own } = cluster.metadata;
  const review = {
    change: { spec: restart.spec },
    title: `${own}: ${restart.how}`,
    notes: [],
    done: [],
    command: `kubectl mkv rollout restart ${own} -n ${namespace}`,
    help: 'kubectl mkv rollout restart --help',
  };
  await changeReviewed(run, cluster, review, options);
}
