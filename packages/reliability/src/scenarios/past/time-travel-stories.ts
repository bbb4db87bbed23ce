// Stories in which the past looks most like the present: the same name comes back with another UID, or an object has
// gone unnoticed and is merely missing. Nothing new may be ended because of something old, nor the reverse.

import type { Fate } from '../../fate/fate.ts';
import { STRIKES } from '../../fate/member-faults.ts';
import { Past } from '../../fate/past.ts';
import { type Goal, rested, type Scenario } from '../../life/scenario.ts';
import { CLAIMS, CLUSTERS, NAMESPACE, NODES } from '../../world/cluster/world-view.ts';
import type { MemberWorld } from '../../world/member-world.ts';
import { killAtEachPhase } from '../operators/operators.ts';

/** What was begun in the past must first be completed or undone. */
export const CATCH_UP_MS = 1_200_000;

/** After the past is over, the stored status may still call the cluster healthy until it is written anew. */
export const NOTICE_MS = 10_000;

/** A story of one cluster of this size; from its beginning operators are killed and API servers are behind. */
function pastStory(
  name: string,
  story: string,
  nodes: number,
  spec: Parameters<typeof rested>[3],
  tell: (world: MemberWorld, fate: Fate, past: Past) => Promise<Goal>,
): Scenario {
  return {
    name: `${name}-time-travel`,
    story,
    async run(world, fate) {
      const past = new Past(world, fate);
      await rested(world, fate, nodes, spec);
      world.restartMs = fate.between(500, 20_000);
      const goal = await tell(world, fate, past);
      await world.advance(past.leftMs + NOTICE_MS);
      return { withinMs: CATCH_UP_MS, ...goal };
    },
  };
}

const killed = pastStory(
  'killed-at-each-phase',
  'The operator is killed at every phase of a removal and comes back to before it had begun, or to any moment of it.',
  4,
  {},
  async (world, fate, past) => {
    past.begin();
    killAtEachPhase(world, fate);
    world.edit({ nodes: 3 });
    return { nodes: 3 };
  },
);

const calledOff = pastStory(
  'cancel',
  'A removal is called off at any moment of it, before operators that may not have heard of either.',
  4,
  {},
  async (world, fate, past) => {
    past.begin();
    world.edit({ nodes: 3 });
    await world.advance(fate.between(0, 90_000));
    world.edit({ nodes: 4 });
    return { nodes: 4 };
  },
);

const gap = pastStory(
  'gap',
  'A Pod, a node and a volume are deleted by hand while no operator runs: the next one sees only that they are missing.',
  5,
  {},
  async (world, fate, past) => {
    past.begin({ isRestless: false });
    for (let n = 0; n < 2; n += 1) {
      world.restartMs = fate.between(20_000, 40_000);
      world.operator.crash();
      fate.count('operatorKilled');
      await world.advance(fate.between(1_000, 10_000));
      removeByHand(world, fate, fate.pick(BY_HAND));
      await world.advance(45_000);
    }
    return { nodes: 5 };
  },
);

const BY_HAND = [
  { fault: 'podDeleted', resource: 'pods', prefix: 'demo-' },
  { fault: 'nodeDeleted', resource: NODES, prefix: 'demo-' },
  { fault: 'volumeDeleted', resource: CLAIMS, prefix: 'data-demo-' },
] as const;

function removeByHand(world: MemberWorld, fate: Fate, { fault, resource, prefix }: (typeof BY_HAND)[number]): void {
  const name = `${prefix}${fate.pick(world.nodeIds())}`;
  // At most one volume: deleting both homes of a key asks for its loss.
  if (fault === 'volumeDeleted' && fate.faults.has(fault)) return;
  if (world.kube.server.find(resource, { namespace: NAMESPACE, name }) === undefined) return;
  fate.count(fault);
  world.removeObject(resource, name);
}

const swapped = pastStory(
  'volume-swapped',
  'A volume claim is deleted and made again under its name while its member is down: nobody starts on the empty one.',
  4,
  {},
  async (world, fate, past) => {
    past.begin();
    await world.advance(fate.between(0, 30_000));
    const id = fate.whole(0, 3);
    const claim = world.claim(id);
    if (claim !== undefined) {
      fate.count('volumeSwapped');
      world.removeObject(CLAIMS, `data-demo-${id}`);
      if (world.pod(id) !== undefined) world.removeObject('pods', `demo-${id}`);
      await world.until(() => world.claim(id)?.metadata.uid !== claim.metadata.uid, 120_000, 'the claim is gone');
      const { name, namespace, labels } = claim.metadata;
      world.kube.transcript.add('user', `makes ${CLAIMS} ${name} again`);
      if (world.claim(id) === undefined)
        world.kube.server.create(CLAIMS, {
          metadata: { name, namespace: namespace ?? '', ...(labels === undefined ? {} : { labels }) },
          spec: {},
        });
    }
    return { nodes: 4 };
  },
);

const replaced = pastStory(
  'cluster-replaced',
  'A cluster is deleted and another one of its name is made at once: nothing of the new one goes with the old one.',
  3,
  {},
  async (world, fate, past) => {
    past.begin();
    await world.advance(fate.between(0, 30_000));
    const kept = world.kube.server.list(CLAIMS).map(({ metadata }) => metadata.uid);
    fate.count('clusterReplaced');
    world.removeObject(CLUSTERS, 'demo');
    await world.advance(fate.between(0, 20_000));
    await world.until(() => world.cluster() === undefined, 60_000, 'the old cluster is gone');
    world.apply({ nodes: 3 });
    const problem = (): string | undefined => {
      const left = new Set(world.kube.server.list(CLAIMS).map(({ metadata }) => metadata.uid));
      return kept.every((uid) => left.has(uid)) ? undefined : 'a kept volume is gone';
    };
    return { nodes: 3, problem };
  },
);

const retention = pastStory(
  'retention',
  'Volumes are to go with their cluster, then to outlive it, and it is deleted: they are there.',
  3,
  {},
  async (world, fate, past) => {
    past.begin();
    for (let n = 0; n < 3; n += 1) {
      await world.advance(fate.between(0, 20_000));
      world.edit({ volumeRetention: { whenDeleted: 'Delete' } });
      await world.advance(fate.between(0, 20_000));
      world.edit({ volumeRetention: { whenDeleted: 'Retain' } });
    }
    // Waits until an up-to-date operator reports the last write and has removed the owners: no operator could save
    // volumes of a cluster deleted before that.
    const isKnown = (): boolean => world.cluster()?.status?.observedGeneration === world.cluster()?.metadata.generation;
    const isFree = (): boolean =>
      world.kube.server.list(CLAIMS).every(({ metadata }) => metadata.ownerReferences === undefined);
    await world.until(() => isKnown() && isFree(), CATCH_UP_MS, 'volumes are let go');
    world.removeObject(CLUSTERS, 'demo');
    const problem = (): string | undefined =>
      world.claimNames().length >= 3 ? undefined : `${world.claimNames().length} of 3 volumes are there`;
    return { nodes: 0, problem };
  },
);

const oneInThePast = pastStory(
  'one-of-two',
  'Of two operators that both believe to be the only one, the first lives in the past: one node goes, once.',
  4,
  { volumeRetention: { whenScaled: 'Delete' } },
  async (world, fate, past) => {
    const first = world.operator.name;
    past.begin({ isConcerned: (process) => process === first });
    world.edit({ nodes: 3 });
    while (past.leftMs > 0) {
      fate.count('twoOperators');
      STRIKES.twoOperators(world, fate);
      await world.advance(fate.between(5_000, 40_000));
    }
    return { nodes: 3 };
  },
);

export const PAST_STORIES: readonly Scenario[] = [killed, calledOff, gap, swapped, replaced, retention, oneInThePast];
