// `kubectl mkv restart <node>`: one member's process ends and starts again on its volume. Requested as an eviction, so
// that the disruption budget decides. The operator sets that budget by what it knows of every record.

import type { MarekvsNode } from '@marekvs/api';
import { ApiError, type Pod, pods } from '@marekvs/runtime';
import type { Command } from 'commander';
import { readCluster, readNode, readNodes } from '../../cluster/cluster-parts.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { blocked, isObjectMissing } from '../../connection/errors.ts';
import { restartRefusal } from './refusal.ts';

interface RestartOptions {
  readonly force?: boolean;
}

export function addRestart(program: Command, cli: Cli): void {
  withSharedOptions(program.command('restart'), { output: false, writes: true })
    .summary('restart one member on its volume')
    .description('restart one member on its volume: refused while another is down or being removed')
    .argument('<node>', 'name of the MarekvsNode, such as demo-3')
    .option('--force', 'even while another is down, and ignoring the disruption budget')
    .action(cli.action<[string], RestartOptions>((run, [name], { force }) => restart(run, name, force === true)));
}

async function restart(run: Run, name: string, isForced: boolean): Promise<void> {
  const node = await readNode(run, name);
  const cluster = await readCluster(run, node.spec.clusterName);
  const refusal = restartRefusal(cluster, await readNodes(run, cluster), node);
  if (refusal !== undefined && !(refusal.canBeForced && isForced)) throw blocked(refusal.why, refusal.next);
  const pod = await podOf(run, node);
  const { name: own, namespace } = node.metadata;
  await run.consent(
    `the member of ${own} ends and starts again${refusal === undefined ? '' : `, although ${refusal.why}`}`,
  );
  await (isForced ? deletePod(run, pod) : evictPod(run, pod, cluster.metadata.name));
  run.tell(
    `${own} is restarted on its volume`,
    `it serves again within seconds; kubectl mkv status ${cluster.metadata.name} -n ${namespace} --watch`,
  );
}

type RunningPod = Pod & {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string };
};

async function podOf(run: Run, { metadata: { namespace, name } }: MarekvsNode): Promise<RunningPod> {
  const found = await run.get(pods, { namespace, name }).catch((error: unknown) => {
    if (isObjectMissing(error, name)) return undefined;
    throw error;
  });
  if (found !== undefined && found.metadata.deletionTimestamp === undefined)
    return { ...found, metadata: { ...found.metadata, namespace } };
  throw blocked(
    `${name} has no Pod that runs: the operator is making one`,
    `kubectl mkv status ${name.replace(/-\d+$/, '')} -n ${namespace} --watch`,
  );
}

async function deletePod(run: Run, { metadata: { namespace, name, uid } }: RunningPod): Promise<void> {
  const { client } = await run.connect();
  await client.delete(pods, { namespace, name }, { uid }, { signal: run.ports.signal, dryRun: run.isDryRun });
}

/** @throws CliError when the disruption budget says no */
async function evictPod(run: Run, { metadata: { namespace, name, uid } }: RunningPod, cluster: string): Promise<void> {
  const { transport } = await run.connect();
  const query = run.isDryRun ? '?dryRun=All' : '';
  try {
    await transport.request({
      verb: 'create',
      path: `/api/v1/namespaces/${namespace}/pods/${name}/eviction${query}`,
      resource: 'pods/eviction',
      subject: `pods/eviction ${namespace}/${name}`,
      body: {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { namespace, name },
        deleteOptions: { preconditions: { uid } },
      },
      signal: run.ports.signal,
    });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 429)) throw error;
    throw blocked(
      `the disruption budget of ${cluster} allows no restart of ${name} now: a member is not ready, or a record may have no other copy`,
      `kubectl mkv explain ${cluster} -n ${namespace}; kubectl mkv verify ${cluster} -n ${namespace} compares now; or --force`,
    );
  }
}
