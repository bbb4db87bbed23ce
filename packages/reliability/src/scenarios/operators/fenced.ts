// Requests of an operator that arrive late, after it died: another one has gone on meanwhile, and what was decided
// before must be refused (docs/design/runtime.md#write-fences). One story for each fence of a single write.

import { ids, rested, type Scenario } from '../../life/scenario.ts';
import { NAMESPACE, NODES } from '../../world/cluster/world-view.ts';
import { CLUSTERS, type MemberWorld, type WriteCall } from '../../world/member-world.ts';
import { goal, imageOf, NEXT } from '../rolling/images.ts';

const fencedUpdate: Scenario = {
  name: 'late-update',
  story:
    'A node is told to leave by a request that is long under way; its operator dies, the cluster is to keep the node, and somebody writes on it: the request finds another version.',
  async run(world, fate) {
    await rested(world, fate, 4);
    world.edit({ nodes: 3 });
    const isIt = ({ verb, resource, name, body }: WriteCall): boolean =>
      verb === 'patch' && resource === NODES && name === 'demo-3' && JSON.stringify(body).includes('Leaving');
    await latePast(world, isIt, () => {
      world.edit({ nodes: 4 });
      world.annotate(NODES, 'demo-3', { 'example.org/note': 'changed' });
    });
    if (world.node(3)?.spec.intent === 'Leaving')
      world.kube.violated('demo-3 is told to leave by a request from before it was wanted again');
    return { nodes: 4, ids: ids(0, 3) };
  },
};

const fencedDelete: Scenario = {
  name: 'late-end',
  story:
    'The Pod of a member whose turn it is ends by a request that is long under way; its operator dies, the Pod is gone meanwhile, and another one has its name: the request finds another Pod.',
  async run(world, fate) {
    await rested(world, fate, 3);
    world.edit({ image: NEXT });
    const isIt = ({ verb, resource, name }: WriteCall): boolean =>
      verb === 'delete' && resource === 'pods' && name === 'demo-2';
    await latePast(
      world,
      isIt,
      () => world.removeObject('pods', 'demo-2'),
      () => world.pod(2)?.metadata.deletionTimestamp === undefined && imageOf(world, 2) === NEXT,
    );
    if (world.pod(2)?.metadata.deletionTimestamp !== undefined)
      world.kube.violated('the Pod that has the name of demo-2 by now is ended for the one before');
    return goal(world, 3, NEXT);
  },
};

const fencedOperation: Scenario = {
  name: 'late-claim',
  story:
    'The record of a removal is claimed by a request that is long under way; its operator dies, and nobody wants the removal any more: the request finds another version.',
  async run(world, fate) {
    await rested(world, fate, 4);
    world.edit({ nodes: 3 });
    const isIt = ({ verb, resource, body }: WriteCall): boolean =>
      verb === 'update' && resource === `${CLUSTERS}/status` && JSON.stringify(body).includes('"Claimed"');
    await latePast(world, isIt, () => world.edit({ nodes: 4 }));
    if (world.operationPhase() !== undefined)
      world.kube.violated('a removal is claimed by a request from before nobody wanted it');
    return { nodes: 4, ids: ids(0, 3) };
  },
};

const nameTaken: Scenario = {
  name: 'name-taken',
  story:
    'A node of somebody else has the name of the next one: it is left alone, and the status reports it, until it is gone.',
  async run(world, fate) {
    await rested(world, fate, 3);
    const { server } = world.kube;
    const { metadata } = server.create('configmaps', { metadata: { name: 'others', namespace: NAMESPACE } });
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'others', uid: metadata.uid, controller: true },
    ];
    const template = world.node(2)?.spec;
    const spec = { ...template, nodeId: 3 };
    server.create(NODES, { metadata: { name: 'demo-3', namespace: NAMESPACE, ownerReferences }, spec });
    world.edit({ nodes: 4 });
    await world.until(() => world.condition('Ready') === 'NameTaken', 60_000, 'NameTaken is said');
    world.removeObject(NODES, 'demo-3');
    return { nodes: 4 };
  },
};

export const FENCED_STORIES: readonly Scenario[] = [nameTaken, fencedUpdate, fencedDelete, fencedOperation];

/** Delays the first matching request by three seconds; its sender dies at once, and `meanwhile` runs. Ends right after
 *  the request has arrived. */
async function latePast(
  world: MemberWorld,
  isIt: (write: WriteCall) => boolean,
  meanwhile: () => void,
  isReady: () => boolean = () => true,
): Promise<void> {
  let sentMs: number | undefined;
  world.restartMs = 500;
  world.fateOf = (write) => {
    if (sentMs !== undefined || !isIt(write)) return 'pass';
    sentMs = world.nowMs;
    world.kube.clock.after(1, () => {
      world.operator.crash();
      meanwhile();
    });
    return 'late';
  };
  await world.until(() => sentMs !== undefined, 180_000, 'the request is under way');
  await world.until(isReady, LATE_MS - 100, 'what it is about has changed');
  await world.advance(Math.max(0, (sentMs ?? 0) + LATE_MS + 5 - world.nowMs));
}

/** How long a late request is under way. */
const LATE_MS = 3_000;
