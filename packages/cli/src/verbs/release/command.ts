// `kubectl mkv release <cluster>`: hands the members to a StatefulSet of the existing operator, the reverse of `adopt`.
// Checks, notes the request on the cluster, and creates the StatefulSet once the operator has switched all labels and
// selectors. The operator then releases the running Pods to it and removes its nodes
// (docs/decisions/adopting-and-releasing.md). If it is stopped at any point, run it again, or `adopt` takes it back.

import {
  ANNOTATIONS,
  clientsPolicyName,
  controllerOf,
  isReleaseAsked,
  type MarekvsCluster,
  networkPolicyName,
  releaseText,
} from '@marekvs/api';
import { releasedSet } from '@marekvs/operator/projections';
import { ifFound, isAlreadyExists, networkPolicies, pods, statefulSets } from '@marekvs/runtime';
import type { Command } from 'commander';
import { annotateCluster } from '../../changing/writes.ts';
import { readCluster, readNodes, readParts } from '../../cluster/cluster-parts.ts';
import { observationOf } from '../../cluster/observation.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { blocked } from '../../connection/errors.ts';
import { documentText } from '../../screen/document.ts';
import { pollUntil } from '../../watching/poll.ts';
import { readStatefulSet } from '../adopt/handover-parts.ts';
import { handingBackProblem, labelText } from './handing-back.ts';

/** Switching the labels of Pods and the selectors takes a handful of writes, and members may be probed first. */
const PREPARED_LIMIT_MS = 60_000;
/** Every Pod changes hands in about a second; nodes follow. */
const OVER_LIMIT_MS = 120_000;

export function addRelease(program: Command, cli: Cli): void {
  withSharedOptions(program.command('release'), { output: false, writes: true })
    .summary('hand over the members to a StatefulSet')
    .description(
      'hand over the members as they are to a StatefulSet of the existing operator: no data moves and nothing restarts. `adopt` takes them back',
    )
    .argument('<cluster>', 'name of the cluster')
    .action(cli.action<[string], object>((run, [name]) => release(run, name)));
}

async function release(run: Run, name: string): Promise<void> {
  const cluster = await readCluster(run, name);
  const set = await readStatefulSet(run, cluster);
  if (cluster.status?.formed === undefined) return notOurs(run, cluster, set !== undefined);
  const parts = await readParts(run, cluster);
  const { observation } = observationOf(parts, undefined, run.ports.nowMs());
  const { namespace } = cluster.metadata;
  const labelled = await run.list(pods, { namespace, labelSelector: labelText(cluster.metadata.name) });
  const problem = handingBackProblem({ cluster, observation, hasSet: set !== undefined, labelled });
  if (problem !== undefined) throw blocked(problem.why, problem.next);
  const { name: own } = cluster.metadata;
  const members = parts.nodes.map(({ metadata }) => metadata.name);
  const what = `${members.length} members to StatefulSet ${own}: ${members.join(', ')}`;
  const manifest = releasedSet(cluster, members.length);
  if (run.isDryRun) {
    run.print([`would hand ${what}`, 'they keep their Pods and their volumes; this is made:']);
    run.ports.out.write(await documentText(manifest, 'yaml'));
    return;
  }
  await run.consent(`the members of ${own} go to a StatefulSet, as they run, and its MarekvsNodes go`);
  await ask(run, cluster);
  await untilPrepared(run, cluster);
  await dropPolicies(run, cluster);
  await makeSet(run, cluster, manifest);
  const end = await untilOver(run, cluster);
  await annotateCluster(run, end, { [ANNOTATIONS.release]: null });
  run.print([
    `handed ${what}`,
    ...keptNote(cluster),
    `next: the existing operator may be started; kubectl mkv adopt ${own} -n ${cluster.metadata.namespace} takes them over again`,
  ]);
}

function notOurs(run: Run, { metadata }: MarekvsCluster, hasSet: boolean): void {
  const { name, namespace } = metadata;
  if (!hasSet)
    throw blocked(`${name} was never formed by this operator`, `kubectl mkv explain ${name} -n ${namespace}`);
  run.print([`StatefulSet ${name} runs the members already`]);
}

/** Removes the note of an earlier `adopt` as well: the StatefulSet that it names is not the one created now. */
async function ask(run: Run, cluster: MarekvsCluster): Promise<void> {
  if (isReleaseAsked(cluster)) return;
  const text = releaseText(cluster.metadata.uid, cluster.status?.formed?.at ?? '');
  await annotateCluster(run, cluster, { [ANNOTATIONS.release]: text, [ANNOTATIONS.adopt]: null });
}

/** Resolves when the operator waits for the StatefulSet, or has gone on with one that exists. */
async function untilPrepared(run: Run, before: MarekvsCluster): Promise<void> {
  const { name, namespace } = before.metadata;
  await pollUntil(run, PREPARED_LIMIT_MS, async () => {
    const cluster = await readCluster(run, name);
    const { release: state, conditions, message, formed } = cluster.status ?? {};
    const isPrepared = state !== undefined && state.phase !== 'Preparing' && state.phase !== 'TakingBack';
    if (formed === undefined || isPrepared) return { found: cluster };
    const refusal = conditions?.find(({ type, reason }) => type === 'Stalled' && reason === 'ReleaseRefused');
    if (refusal !== undefined && state === undefined) {
      await annotateCluster(run, cluster, { [ANNOTATIONS.release]: null });
      throw blocked(refusal.message, `do that, then kubectl mkv release ${name} -n ${namespace}`);
    }
    return {
      why: `the operator has not prepared ${name} within ${PREPARED_LIMIT_MS / 1000} s: ${message ?? 'it says nothing'}`,
      next: `look whether it runs (kubectl mkv operators), and run the command again; kubectl mkv adopt ${name} -n ${namespace} takes the request back`,
    };
  });
}

/** The existing operator has no NetworkPolicies, and ours would cut off Pods that the StatefulSet creates. Together,
 *  because each alone closes what the other opens. */
async function dropPolicies(run: Run, cluster: MarekvsCluster): Promise<void> {
  const { name } = cluster.metadata;
  await Promise.all([networkPolicyName(name), clientsPolicyName(name)].map((one) => dropPolicy(run, cluster, one)));
}

async function dropPolicy(run: Run, { metadata }: MarekvsCluster, name: string): Promise<void> {
  const { client } = await run.connect();
  const { signal } = run.ports;
  const ref = { namespace: metadata.namespace, name };
  const policy = await ifFound(run.get(networkPolicies, ref));
  if (policy === undefined || controllerOf(policy.metadata)?.uid !== metadata.uid) return;
  const { uid, resourceVersion } = policy.metadata;
  await ifFound(client.delete(networkPolicies, ref, { uid, resourceVersion }, { signal }));
}

async function makeSet(run: Run, cluster: MarekvsCluster, manifest: ReturnType<typeof releasedSet>): Promise<void> {
  const { client } = await run.connect();
  if ((await readStatefulSet(run, cluster)) !== undefined) return;
  try {
    await client.create(statefulSets, manifest, { signal: run.ports.signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** Resolves when all Pods belong to the StatefulSet and no node is left. @returns the cluster at that time */
async function untilOver(run: Run, before: MarekvsCluster): Promise<MarekvsCluster> {
  const { name, namespace } = before.metadata;
  return pollUntil(run, OVER_LIMIT_MS, async () => {
    const cluster = await readCluster(run, name);
    const isOver = cluster.status?.formed === undefined && (await readNodes(run, cluster)).length === 0;
    if (isOver) return { found: cluster };
    return {
      why: `the members of ${name} are not handed over within ${OVER_LIMIT_MS / 1000} s: ${cluster.status?.message ?? 'the operator says nothing'}`,
      next: `run the command again; kubectl mkv adopt ${name} -n ${namespace} takes them back`,
    };
  });
}

/** Names the volumes of earlier members: a StatefulSet that grows reuses any claim that has the right name. */
function keptNote({ status }: MarekvsCluster): readonly string[] {
  const kept = (status?.detachedVolumes ?? []).map(({ pvcName }) => pvcName);
  if (kept.length === 0) return [];
  return [
    `kept: ${kept.join(', ')} of members that were removed; a StatefulSet that grows starts on them, delete them first`,
  ];
}
