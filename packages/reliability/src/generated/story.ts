// A plan as a scenario: the cluster begins, the steps run at their times, and the goal follows from the last wish.

import type { Fate, Fault } from '../fate/fate.ts';
import { isKept } from '../life/closing.ts';
import { type Goal, rested, type Scenario } from '../life/scenario.ts';
import { CLUSTERS } from '../world/cluster/world-view.ts';
import type { MemberWorld } from '../world/member-world.ts';
import { FAULT_HANDS } from './fault-hands.ts';
import { goalOf } from './goal.ts';
import { type Act, type ActKind, type Beginning, inOrder, type Plan } from './plan.ts';
import { createScene, type Scene } from './scene.ts';
import { create, type Hand, USER_HANDS } from './user-hands.ts';
import { FIRST_IMAGE, firstWish, GOOD_IMAGES, type Wish, wantedSize, wishAfter } from './wish.ts';

export const GENERATED = 'generated';
export const GENERATED_STORY =
  'Edits, deletions by hand and faults in any order, made up by fast-check: it ends at what was asked for last. Violations shrink.';

/** How each act is carried out, by its kind. */
export type Hands = { readonly [K in ActKind]: Hand<K> };

export const HANDS: Hands = { ...USER_HANDS, ...FAULT_HANDS };

export function storyOf(plan: Plan, hands: Hands = HANDS): Scenario {
  return {
    name: GENERATED,
    story: GENERATED_STORY,
    async run(world, fate) {
      world.restartMs = plan.first.restartMs;
      const isRiskReported = watchRisk(world);
      await begin(world, fate, plan.first);
      let wish = firstWish(plan.first);
      const scene = createScene(world, fate, () => wish);
      for (const { atMs, act } of inOrder(plan)) {
        await world.advance(Math.max(0, fate.beganAt.ms + atMs - world.nowMs));
        if (carryOut(hands, scene, act)) note(fate, act);
        else world.kube.transcript.add('plan', `${act.kind}: nothing to do it to`);
        wish = wishAfter(wish, act);
        isKept(world);
      }
      for (const act of ending(wish, plan)) {
        carryOut(hands, scene, act);
        wish = wishAfter(wish, act);
      }
      return { ...goalOf(world, wish, scene.keptVolumes), isRiskReported } satisfies Goal;
    },
  };
}

/** What a person does in the end, so that the cluster can get to what was asked for. What holds while it sleeps, is
 *  held up on purpose or has a template with which no member runs is judged by stories of their own. */
function ending({ isPaused, isHibernated, image }: Wish, { steps }: Plan): readonly Act[] {
  if (isPaused) return [];
  const isRolled = steps.some(({ act }) => act.kind === 'update' || act.kind === 'rollout');
  return [
    ...(isHibernated ? [{ kind: 'wake' } as const] : []),
    ...(GOOD_IMAGES.includes(image) ? [] : [{ kind: 'image', image: FIRST_IMAGE } as const]),
    ...(isRolled ? LET_GO : []),
  ];
}

const LET_GO: readonly Act[] = [
  { kind: 'update', type: 'RollingUpdate', canaryNodes: 0, rollbackOnFailure: true },
  { kind: 'rollout', order: 'resume' },
  { kind: 'rollout', order: 'retry' },
];

async function begin(world: MemberWorld, fate: Fate, first: Beginning): Promise<void> {
  const { nodes, replicationFactor, whenDeleted } = first;
  if (first.begins === 'rested') {
    await rested(world, fate, wantedSize(first), { nodes, replicationFactor, volumeRetention: { whenDeleted } });
    return;
  }
  fate.begin();
  create(world, first);
}

function carryOut<K extends ActKind>(hands: Hands, scene: Scene, act: Extract<Act, { readonly kind: K }>): boolean {
  // TypeScript cannot see that the hand of a kind takes just that kind.
  const hand = hands[act.kind] as Hand<K>;
  return hand(scene, act);
}

/** A node went, or is going, without proof: the cluster reports DataAtRisk, and the node's volume stays. */
function watchRisk(world: MemberWorld): () => boolean {
  let isReported = false;
  world.kube.server.onEvent(({ resource }) => {
    if (resource !== CLUSTERS) return;
    const basis = world.cluster()?.status?.operation?.basis;
    if (basis === 'Forced' || basis === 'Dead') isReported = true;
  });
  return () => isReported;
}

const FAULT_OF: Readonly<Partial<Record<ActKind, Fault>>> = {
  size: 'sizeEdited',
  pause: 'paused',
  deleteNode: 'nodeDeleted',
  deletePod: 'podDeleted',
  deleteClaim: 'volumeDeleted',
  deleteCluster: 'clusterDeleted',
  createCluster: 'clusterCreated',
  force: 'forced',
  clients: 'load',
  kill: 'memberKilled',
  freeze: 'memberFrozen',
  cut: 'networkCut',
  operatorKilled: 'operatorKilled',
  secondOperator: 'twoOperators',
  lag: 'watchLag',
};

function note(fate: Fate, act: Act): void {
  const fault = act.kind === 'metrics' ? METRICS_FAULT[act.how] : (FAULT_OF[act.kind] ?? 'edited');
  // Spoilt writes are counted when they fail.
  if (act.kind !== 'write') fate.count(fault);
}

const METRICS_FAULT = { hang: 'metricsHang', error: 'metricsError', garbage: 'metricsGarbage' } as const;
