// A smaller size is requested at a moment, or of a cluster, where a removal would be wrong or too early.

import { forbidRemoval, ids, rested, type Scenario } from '../../life/scenario.ts';
import { CLAIMS, CLUSTERS, NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';

export const TOO_EARLY_STORIES: readonly Scenario[] = [
  {
    name: 'single-copy',
    story: 'Every key has one copy: a smaller size is refused, and every member stays.',
    async run(world, fate) {
      await rested(world, fate, 3, { replicationFactor: 1 });
      forbidRemoval(world, 'although nobody else has what it holds', 60_000);
      world.edit({ nodes: 2 });
      await world.advance(60_000);
      world.edit({ nodes: 3 });
      return { nodes: 3, ids: ids(0, 2) };
    },
  },
  {
    name: 'grown-and-shrunk',
    story:
      'The size is raised by one and lowered again as soon as the new member serves, in the middle of its copying.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.edit({ nodes: 5 });
      await world.until(() => world.member(4)?.phase === 'Active', 120_000, 'a fifth member');
      // Until then the operator may still take it for a joining member, and has no data for a proof.
      await world.until(() => world.node(4)?.status?.phase === 'Active', 60_000, 'that it is known');
      await world.advance(fate.between(0, 5_000));
      world.edit({ nodes: 4 });
      return { nodes: 4 };
    },
  },
  {
    name: 'finalizer-removed',
    story:
      'A person deletes a node and its volume by force while the cluster shrinks: the members have to forget it first.',
    async run(world, fate) {
      await rested(world, fate, 5);
      const unknown = (): number | undefined =>
        world.member(0)?.view.members.find(({ id }) => world.node(id) === undefined)?.id;
      world.kube.server.onEvent(({ resource }) => {
        const target = resource === CLUSTERS ? world.cluster()?.status?.operation : undefined;
        if (target?.phase === 'Claimed' && unknown() !== undefined)
          world.kube.violated(`a removal begins while members show ${unknown()}, which has no node`);
      });
      tearOut(world, CLAIMS, 'data-demo-1');
      tearOut(world, NODES, 'demo-1');
      world.edit({ nodes: 3 });
      return { nodes: 3 };
    },
  },
  {
    name: 'left-by-hand',
    story:
      'Somebody marks a Pod as leaving while the cluster shrinks, and its restart is refused for a while: one at a time.',
    async run(world, fate) {
      await rested(world, fate, 4);
      world.fateOf = ({ verb, resource }) => (verb === 'delete' && resource === 'pods' ? 'unavailable' : 'pass');
      world.annotate('pods', 'demo-1', { 'marekvs.io/leaving': 'true' });
      world.edit({ nodes: 3 });
      forbidRemoval(world, 'while another member is leaving', 20_000);
      await world.advance(20_000);
      world.fateOf = () => 'pass';
      return { nodes: 3 };
    },
  },
];

/** Like `kubectl delete` after the finalizers were removed. */
function tearOut(world: MemberWorld, resource: string, name: string): void {
  world.kube.server.patch(resource, { namespace: 'default', name }, { metadata: { finalizers: [] } });
  world.removeObject(resource, name);
}
