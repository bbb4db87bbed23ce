// `kubectl mkv adopt <cluster>`: hands the members of a StatefulSet over to the operator. Checks everything, notes on
// the cluster what is handed over, and only then deletes the StatefulSet without its Pods and volumes; the operator
// does the rest (docs/decisions/adopting-and-releasing.md). If it is stopped at any point, run it again.

import {
  type AdoptionRequest,
  ANNOTATIONS,
  adoptionOf,
  adoptionText,
  controllerOf,
  isReleaseAsked,
  type MarekvsCluster,
} from '@marekvs/api';
import { type StatefulSet, type Stored, statefulSets } from '@marekvs/runtime';
import type { Command } from 'commander';
import { annotateCluster } from '../../changing/writes.ts';
import { readCluster } from '../../cluster/cluster-parts.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { blocked, notFound } from '../../connection/errors.ts';
import { POLL_MS, pollUntil } from '../../watching/poll.ts';
import { type Handover, handover, memberNames } from './handover.ts';
import { readHandoverParts, readStatefulSet } from './handover-parts.ts';

/** The garbage collector removes the owner reference from every Pod before the StatefulSet is gone. */
const LET_GO_LIMIT_MS = 60_000;
/** If the existing operator still runs, it sees the deletion at once, and creates its StatefulSet again. */
const COMES_BACK_WITHIN_MS = 5_000;

export function addAdopt(program: Command, cli: Cli): void {
  withSharedOptions(program.command('adopt'), { output: false, writes: true })
    .summary('take over the members of a StatefulSet')
    .description(
      'take over the members of a StatefulSet as they are: no data moves and nothing restarts. Stop the existing operator first',
    )
    .argument('<cluster>', 'name of the cluster and of the StatefulSet')
    .action(cli.action<[string], object>((run, [name]) => adopt(run, name)));
}

async function adopt(run: Run, name: string): Promise<void> {
  const cluster = await readCluster(run, name);
  const set = await readStatefulSet(run, cluster);
  if (isBeingReleased(cluster)) return takeBack(run, cluster, set);
  if (set === undefined) return nothingToHandOver(run, cluster);
  const { request, settings } = readyOrRefuse(handover(await readHandoverParts(run, cluster, set)));
  const { namespace, name: own } = cluster.metadata;
  const what = `${request.volumes.length} members of StatefulSet ${own}: ${memberNames(cluster, request)}`;
  const keeps = `they keep their Pods, their volumes (data in ${settings.dataDir} of a Pod of ours) and their identity ${JSON.stringify(request.clusterIdentity)}`;
  if (run.isDryRun)
    return run.print([`would take over ${what}`, keeps, `next: kubectl mkv adopt ${own} -n ${namespace}`]);
  await run.consent(`StatefulSet ${own} is deleted without its Pods, which are handed over`);
  await note(run, cluster, request);
  await letGo(run, cluster, set);
  await refuseIfBack(run, cluster);
  run.print([
    `handed over ${what}`,
    keeps,
    `noted on ${own}: ${ANNOTATIONS.adopt}=${adoptionText(request)}`,
    `next: the operator takes them over within seconds; follow it: kubectl mkv status ${own} -n ${namespace} --watch`,
  ]);
}

function isBeingReleased(cluster: MarekvsCluster): boolean {
  return cluster.status?.release !== undefined || isReleaseAsked(cluster);
}

/** Undoes a release. The request is removed first, so that the operator does not go on with it. */
async function takeBack(run: Run, cluster: MarekvsCluster, set: Stored<StatefulSet> | undefined): Promise<void> {
  const { name, namespace, uid } = cluster.metadata;
  if (cluster.status?.release?.phase === 'Closing')
    throw blocked(
      `StatefulSet ${name} has all members of ${name}, and this operator is releasing the last of them`,
      'run the command again in a moment: it takes them over again',
    );
  const isOurs = set !== undefined && controllerOf(set.metadata)?.uid === uid;
  const what = `the members of ${name} are taken back${isOurs ? `, and StatefulSet ${name} goes without its Pods` : ''}`;
  if (run.isDryRun) return run.print([`${what} (dry run)`]);
  await run.consent(what);
  await annotateCluster(run, cluster, { [ANNOTATIONS.release]: null });
  if (isOurs) {
    await letGo(run, cluster, set, false);
    await refuseIfBack(run, cluster);
  }
  await untilTakenBack(run, cluster);
  run.print([`${name} has its members back`, `next: kubectl mkv status ${name} -n ${namespace}`]);
}

async function untilTakenBack(run: Run, { metadata: { name } }: MarekvsCluster): Promise<void> {
  await pollUntil(run, LET_GO_LIMIT_MS, async () => {
    const cluster = await readCluster(run, name);
    if (cluster.status?.release === undefined) return { found: cluster };
    return {
      why: `the members of ${name} are not taken back within ${LET_GO_LIMIT_MS / 1000} s: ${cluster.status.message ?? 'the operator says nothing'}`,
      next: 'look whether the operator runs (kubectl mkv operators), and run the command again',
    };
  });
}

function nothingToHandOver(run: Run, cluster: MarekvsCluster): void {
  const { name, namespace } = cluster.metadata;
  if (cluster.status?.formed !== undefined) {
    run.print([`${name} is run by this operator already`]);
    return;
  }
  if (adoptionOf(cluster) === undefined)
    throw notFound(
      `there is no StatefulSet ${name} in namespace ${namespace}, and none was handed over`,
      'if it was deleted with --cascade=orphan, make it again: it takes its Pods back as they are',
    );
  run.print([
    `the StatefulSet of ${name} was handed over already`,
    `next: follow it: kubectl mkv status ${name} -n ${namespace} --watch`,
  ]);
}

function readyOrRefuse(result: Handover): Extract<Handover, { kind: 'ready' }> {
  if (result.kind === 'ready') return result;
  throw blocked(result.why, result.next);
}

/** Written before the StatefulSet is deleted, so that what it leaves behind always has an owner. */
async function note(run: Run, cluster: MarekvsCluster, request: AdoptionRequest): Promise<void> {
  const text = adoptionText(request);
  const { [ANNOTATIONS.adopt]: asked, [ANNOTATIONS.release]: released } = cluster.metadata.annotations ?? {};
  if (asked === text && released === undefined) return;
  await annotateCluster(run, cluster, { [ANNOTATIONS.adopt]: text, [ANNOTATIONS.release]: null });
}

/** @param asChecked delete only the version that was read and checked; after a change the next run checks again */
async function letGo(
  run: Run,
  cluster: MarekvsCluster,
  { metadata }: Stored<StatefulSet>,
  asChecked = true,
): Promise<void> {
  const { client } = await run.connect();
  const { namespace, name, uid, resourceVersion } = metadata;
  await client.delete(
    statefulSets,
    { namespace, name },
    { uid, resourceVersion: asChecked ? resourceVersion : undefined },
    { propagationPolicy: 'Orphan', signal: run.ports.signal },
  );
  await pollUntil(run, LET_GO_LIMIT_MS, async () => {
    const isThere = (await readStatefulSet(run, cluster))?.metadata.uid === uid;
    if (!isThere) return { found: cluster };
    return {
      why: `StatefulSet ${name} is still there ${LET_GO_LIMIT_MS / 1000} s after it was deleted`,
      next: 'look at the kube-controller-manager, whose garbage collector lets its Pods go; nothing else is to be done',
    };
  });
}

async function refuseIfBack(run: Run, cluster: MarekvsCluster): Promise<void> {
  for (let waitedMs = 0; waitedMs <= COMES_BACK_WITHIN_MS; waitedMs += POLL_MS) {
    if ((await readStatefulSet(run, cluster)) !== undefined)
      throw blocked(
        `StatefulSet ${cluster.metadata.name} was made again at once, with the same Pods: the existing operator still runs`,
        'stop it (scale its Deployment to 0), and run the command again',
      );
    await run.ports.delay(POLL_MS);
  }
}
