// A removal closes the door of its member before it proves anything: clients that never hang up, and everything that
// can happen to the member behind its closed door.

import type { MarekvsClusterSpec } from '@marekvs/api';
import type { ApiObject } from '@marekvs/simulator';
import type { Fate } from '../../fate/fate.ts';
import { ids, idsWithout, isSealed, isSealing, podEnded, rested, type Scenario } from '../../life/scenario.ts';
import { CLAIMS, CLUSTERS, NAME, NAMESPACE, NODES, settingOf } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { NEXT } from '../rolling/rolling.ts';
import { delayRepairs } from '../steps/only-there.ts';
import { pinClients, roamingClients } from '../steps/pinned.ts';

const REF = { namespace: NAMESPACE, name: NAME };
const RECLAIMING: Partial<MarekvsClusterSpec> = { volumeRetention: { whenScaled: 'Delete' } };
/** What a removal takes while nothing but its clients is in its way: 40 to 60 s under writes. */
const USUAL_MS = 90_000;
/** The default of removal.clientGraceSeconds, and the time for all lists to be looked at. */
const GRACE_MS = 5_000;
/** A process is first home in a list for a moment when it starts: told four times a second or by its probes alone, for
 *  up to 1.4 s (docs/design/server.md#closed-door); its first probe may come a second late. */
const FIRST_HOME_MS = { drained: 1_500, byProbes: 2_500 };
const LOOK_MS = 100;
/** What a member that comes back has missed reaches it this late. */
const SLOW_MS = 20_000;

export const pinnedClient: Scenario = {
  name: 'pinned-client',
  story:
    'Clients that never hang up write to the member that is to go until its process ends: the removal takes its usual time, the volume is deleted, and every write is there.',
  async run(world, fate) {
    await rested(world, fate, 4, RECLAIMING);
    pin(world, fate, [3]);
    watchDoor(world, 3);
    watchGrace(world, 3);
    world.edit({ nodes: 3 });
    await world.until(() => world.isHealthy(3), USUAL_MS, '3 of 4 stay in the usual time');
    return { nodes: 3, ids: ids(0, 2), problem: () => reclaimed(world, 3) };
  },
};

const roaming: Scenario = {
  name: 'roaming-clients',
  story:
    'Clients write to any Pod at any moment, as by the headless name, all the while a cluster goes from 5 to 3 and its volumes are deleted.',
  async run(world, fate) {
    await rested(world, fate, 5, RECLAIMING);
    fate.count('load');
    roamingClients(world);
    for (const id of [3, 4]) watchDoor(world, id);
    world.edit({ nodes: 3 });
    await world.until(() => world.isHealthy(3), 3 * USUAL_MS, '3 of 5 stay');
    return { nodes: 3, ids: ids(0, 2), problem: () => reclaimed(world, 3) ?? reclaimed(world, 4) };
  },
};

const replaced: Scenario = {
  name: 'pinned-replaced',
  story:
    'A person deletes a node, or drains its host, whose clients never hang up: its door is closed on that host, and it is replaced in the usual time.',
  async run(world, fate) {
    await rested(world, fate, 4, { ...RECLAIMING, hosts: { replaceOnDrain: true } });
    const id = fate.whole(0, 3);
    const host = world.hostOf(id);
    world.bindVolumes();
    pin(world, fate, [id]);
    watchDoor(world, id);
    if (fate.chance(0.5)) world.cordonHost(host);
    else world.removeObject(NODES, `demo-${id}`);
    await world.until(() => world.node(id) === undefined, 2 * USUAL_MS, `${id} is replaced`);
    return { nodes: 4, ids: idsWithout(4, id) };
  },
};

const restarted: Scenario = {
  name: 'sealed-restarted',
  story:
    'The kubelet restarts the member behind its closed door again and again, with or without an operator: its probes drain it, and what was proven before counts for nothing.',
  async run(world, fate) {
    await rested(world, fate, 4, RECLAIMING);
    pin(world, fate, [3]);
    world.edit({ nodes: 3 });
    await isSealed(world, 3);
    const isWithout = fate.chance(0.5);
    watchDoor(world, 3, isWithout ? FIRST_HOME_MS.byProbes : FIRST_HOME_MS.drained);
    if (isWithout) world.endOperator(world.operator);
    for (let n = fate.whole(1, 3); n > 0; n -= 1) {
      await world.advance(fate.between(0, 6_000));
      if (world.member(3) === undefined) continue;
      fate.count('memberKilled');
      world.kill(3);
    }
    await world.advance(fate.between(0, 10_000));
    if (isWithout) world.startOperator();
    return { nodes: 3, ids: ids(0, 2), problem: () => reclaimed(world, 3) };
  },
};

/** Why a sealed Pod cannot start; returns what ends that. */
const NO_START: Readonly<Record<string, (world: MemberWorld) => () => void>> = {
  'its host is off': (world) => {
    const host = world.hostOf(3);
    world.failHost(host);
    return () => world.returnHost(host);
  },
  'its host has no room': (world) => {
    const name = world.hostOf(3);
    const allow = (memory: string) =>
      world.kube.server.patch('nodes', { name }, { status: { allocatable: { memory } } }, 'status');
    allow('0');
    return () => {
      allow('64Gi');
      world.kube.kubelet.retryPlacement();
    };
  },
  'its image is gone': (world) => {
    const pull = (image: string) =>
      world.kube.server.patch(NODES, { namespace: NAMESPACE, name: 'demo-3' }, { spec: { ran: { image } } });
    const before = world.node(3)?.spec.ran?.image ?? '';
    pull('marekvs:missing');
    return () => {
      pull(before);
      if (world.pod(3) !== undefined) world.removeObject('pods', 'demo-3');
    };
  },
  'no Pod may be made': (world) => {
    world.fateOf = ({ verb, resource }) => (verb === 'create' && resource === 'pods' ? 'unavailable' : 'pass');
    return () => {
      world.fateOf = () => 'pass';
    };
  },
};
const PROGRESS_SECONDS = 60;
/** The old process ends, and the deadline is noticed. */
const NOTICED_MS = 45_000;

const noStart: Scenario = {
  name: 'sealed-no-start',
  story:
    'The member whose door is to be closed does not start again, for want of its host, of room, of its image or of a permission: it is taken back in time, and says why.',
  async run(world, fate) {
    const why = fate.pick(Object.keys(NO_START));
    await rested(world, fate, 4, { update: { progressDeadlineSeconds: PROGRESS_SECONDS } });
    world.bindVolumes();
    const volume = world.claim(3)?.metadata.uid;
    world.edit({ nodes: 3 });
    await isSealing(world);
    world.kube.transcript.add('world', why);
    const cure = NO_START[why]?.(world);
    const isTakenBack = (): boolean => world.operationPhase() === 'Cancelling' || world.operationPhase() === undefined;
    await world.until(isTakenBack, PROGRESS_SECONDS * 1000 + NOTICED_MS, 'it is taken back');
    const { operation, lastOperation } = world.cluster()?.status ?? {};
    const said = operation?.cancel ?? lastOperation;
    world.edit({ nodes: 4 });
    await world.advance(fate.between(0, 60_000));
    cure?.();
    const problem = (): string | undefined =>
      said?.reason === 'DeadlineExceeded' ? onVolume(world, 3, volume) : `it was taken back for ${said?.reason}`;
    return { nodes: 4, ids: ids(0, 3), withinMs: 900_000, problem };
  },
};

/** What people do to a sealed Pod and its node. */
const HANDS: readonly ((world: MemberWorld) => void)[] = [
  (world) => world.removeObject('pods', 'demo-3'),
  (world) => world.label('pods', 'demo-3', { 'marekvs.io/serving': 'true' }),
  (world) => editNode(world, { serving: true }),
  (world) => editNode(world, { intent: 'Leaving' }),
  (world) => editNode(world, { intent: 'Active' }),
  (world) => world.annotate('pods', 'demo-3', { 'marekvs.io/leaving': 'false' }),
  (world) => world.annotate(NODES, 'demo-3', { 'marekvs.io/removal': 'mine' }),
];

const byHand: Scenario = {
  name: 'sealed-by-hand',
  story:
    'A person deletes or edits the member behind its closed door, its Pod or its node, while clients try to reach it: it goes all the same, with every write.',
  async run(world, fate) {
    await rested(world, fate, 4, RECLAIMING);
    pin(world, fate, [3]);
    world.edit({ nodes: 3 });
    await isSealed(world, 3);
    for (let n = fate.whole(1, 3); n > 0; n -= 1) {
      await world.advance(fate.between(0, 4_000));
      if (world.pod(3) !== undefined && world.node(3) !== undefined) fate.pick(HANDS)(world);
    }
    return { nodes: 3, ids: ids(0, 2), withinMs: 900_000, problem: () => reclaimed(world, 3) };
  },
};

const withoutRemoval: Scenario = {
  name: 'sealed-without-removal',
  story:
    'A person writes the permit to seal into a node that nobody removes: its Pod is not ended for it, and is let in again.',
  async run(world, fate) {
    await rested(world, fate, 4);
    const id = fate.whole(0, 3);
    const uid = world.pod(id)?.metadata.uid ?? '';
    editNode(world, { intent: 'Sealed', ran: { podUID: uid, image: 'marekvs:test' } }, id);
    return { nodes: 4, ids: ids(0, 3) };
  },
};

const besideDown: Scenario = {
  name: 'sealed-beside-down',
  story:
    'Another member goes down in the moment in which the open one may be ended: what clients write to that one then reaches the other first.',
  async run(world, fate) {
    await rested(world, fate, 4, RECLAIMING);
    const other = fate.whole(0, 2);
    pinClients(world, [3]);
    world.edit({ nodes: 3 });
    await isSealing(world);
    fate.count('podDeleted');
    delayRepairs(world, SLOW_MS);
    world.kube.knobs = { laneDelayMs: SLOW_MS };
    world.removeObject('pods', `demo-${other}`);
    world.fateOf = ({ verb, resource }) => (verb === 'create' && resource === 'pods' ? 'unavailable' : 'pass');
    await world.advance(fate.between(5_000, 40_000));
    world.stopWriters();
    world.kube.server.onEvent(({ resource, object, previous }) => {
      const isEnding = ({ metadata }: ApiObject): boolean => metadata.deletionTimestamp !== undefined;
      if (resource !== 'pods' || previous === undefined || isEnding(previous) || !isEnding(object)) return;
      const keys = object.metadata.name === 'demo-3' ? world.soleCopiesOf(3) : [];
      if (keys.length > 0)
        world.kube.violated(`the open process ends with ${keys.length} records that nobody else has`);
    });
    world.fateOf = () => 'pass';
    await world.advance(2 * SLOW_MS);
    delayRepairs(world, 0);
    world.kube.knobs = {};
    return { nodes: 3, ids: ids(0, 2), withinMs: 900_000, problem: () => reclaimed(world, 3) };
  },
};

const volumeGoes: Scenario = {
  name: 'sealed-volume-deleted',
  story:
    'A person deletes the volume of the member in the moment in which it may be ended: its process is not ended before what it has was found elsewhere.',
  async run(world, fate) {
    await rested(world, fate, 4);
    world.edit({ nodes: 3 });
    await isSealing(world);
    fate.count('volumeDeleted');
    world.removeObject(CLAIMS, 'data-demo-3');
    await world.advance(fate.between(0, 10_000));
    return { nodes: 3, ids: ids(0, 2), withinMs: 900_000 };
  },
};

const earlierRecord: Scenario = {
  name: 'sealed-earlier-record',
  story:
    'The record of a removal is one of the previous version, which does not say that the door was closed: the volume is kept although it should be deleted.',
  async run(world, fate) {
    await rested(world, fate, 4, RECLAIMING);
    world.edit({ nodes: 3 });
    await podEnded(world, 3);
    const { server } = world.kube;
    server.patch(CLUSTERS, REF, { status: { operation: { target: { sealedPodUID: null } } } }, 'status');
    const problem = (): string | undefined => (world.claim(3) === undefined ? 'the volume is gone' : undefined);
    return { nodes: 3, ids: ids(0, 2), problem };
  },
};

const takenBack: Scenario = {
  name: 'sealed-taken-back',
  story:
    'A removal is called off at any moment from the permit to close the door until the node is gone, while clients never hang up: in the end the same four serve, on their volumes.',
  async run(world, fate) {
    await rested(world, fate, 4);
    const volume = world.claim(3)?.metadata.uid;
    pin(world, fate, [0, 3]);
    world.edit({ nodes: 3 });
    await isSealing(world);
    await world.advance(fate.between(0, 20_000));
    world.edit({ nodes: 4 });
    await world.advance(30_000);
    return { nodes: 4, ids: ids(0, 3), withinMs: 900_000, problem: () => onVolume(world, 3, volume) };
  },
};

const otherTemplate: Scenario = {
  name: 'sealed-template',
  story:
    'The image changes while the door of a member is being closed, and the removal may be called off: it is started with what it ran, and the others are updated afterwards.',
  async run(world, fate) {
    await rested(world, fate, 4);
    world.edit({ nodes: 3 });
    await isSealing(world);
    const forget = world.kube.server.onEvent(({ resource, object }) => {
      const isNew = resource === 'pods' && isSealedPod(object) && imageOf(object) === NEXT;
      if (isNew) world.kube.violated(`${object.metadata.name} gets another image behind its closed door`);
    });
    await world.advance(fate.between(0, 3_000));
    world.edit({ image: NEXT });
    const isCalledOff = fate.chance(0.5);
    await world.advance(fate.between(0, 10_000));
    const size = isCalledOff ? 4 : 3;
    world.edit({ nodes: size });
    await world.until(() => world.cluster()?.status?.operation === undefined, 300_000, 'the removal is over');
    forget();
    return { nodes: size, ids: ids(0, size - 1), withinMs: 900_000 };
  },
};

export const CLOSED_DOOR_STORIES: readonly Scenario[] = [
  pinnedClient,
  roaming,
  replaced,
  restarted,
  noStart,
  byHand,
  withoutRemoval,
  besideDown,
  volumeGoes,
  earlierRecord,
  takenBack,
  otherTemplate,
];

function pin(world: MemberWorld, fate: Fate, members: readonly number[]): void {
  fate.count('load');
  pinClients(world, members, { writesPerSecond: fate.between(5, 40) });
}

function reclaimed(world: MemberWorld, id: number): string | undefined {
  return world.claim(id) === undefined ? undefined : `volume ${id} is still there`;
}

function onVolume(world: MemberWorld, id: number, uid: string | undefined): string | undefined {
  return world.claim(id)?.metadata.uid === uid ? undefined : `${id} is not on its volume`;
}

function editNode({ kube }: MemberWorld, spec: Readonly<Record<string, unknown>>, id = 3): void {
  kube.transcript.add('user', `edits demo-${id} ${JSON.stringify(spec)}`);
  kube.server.patch(NODES, { namespace: NAMESPACE, name: `demo-${id}` }, { spec });
}

export function isSealedPod(pod: ApiObject | undefined): boolean {
  return settingOf(pod, 'MAREKVS_RESP_ADDR')?.startsWith('127.') === true;
}

function imageOf({ spec }: ApiObject): string | undefined {
  return (spec as { readonly containers?: readonly { readonly image?: string }[] } | undefined)?.containers?.[0]?.image;
}

/** From now on a member behind a closed door that is first home in any list for longer than this is a violation. */
function watchDoor(world: MemberWorld, id: number, limitMs = FIRST_HOME_MS.drained): void {
  let sinceMs: number | undefined;
  const look = (): void => {
    const generation = isSealedPod(world.pod(id)) ? world.member(id)?.generation : undefined;
    // What the others show of a process that has ended says nothing about the next one.
    const isShownFirst = (by: number): boolean =>
      world
        .member(by)
        ?.view.members.some((one) => one.id === id && one.generation === generation && one.phase === 'Active') === true;
    const isFirst = generation !== undefined && world.nodeIds().some((by) => by !== id && isShownFirst(by));
    sinceMs = isFirst ? (sinceMs ?? world.nowMs) : undefined;
    if (sinceMs !== undefined && world.nowMs - sinceMs > limitMs)
      world.kube.violated(
        `demo-${id} is first home behind its closed door for ${Math.round(world.nowMs - sinceMs)} ms`,
      );
    else world.kube.clock.after(LOOK_MS, look);
  };
  look();
}

/** The open Pod is ended only when all have shown its member drained for as long as clients have to move away. */
function watchGrace(world: MemberWorld, id: number): void {
  let sinceMs: number | undefined;
  const look = (): void => {
    const isDrained = world.nodeIds().every((by) => world.phaseShownBy(by, id) === 'Leaving');
    sinceMs = isDrained ? (sinceMs ?? world.nowMs) : undefined;
    const pod = world.pod(id);
    if (pod === undefined) return;
    if (pod.metadata.deletionTimestamp === undefined) return void world.kube.clock.after(LOOK_MS, look);
    const givenMs = sinceMs === undefined ? 0 : world.nowMs - sinceMs;
    if (givenMs < GRACE_MS) world.kube.violated(`the clients of demo-${id} had ${Math.round(givenMs)} ms to move away`);
  };
  look();
}
