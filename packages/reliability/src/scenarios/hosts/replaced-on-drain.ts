// Hosts are drained under members whose volumes are disks of these hosts, with spec.hosts.replaceOnDrain: a new member
// joins elsewhere, then the old one goes by proof. Or the host is uncordoned, a second one is drained, no host has
// room, or the host is lost meanwhile.

import { ANNOTATIONS, type MarekvsClusterSpec, type MarekvsNode } from '@marekvs/api';
import type { ApiObject } from '@marekvs/simulator';
import type { Fate } from '../../fate/fate.ts';
import { type Goal, ids, idsWithout, pausedIn, rested, type Scenario } from '../../life/scenario.ts';
import { type MemberWorld, NODES, type WriteCall } from '../../world/member-world.ts';

export const MEMBERS = 4;
const LOST_AFTER_SECONDS = 120;
const DEADLINE_SECONDS = 305;
/** kubectl drain retries refused evictions. */
const EVICT_AGAIN_MS = 5_000;
/** A join and a removal. */
export const REPLACED_MS = 600_000;
/** Time for an event and a request on their way. */
const HEARD_MS = 2_000;

export const REPLACED_ON_DRAIN_STORIES: readonly Scenario[] = [
  {
    name: 'replaced-on-drain',
    story:
      'A host is drained with kubectl under a member whose volume is a disk of it, while clients write: a new member joins, and the old one is removed with proof, without an eviction.',
    async run(world, fate) {
      const { id, host } = await bound(world, fate);
      if (fate.chance(0.5)) world.startWriters({ clients: 2, writesPerSecond: 20, keys: 150 });
      world.cordonHost(host);
      evictFrom(world, fate, host);
      await world.until(() => world.node(id) === undefined, REPLACED_MS, 'it is replaced');
      return replaced(world, id, host);
    },
  },
  {
    name: 'replaced-late',
    story:
      'The proof of a member on a drained host takes longer than removals may: it is not told to stay, since its Pod would find no host, and goes when it is proven.',
    async run(world, fate) {
      const { id, host } = await bound(world, fate, { removal: { deadlineSeconds: DEADLINE_SECONDS } });
      world.cordonHost(host);
      const { goOn } = await pausedIn(world, 'Proving');
      const uid = world.pod(id)?.metadata.uid;
      await world.advance(DEADLINE_SECONDS * 1000 + fate.between(10_000, 60_000));
      if (world.pod(id)?.metadata.uid !== uid)
        world.kube.violated(`demo-${id} is restarted, and no host takes its Pod`);
      goOn();
      await world.until(() => world.node(id) === undefined, REPLACED_MS, 'it is replaced');
      return replaced(world, id, host);
    },
  },
  {
    name: 'replacement-undone',
    story:
      'A host is cordoned under a bound member and uncordoned while that is replaced: as many members as before serve, and none is marked.',
    async run(world, fate) {
      const { id, host } = await bound(world, fate);
      world.cordonHost(host);
      if (fate.chance(0.8)) await world.until(() => isMarked(world, id), REPLACED_MS, 'it is marked');
      await world.advance(fate.between(0, 40_000));
      world.cordonHost(host, false);
      const isLeft = (): string | undefined => (isMarked(world, id) ? `demo-${id} is still marked` : undefined);
      return { nodes: MEMBERS, withinMs: REPLACED_MS, problem: isLeft };
    },
  },
  {
    name: 'replacement-begun',
    story:
      'A host is uncordoned right after its bound member was marked, before anybody has joined: the member stays, and the new one goes.',
    async run(world, fate) {
      const { id, host } = await bound(world, fate);
      world.cordonHost(host);
      await world.until(() => isMarked(world, id), REPLACED_MS, 'it is marked');
      world.cordonHost(host, false);
      return { nodes: MEMBERS, ids: ids(0, MEMBERS - 1), withinMs: REPLACED_MS };
    },
  },
  {
    name: 'replaced-second-drained',
    story:
      'A second host is cordoned with the first one, or while the bound member of that is replaced: they are replaced one after the other.',
    async run(world, fate) {
      const { id, host } = await bound(world, fate);
      const other = (id + fate.whole(1, MEMBERS - 1)) % MEMBERS;
      world.cordonHost(host);
      if (fate.chance(0.7)) await world.advance(fate.between(0, 30_000));
      world.cordonHost(world.hostOf(other));
      const areGone = (): boolean => world.node(id) === undefined && world.node(other) === undefined;
      await world.until(areGone, 2 * REPLACED_MS, 'both are replaced');
      return { nodes: MEMBERS, ids: idsWithout(MEMBERS + 1, id, other), withinMs: REPLACED_MS };
    },
  },
  {
    name: 'replacement-killed',
    story:
      'The operator dies at each write of a replacement for a drained host, before or after it: the next one goes on with what is there.',
    async run(world, fate) {
      const { id, host } = await bound(world, fate);
      const told = new Set<string>();
      world.fateOf = (write) => {
        const what = describeWrite(write);
        if (fate.isOver || write.resource.endsWith('events') || told.has(what)) return 'pass';
        told.add(what);
        fate.count('operatorKilled');
        return fate.chance(0.5) ? 'crashBefore' : 'crashAfter';
      };
      world.cordonHost(host);
      await world.until(() => world.node(id) === undefined, 3 * REPLACED_MS, 'it is replaced');
      return replaced(world, id, host);
    },
  },
  {
    name: 'replaced-no-room',
    story:
      'All hosts are cordoned: no member is stopped in vain, the status reports it, and when all but one are uncordoned the member of that one is replaced.',
    async run(world, fate) {
      const { id, host } = await bound(world, fate);
      const hosts = world.kube.server.list('nodes').map(({ metadata }) => metadata.name);
      // All of them: the scheduler would put a second member on a host that has one.
      for (const one of hosts) world.cordonHost(one);
      const uid = world.pod(id)?.metadata.uid;
      await world.advance(fate.between(60_000, 240_000));
      if (world.pod(id)?.metadata.uid !== uid)
        world.kube.violated(`demo-${id} was ended, and nobody has taken its place`);
      const ready = world.cluster()?.status?.conditions?.find(({ type }) => type === 'Ready');
      if (ready?.status === 'True') world.kube.violated('nobody is told that a replacement finds no host');
      for (const one of hosts) if (one !== host) world.cordonHost(one, false);
      await world.until(() => world.node(id) === undefined, REPLACED_MS, 'it is replaced');
      return { nodes: MEMBERS, withinMs: REPLACED_MS };
    },
  },
  {
    name: 'replaced-host-gone',
    story:
      'A host is cordoned under a bound member, and is off and deleted before that was replaced: the member is removed, with proof or as a lost one.',
    async run(world, fate) {
      const { id, host } = await bound(world, fate);
      world.cordonHost(host);
      await world.until(() => isMarked(world, id), REPLACED_MS, 'it is marked');
      await world.advance(fate.between(0, 30_000));
      fate.count('hostLost');
      world.failHost(host);
      await world.advance(fate.between(0, 30_000));
      world.removeHost(host, fate.chance(0.5));
      await world.until(() => world.node(id) === undefined, 2 * REPLACED_MS, 'it has gone');
      return { nodes: MEMBERS, ids: idsWithout(MEMBERS, id), withinMs: REPLACED_MS };
    },
  },
];

/** Four members at rest, each bound to a disk of its host. Returns one of them. */
async function bound(
  world: MemberWorld,
  fate: Fate,
  spec: Partial<MarekvsClusterSpec> = {},
): Promise<{ readonly id: number; readonly host: string }> {
  const hosts = { replaceOnDrain: true, lostAfterSeconds: LOST_AFTER_SECONDS };
  await rested(world, fate, MEMBERS, { hosts, ...spec });
  world.bindVolumes();
  watchMarks(world);
  const id = fate.whole(0, MEMBERS - 1);
  return { id, host: world.hostOf(id) };
}

function replaced(world: MemberWorld, id: number, host: string): Goal {
  const problem = (): string | undefined => {
    const said = world.claim(id)?.metadata.annotations?.[ANNOTATIONS.hostDrained];
    return said === host ? undefined : `volume ${id} is said to be on ${said}, not on the drained ${host}`;
  };
  return { nodes: MEMBERS, ids: idsWithout(MEMBERS, id), withinMs: REPLACED_MS, problem };
}

/** What kubectl drain does once the host is cordoned: evicts ready Pods as soon as the budget allows one. */
function evictFrom(world: MemberWorld, fate: Fate, host: string): void {
  if (fate.isOver) return;
  const { server, clock } = world.kube;
  const [budget] = server.list('poddisruptionbudgets.policy');
  const pods = server.list('pods').filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const ready = pods.filter(isReady);
  const least = Number(budget?.spec?.minAvailable ?? 0);
  for (const { metadata, spec } of ready)
    if (spec?.nodeName === host && ready.length > least) {
      world.removeObject('pods', metadata.name);
      world.kube.violated(`${metadata.name} is evicted, and no other host takes its Pod`);
    }
  clock.after(EVICT_AGAIN_MS, () => evictFrom(world, fate, host));
}

function isReady({ status }: ApiObject): boolean {
  const conditions = (status?.conditions ?? []) as readonly { readonly type: string; readonly status: string }[];
  return conditions.some(({ type, status: said }) => type === 'Ready' && said === 'True');
}

/** Checks every mark: one node at a time, on a drained host, without surplus nodes, and at most one new node. A mark is
 *  called off only when the host is usable again. */
function watchMarks(world: MemberWorld): void {
  /** By UID of the node. */
  const marked = new Map<string, { readonly name: string; readonly host: string }>();
  /** Per host, until when it was cordoned; infinite while it is. A deleted host stays cordoned. */
  const cordonedMs = new Map<string, number>();
  world.kube.server.onEvent(({ type, resource, object }) => {
    if (resource === 'nodes' && object.spec?.unschedulable === true)
      cordonedMs.set(object.metadata.name, Number.POSITIVE_INFINITY);
    else if (resource === 'nodes' && cordonedMs.get(object.metadata.name) === Number.POSITIVE_INFINITY)
      cordonedMs.set(object.metadata.name, world.nowMs);
    if (resource !== NODES) return;
    const { name, uid, annotations } = (object as ApiObject & MarekvsNode).metadata;
    const all = world.nodeIds().length;
    if (all > MEMBERS + 1) world.kube.violated(`${all} nodes, and one at a time is replaced`);
    const before = marked.get(uid);
    const host = annotations?.[ANNOTATIONS.hostDrained]?.split('/')[1];
    if (type === 'DELETED' || host === undefined) marked.delete(uid);
    if (type === 'DELETED') return;
    if (host === undefined) {
      if (before !== undefined && cordonedMs.get(before.host) === Number.POSITIVE_INFINITY)
        world.kube.violated(`${name} is not replaced any more, and ${before.host} is drained`);
      return;
    }
    if (before !== undefined) return;
    marked.set(uid, { name, host });
    const names = [...marked.values()].map((one) => one.name);
    if (names.length > 1) world.kube.violated(`${names.join(' and ')} are replaced at once`);
    const untilMs = cordonedMs.get(host) ?? Number.NEGATIVE_INFINITY;
    if (world.nowMs > untilMs + HEARD_MS) world.kube.violated(`${name} is replaced, and nobody drains ${host}`);
    if (all > MEMBERS) world.kube.violated(`${name} is replaced while there are ${all} nodes`);
  });
}

export function isMarked(world: MemberWorld, id: number): boolean {
  return world.node(id)?.metadata.annotations?.[ANNOTATIONS.hostDrained] !== undefined;
}

/** Includes the phase, since each phase of the record is a write of its own. */
function describeWrite({ verb, resource, name, body }: WriteCall): string {
  const { status } = (body ?? {}) as { readonly status?: { readonly operation?: { readonly phase?: string } } };
  return `${verb} ${resource} ${name} ${status?.operation?.phase ?? ''}`;
}
