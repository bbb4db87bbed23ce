// Everything that can happen to the member behind its closed door, or while that is being closed: it does not start, is
// edited by hand, is wanted again.

import type { ApiObject } from '@marekvs/simulator';
import { ids, isSealed, isSealing, podEnded, rested, type Scenario } from '../../life/scenario.ts';
import { CLAIMS, CLUSTERS, NAME, NAMESPACE, NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { NEXT } from '../rolling/images.ts';
import { delayRepairs } from '../steps/only-there.ts';
import { pinClients } from '../steps/pinned.ts';
import { isSealedPod, pin, RECLAIMING, reclaimed } from './closed-door.ts';

const REF = { namespace: NAMESPACE, name: NAME };
/** What a member that comes back has missed reaches it this late. */
const SLOW_MS = 20_000;

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

export const SEALED_STORIES: readonly Scenario[] = [
  {
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
      const isTakenBack = (): boolean =>
        world.operationPhase() === 'Cancelling' || world.operationPhase() === undefined;
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
  },
  {
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
  },
  {
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
  },
  {
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
  },
  {
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
  },
  {
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
  },
  {
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
  },
  {
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
  },
];

function onVolume(world: MemberWorld, id: number, uid: string | undefined): string | undefined {
  return world.claim(id)?.metadata.uid === uid ? undefined : `${id} is not on its volume`;
}

function editNode({ kube }: MemberWorld, spec: Readonly<Record<string, unknown>>, id = 3): void {
  kube.transcript.add('user', `edits demo-${id} ${JSON.stringify(spec)}`);
  kube.server.patch(NODES, { namespace: NAMESPACE, name: `demo-${id}` }, { spec });
}

function imageOf({ spec }: ApiObject): string | undefined {
  return (spec as { readonly containers?: readonly { readonly image?: string }[] } | undefined)?.containers?.[0]?.image;
}
