// Reads from the members themselves which keys have HyperLogLog registers that diverge. Keys are users' data, so they
// are in no status: whoever may forward a port to the members may see them.

import { type MarekvsCluster, MEMBER_PORTS, withDefaults } from '@marekvs/api';
import { type ContentAnswer, type ContentQuestion, createComparison } from '@marekvs/planner';
import type { Pod } from '@marekvs/runtime';
import { type ContentReader, createContentClient, StoreError } from '@marekvs/store-client';
import { readNodes, readPods } from '../../cluster/cluster-parts.ts';
import type { Run } from '../../connection/cli.ts';
import { blocked, failed, notForwarded } from '../../connection/errors.ts';
import type { PortForward } from '../../connection/ports.ts';
import { loopbackOf } from '../../members/member-figures.ts';

/** The shortest wait while there is nothing to ask. */
const IDLE_MS = 100;
/** A member that fails so often is not asked any more. */
const MAX_FAILURES = 5;

interface OpenMember {
  readonly nodeId: number;
  readonly reader: ContentReader;
  close(): void;
}

/** One character a byte, in the order of the alphabet.
 *  @throws CliError when a member cannot be reached or read */
export async function readDivergingKeys(
  run: Run,
  cluster: MarekvsCluster,
  timeoutMs: number,
): Promise<readonly string[]> {
  const members: OpenMember[] = [];
  try {
    const pods = await readPods(run, cluster);
    for (const { metadata, spec, status } of await readNodes(run, cluster)) {
      const pod = pods.find(({ metadata: { name } }) => name === (status?.podName ?? metadata.name));
      if (pod === undefined) throw blocked(`${metadata.name} has no Pod to read`, explain(cluster));
      members.push(await openMember(run, pod, spec.nodeId));
    }
    return await compare(run, cluster, members, run.ports.nowMs() + timeoutMs);
  } finally {
    for (const member of members) member.close();
  }
}

async function openMember(run: Run, pod: Pod, nodeId: number): Promise<OpenMember> {
  const { ports, options } = run;
  const { namespace = '', name = '' } = pod.metadata;
  const own = loopbackOf(pod);
  let forward: PortForward | undefined;
  try {
    if (own === undefined)
      forward = await ports.forward({ namespace, name, port: MEMBER_PORTS.mesh }, options, ports.signal);
    const address = forward === undefined ? { host: own ?? '' } : { host: forward.host, meshPort: forward.port };
    const reader = await createContentClient().open(address, { nodeId, signal: ports.signal });
    return {
      nodeId,
      reader,
      close() {
        reader.close();
        forward?.close();
      },
    };
  } catch (error) {
    forward?.close();
    if (ports.signal.aborted) throw error;
    throw notForwarded(`cannot read ${name}`, namespace, error);
  }
}

/** The comparison of the operator, once, by the same rules. */
async function compare(
  run: Run,
  cluster: MarekvsCluster,
  members: readonly OpenMember[],
  untilMs: number,
): Promise<readonly string[]> {
  const { ports } = run;
  const sources = members.map(({ nodeId }) => nodeId);
  const comparison = createComparison(
    {
      purpose: 'asked',
      id: 'keys',
      members: sources.map((nodeId) => ({ nodeId, podUid: '', ip: '', generation: 0 })),
      sources,
      replicationFactor: withDefaults(cluster.spec).replicationFactor,
      sinceMs: Number.NEGATIVE_INFINITY,
      isKeptFresh: false,
    },
    ports.nowMs(),
  );
  const failures = new Map<number, number>();
  const busy = new Map<number, Promise<void>>();
  const ask = async ({ nodeId, reader }: OpenMember, question: ContentQuestion): Promise<void> => {
    const answer = await answerOf(reader, question, ports.signal).catch((error: unknown) => {
      const count = (failures.get(nodeId) ?? 0) + 1;
      failures.set(nodeId, count);
      if (!(error instanceof StoreError) || count === MAX_FAILURES) throw error;
      return { kind: 'failed' } as const;
    });
    busy.delete(nodeId);
    comparison.take(question, answer, ports.nowMs());
  };
  while (busy.size > 0 || comparison.idleForMs(ports.nowMs()) !== undefined) {
    if (ports.nowMs() > untilMs) throw failed('the members were not compared in time', explain(cluster));
    for (const member of members) {
      const question = busy.has(member.nodeId) ? undefined : comparison.next(member.nodeId, ports.nowMs());
      if (question === undefined) continue;
      const asking = ask(member, question);
      // The first failure ends all of it, and the others are nobody's any more.
      asking.catch(() => {});
      busy.set(member.nodeId, asking);
    }
    if (busy.size > 0) await Promise.race(busy.values());
    else await ports.delay(Math.max(IDLE_MS, comparison.idleForMs(ports.nowMs()) ?? 0));
  }
  return [...comparison.divergingKeys()].sort();
}

async function answerOf(reader: ContentReader, question: ContentQuestion, signal: AbortSignal): Promise<ContentAnswer> {
  switch (question.kind) {
    case 'digests':
      return { kind: 'digests', digests: await reader.digests(question.partitions, { signal }) };
    case 'entries': {
      const { partition, buckets, own } = question;
      return { kind: 'entries', entries: await reader.entries(partition, buckets, own, { signal }) };
    }
    case 'records': {
      const { partition, bucket, hashes } = question;
      return { kind: 'records', records: await reader.records(partition, bucket, hashes, { signal }) };
    }
    case 'turn':
      return { kind: 'turn' };
    case 'stream':
      return { kind: 'stream', stream: await reader.stream(question.partition, { signal }) };
  }
}

function explain({ metadata: { namespace, name } }: MarekvsCluster): string {
  return `kubectl mkv explain ${name} -n ${namespace}`;
}
