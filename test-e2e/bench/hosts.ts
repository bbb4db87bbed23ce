// Measures the loss of a host with its disk, drains of five hosts whose volumes can move, and of one whose volume
// cannot. bench-hosts.ts makes the report.

import { ANNOTATIONS, LABELS, type MarekvsCluster, type MarekvsNode } from '@marekvs/api';
import type { AuditRequest, Testbed } from '@marekvs/testbed';
import { clusterHandle } from '../support/cluster-handle.ts';
import { writeKeys } from '../support/data.ts';
import { round } from '../support/figures.ts';
import { corePath } from '../support/paths.ts';
import type { ReadBackCount } from '../support/read-back.ts';
import { isPodReady, type PodSeen, says } from '../support/seen.ts';
import { type World, worldOf } from '../support/world.ts';
import { describeWrites, writesOf } from '../support/written.ts';

const KEYS = 20_000;
const LIMIT_MS = 400_000;
const WRITES_PER_SECOND = 200;
const DRAINED = 5;

type Say = (text: string) => void;

export interface LossMeasured {
  /** From the loss until the member is given up: until then, the operator only waits for the host. */
  readonly markedSeconds: number;
  /** From the loss until every key is on every home again. */
  readonly fullSeconds: number;
  /** Of the operator, in the cluster's namespace. */
  readonly requests: number;
  readonly writes: number;
  /** Writes that were read at the first home of the key a second after they were acknowledged. */
  readonly reads: Pick<ReadBackCount, 'read' | 'empty' | 'stale'>;
}

/** A host is lost for good under one of four members, with its disk. Clients write only once the others have noticed,
 *  because no operator can save what only the lost member had acknowledged.
 *  @throws Error when a key, or a write that was acknowledged since, is not on every home in the end */
export async function loseHost(testbed: Testbed, lostAfterSeconds: number, say: Say): Promise<LossMeasured> {
  const world = worldOf(testbed);
  const cluster = clusterHandle(() => world, 'lost');
  await cluster.create(4, { hosts: { lostAfterSeconds } });
  const keys = await writeKeys(testbed.kubelet, { ...nameOf(cluster), ids: [0, 1, 2, 3] }, 'key', KEYS, {
    limitMs: LIMIT_MS,
  });
  await cluster.says('its members are compared', isCompared, LIMIT_MS);
  await bindVolumes(testbed, cluster.namespace, cluster.name);
  const audit = await testbed.auditReader();
  const startedMs = performance.now();
  await testbed.kubelet.failHost(hostOf(testbed, cluster.namespace, `${cluster.name}-2`));
  await cluster.node(2, 'it is noticed', ({ status }) => status?.phase !== 'Active', LIMIT_MS);
  const ledger = await cluster.ledger({ perSecond: WRITES_PER_SECOND, knowing: 2, isReadBack: true, prefix: 'since' });
  const isMarked = ({ metadata }: MarekvsNode) => metadata.annotations?.[ANNOTATIONS.hostLost] !== undefined;
  await cluster.node(2, 'its member is given up', isMarked, LIMIT_MS);
  const markedSeconds = secondsSince(startedMs);
  await cluster.node(4, 'a new member has joined', ({ status }) => status?.phase === 'Active', LIMIT_MS);
  const left = [0, 1, 3, 4];
  await keys.areOnHomes(left, LIMIT_MS);
  const fullSeconds = secondsSince(startedMs);
  const requests = ofOperator((await audit.read()).requests, cluster.namespace);
  say(describeWrites(requests));
  say(`      ${await ledger.stop()}`);
  const { knowing, unknowing } = await ledger.reads();
  await ledger.check(left, LIMIT_MS);
  say('      every key, and every write acknowledged since, is on every home');
  const sum = (key: 'read' | 'empty' | 'stale'): number => knowing[key] + unknowing[key];
  const reads = { read: sum('read'), empty: sum('empty'), stale: sum('stale') };
  return { markedSeconds, fullSeconds, requests: requests.length, writes: writesOf(requests).length, reads };
}

export interface DrainsMeasured {
  readonly seconds: number;
  readonly slowestSeconds: number;
  /** Of the operator, in the cluster's namespace. */
  readonly requestsEach: number;
  readonly writesEach: number;
  readonly mostDown: number;
  readonly longestGapMs: number;
}

/** Drains five hosts, each with a member whose volume can move, one after the other.
 *  @throws Error when a write that was acknowledged is not on every home in the end */
export async function drainHosts(testbed: Testbed, say: Say): Promise<DrainsMeasured> {
  const world = worldOf(testbed);
  const cluster = clusterHandle(() => world, 'drained');
  await cluster.create(DRAINED);
  const ids = Array.from({ length: DRAINED }, (_, id) => id);
  const keys = await writeKeys(testbed.kubelet, { ...nameOf(cluster), ids }, 'key', KEYS, { limitMs: LIMIT_MS });
  await cluster.says('its members are compared', isCompared, LIMIT_MS);
  for (const id of ids) await testbed.kubelet.tieVolume(cluster.namespace, `data-${cluster.name}-${id}`, undefined);
  const following = await followDown(world, cluster.namespace, DRAINED);
  const ledger = await cluster.ledger({ perSecond: WRITES_PER_SECOND, knowing: 2 });
  const audit = await testbed.auditReader();
  const each: number[] = [];
  for (const id of ids) {
    const host = hostOf(testbed, cluster.namespace, `${cluster.name}-${id}`);
    each.push(await drain(world, host));
    say(`      ${host}: ${each.at(-1)} s`);
  }
  const requests = ofOperator((await audit.read()).requests, cluster.namespace);
  say(describeWrites(requests));
  await cluster.healthy(DRAINED, LIMIT_MS);
  following.stop();
  say(`      ${await ledger.stop()}`);
  await ledger.check(ids, LIMIT_MS);
  await keys.areOnHomes(ids, LIMIT_MS);
  say('      every acknowledged write is on every home');
  return {
    seconds: round(each.reduce((sum, one) => sum + one, 0)),
    slowestSeconds: Math.max(...each),
    requestsEach: round(requests.length / DRAINED),
    writesEach: round(writesOf(requests).length / DRAINED),
    mostDown: following.mostDown(),
    longestGapMs: ledger.longestGapMs(),
  };
}

export interface ReplacementMeasured extends Pick<DrainsMeasured, 'seconds' | 'mostDown' | 'longestGapMs'> {
  readonly writes: number;
}

/** Drains a host under one of four members whose volumes are disks of their hosts, with spec.hosts.replaceOnDrain.
 *  @throws Error when a write that was acknowledged is not on every home in the end */
export async function replaceOnHost(testbed: Testbed, say: Say): Promise<ReplacementMeasured> {
  const world = worldOf(testbed);
  const cluster = clusterHandle(() => world, 'replaced');
  await cluster.create(4, { hosts: { replaceOnDrain: true } });
  const keys = await writeKeys(testbed.kubelet, { ...nameOf(cluster), ids: [0, 1, 2, 3] }, 'key', KEYS, {
    limitMs: LIMIT_MS,
  });
  await cluster.says('its members are compared', isCompared, LIMIT_MS);
  await bindVolumes(testbed, cluster.namespace, cluster.name);
  const following = await followDown(world, cluster.namespace, 4);
  const ledger = await cluster.ledger({ perSecond: WRITES_PER_SECOND, knowing: 2 });
  const audit = await testbed.auditReader();
  const host = hostOf(testbed, cluster.namespace, `${cluster.name}-2`);
  const seconds = await drain(world, host);
  say(`      ${host}: ${seconds} s`);
  await cluster.healthy(4, LIMIT_MS);
  const requests = ofOperator((await audit.read()).requests, cluster.namespace);
  say(describeWrites(requests));
  following.stop();
  say(`      ${await ledger.stop()}`);
  const left = await cluster.ids();
  await ledger.check(left, LIMIT_MS);
  await keys.areOnHomes(left, LIMIT_MS);
  say('      every acknowledged write is on every home');
  return {
    seconds,
    writes: writesOf(requests).length,
    mostDown: following.mostDown(),
    longestGapMs: ledger.longestGapMs(),
  };
}

/** Drains a host as a person does. @returns seconds */
async function drain({ kubectl }: World, host: string): Promise<number> {
  const startedMs = performance.now();
  await kubectl('drain', host, '--ignore-daemonsets', `--timeout=${LIMIT_MS / 1000}s`);
  return secondsSince(startedMs);
}

/** The most members without a ready Pod at one time; a Pod that is ending counts as not ready. */
async function followDown({ watching }: World, namespace: string, members: number) {
  let mostDown = 0;
  const { stop } = await watching.follow<PodSeen>(corePath(namespace, 'pods'), (pods) => {
    const there = pods.filter(
      (one) =>
        one.metadata.labels?.[LABELS.cluster] !== undefined && isPodReady(one) && !one.metadata.deletionTimestamp,
    );
    mostDown = Math.max(mostDown, members - there.length);
  });
  return { stop, mostDown: () => mostDown };
}

async function bindVolumes({ kubelet }: Testbed, namespace: string, name: string): Promise<void> {
  for (const { key, nodeName } of kubelet.pods())
    if (key.startsWith(`${namespace}/${name}-`) && nodeName !== undefined)
      await kubelet.tieVolume(namespace, `data-${key.slice(namespace.length + 1)}`, nodeName);
}

function hostOf({ kubelet }: Testbed, namespace: string, name: string): string {
  return kubelet.pod(`${namespace}/${name}`)?.nodeName ?? '';
}

function isCompared(seen: MarekvsCluster): boolean {
  return says(seen, 'FullyReplicated', 'True');
}

function ofOperator(requests: readonly AuditRequest[], namespace: string): readonly AuditRequest[] {
  return requests.filter(
    ({ userAgent, resource, namespace: where }) =>
      userAgent.startsWith('marekvs-operator') && resource !== 'leases' && (where === namespace || where === ''),
  );
}

function nameOf({ namespace, name }: { readonly namespace: string; readonly name: string }) {
  return { namespace, name };
}

function secondsSince(startedMs: number): number {
  return round((performance.now() - startedMs) / 1000);
}
