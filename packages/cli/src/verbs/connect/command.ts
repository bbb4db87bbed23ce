// `kubectl mkv connect [cluster]`: opens a way from this machine to a member of the cluster, and prints the command of
// a client for it. The password stays in its Secret unless it is asked for.

import { LABELS, type MarekvsCluster, MEMBER_PORTS } from '@marekvs/api';
import { type Pod, secrets, untilAborted } from '@marekvs/runtime';
import type { Command } from 'commander';
import { readCluster, readPods } from '../../cluster/cluster-parts.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { blocked, failed, notForwarded, notFound } from '../../connection/errors.ts';
import type { PortForward } from '../../connection/ports.ts';
import { loopbackOf } from '../../members/member-figures.ts';
import { harmless } from '../../screen/text.ts';

interface ConnectCommandOptions {
  readonly showPassword?: boolean;
}

export function addConnect(program: Command, cli: Cli): void {
  withSharedOptions(program.command('connect'), { output: false })
    .summary('let a client on this machine reach a member')
    .description('forward a port to a member for a client on this machine, until Ctrl-C, and say what to type')
    .argument('[cluster]', 'name of the cluster (default: the only one of the namespace)')
    .option('--show-password', 'read the password from its Secret, and print it')
    .action(
      cli.action<[string | undefined], ConnectCommandOptions>((run, [name], { showPassword }) =>
        connect(run, name, showPassword === true),
      ),
    );
}

async function connect(run: Run, name: string | undefined, isPasswordShown: boolean): Promise<void> {
  const cluster = await readCluster(run, name);
  const pod = readyPod(cluster, await readPods(run, cluster));
  const password = await passwordLines(run, cluster, isPasswordShown);
  const own = pod.metadata.name ?? '';
  const local = loopbackOf(pod);
  if (local !== undefined) {
    // A testbed: its members are processes of this machine.
    run.print([`${own} listens on this machine`, ...password, client(local, MEMBER_PORTS.resp)]);
    return;
  }
  const forward = await opened(run, cluster, own);
  try {
    run.print([`${own} is reached through this machine until Ctrl-C`, ...password, client(forward.host, forward.port)]);
    const why = await Promise.race([forward.ended, untilAborted(run.ports.signal)]);
    if (run.ports.signal.aborted || why === undefined) return;
    throw failed(`the connection to ${own} has ended: ${why}`, `another one: ${again(cluster)}`);
  } finally {
    forward.close();
  }
}

function client(host: string, port: number): string {
  return `redis-cli -h ${host} -p ${port}`;
}

function again({ metadata: { namespace, name } }: MarekvsCluster): string {
  return `kubectl mkv connect ${name} -n ${namespace}`;
}

/** A Pod that the client Service would choose as well. */
function readyPod({ metadata }: MarekvsCluster, pods: readonly Pod[]): Pod {
  const found = pods.find(
    (pod) =>
      pod.metadata.deletionTimestamp === undefined &&
      pod.metadata.labels?.[LABELS.serving] === 'true' &&
      pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true,
  );
  if (found !== undefined) return found;
  const { namespace, name } = metadata;
  throw blocked(`no member of ${name} takes clients now`, `kubectl mkv explain ${name} -n ${namespace}`);
}

async function opened(run: Run, { metadata }: MarekvsCluster, pod: string): Promise<PortForward> {
  const { namespace } = metadata;
  const { ports, options } = run;
  try {
    return await ports.forward({ namespace, name: pod, port: MEMBER_PORTS.resp }, options, ports.signal);
  } catch (error) {
    if (ports.signal.aborted) throw error;
    throw notForwarded(`cannot reach ${pod}`, namespace, error);
  }
}

async function passwordLines(
  run: Run,
  { spec, metadata }: MarekvsCluster,
  isShown: boolean,
): Promise<readonly string[]> {
  const reference = spec.auth?.secretRef;
  if (reference === undefined) return isShown ? [`${metadata.name} has no password`] : [];
  const { namespace } = metadata;
  const { name, key } = reference;
  if (!isShown) return [`it wants the password of Secret ${name}, key ${key}; --show-password prints it`];
  const encoded = (await run.get(secrets, { namespace, name })).data?.[key];
  if (encoded === undefined)
    throw notFound(`Secret ${name} has no key ${key}`, `kubectl describe secret ${name} -n ${namespace}`);
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  if (harmless(text) !== text)
    throw failed(
      `the password in Secret ${name} has control characters`,
      `kubectl get secret ${name} -n ${namespace} -o jsonpath='{.data.${key}}' | base64 -d`,
    );
  return [`export REDISCLI_AUTH='${text.replaceAll("'", "'\\''")}'`];
}
