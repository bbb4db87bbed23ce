// `kubectl mkv rollout undo`: sets spec back to a kept template. What would change is shown first, as the API server
// would store it.

import { ANNOTATIONS, type MarekvsCluster, type NodeTemplate } from '@marekvs/api';
import type { ClusterChange } from '../../changing/writes.ts';
import { readCluster, readNodes } from '../../cluster/cluster-parts.ts';
import type { Run } from '../../connection/cli.ts';
import { blocked } from '../../connection/errors.ts';
import { changeReviewed, type ReviewOptions } from './reviewed-change.ts';
import { namedRevision, type Revision, readRevisions } from './revisions.ts';
import { keptApart, specOf } from './template-spec.ts';

export interface UndoOptions extends ReviewOptions {
  readonly to?: string;
}

export async function undoRollout(run: Run, name: string | undefined, options: UndoOptions): Promise<void> {
  const cluster = await readCluster(run, name);
  const { hash, template } = await wantedRevision(run, cluster, options.to);
  const { namespace, name: own } = cluster.metadata;
  const spec = specOf(cluster, template);
  if (Object.keys(spec).length === 0) return run.print([`${own} asks for revision ${hash} already`]);
  const change: ClusterChange = { spec, ...approvalOf(cluster, hash) };
  const review = {
    change,
    title: `${own}: spec back to revision ${hash}`,
    notes: await keptLines(run, cluster, template),
    done: change.annotations === undefined ? [] : [`revision ${hash} is approved, so that no canary is waited for`],
    command: `kubectl mkv rollout undo ${own} -n ${namespace} --to ${hash}`,
    help: 'kubectl mkv rollout undo --help',
  };
  await changeReviewed(run, cluster, review, options);
}

async function wantedRevision(
  run: Run,
  cluster: MarekvsCluster,
  to: string | undefined,
): Promise<{ readonly hash: string; readonly template: NodeTemplate }> {
  const { namespace, name } = cluster.metadata;
  const listed = `kubectl mkv rollout history ${name} -n ${namespace} lists what there is; name one with --to`;
  const wanted = to ?? cluster.status?.update?.previous;
  if (wanted === undefined) throw blocked(`no revision is known that all members of ${name} had before`, listed);
  const {
    hash,
    template,
    name: object,
  } = namedRevision(cluster, await readRevisions(run, cluster), wanted) satisfies Revision;
  if (template === undefined) throw blocked(`ControllerRevision ${object} does not hold what its name says`, listed);
  return { hash, template };
}

/** No canary is needed: some members still have the template, and a person has just chosen it. */
function approvalOf({ spec }: MarekvsCluster, hash: string): Pick<ClusterChange, 'annotations'> {
  return (spec.update?.canaryNodes ?? 0) > 0 ? { annotations: { [ANNOTATIONS.rolloutApproved]: hash } } : {};
}

async function keptLines(run: Run, cluster: MarekvsCluster, template: NodeTemplate): Promise<readonly string[]> {
  const [node] = await readNodes(run, cluster);
  const kept = node === undefined ? [] : keptApart(template, node.spec.template);
  return kept.length === 0 ? [] : [`${kept.join(', ')} stay as they are: all members share them for ever`];
}
