// One sequence of edits from its first plan to rest.

import {
  type ClusterObservation,
  type ClusterPlan,
  type Hold,
  isActiveMember,
  isUpdated,
  planCluster,
  planNode,
} from '../../src/index.ts';
import { EditedCluster } from './edited-cluster.ts';
import { make, type Sequence } from './edits.ts';
import { checkNodePlan, checkPlan, fail } from './rules.ts';
import { carryOut, carryOutNode } from './steps.ts';
import { fateOf } from './templates.ts';

/** Passes come about so often while something is under way, and so often when it takes its time. */
const ROUND_MS = 1_500;
const LONG_ROUND_MS = 15_000;
/** Ten minutes closely, then an hour and a half. */
const ROUNDS = 400;
const LONG_ROUNDS = 400;
/** Nothing is done for so many rounds. */
const STILL = 4;

interface Seen {
  readonly o: ClusterObservation;
  readonly plan: ClusterPlan;
  readonly holds: readonly Hold[];
  readonly hasActed: boolean;
}

/** @throws Error with what must not happen and the lines before it
 *  @returns the world as it is in the end */
export function live({ nodes, isFormed, edits, tape }: Sequence): EditedCluster {
  const world = new EditedCluster(tape, nodes);
  if (isFormed) world.settle(nodes);
  for (const edit of edits) {
    const seconds = make(world, edit);
    for (let ms = 0; ms < seconds * 1_000; ms += ROUND_MS) pass(world, ROUND_MS);
    if (seconds === 0) pass(world, 0);
  }
  world.say('left alone');
  let still = 0;
  let last: Seen | undefined;
  for (let round = 0; round < ROUNDS + LONG_ROUNDS && still < STILL; round += 1) {
    last = pass(world, round < ROUNDS ? ROUND_MS : LONG_ROUND_MS);
    still = isAtRest(world, last) ? still + 1 : 0;
  }
  if (still < STILL) fail(world, `it does not come to rest: ${textOf(last)}`);
  return world;
}

function pass(world: EditedCluster, ms: number): Seen {
  world.advance(ms);
  const o = world.observe();
  const plan = planCluster(o);
  checkPlan(world, o, plan);
  carryOut(world, plan);
  const holds = [...plan.holds];
  let hasActed = plan.steps.length > 0 || plan.removal.isUrgent;
  for (const id of world.shuffled([...world.nodes.keys()])) {
    const seen = world.observe();
    const node = seen.nodes.find((one) => one.id === id);
    if (node === undefined) continue;
    const of = world.observeNode(seen, node);
    const own = planNode(of);
    checkNodePlan(world, of, own);
    carryOutNode(world, node, own);
    if (own.hold !== undefined) holds.push(own.hold);
    hasActed ||= own.step !== undefined;
  }
  return { o, plan, holds, hasActed };
}

/** As the spec says, or a person is told what keeps it; and nothing is done. */
function isAtRest(world: EditedCluster, { o, plan, holds, hasActed }: Seen): boolean {
  if (hasActed) return false;
  const isOfPerson =
    plan.resting !== undefined ||
    world.wish.isPaused ||
    holds.some(isWord) ||
    isJoiningAsAsked(world) ||
    isSplitByHand(world, plan);
  return isAsAsked(world, o) || isOfPerson;
}

/** How long copying takes cannot be known (docs/decisions/members-without-proof.md). With a
 *  template with which no member ever joins, the operator waits for the new one until another template is asked for. */
function isJoiningAsAsked({ pods, nodes, templateHash }: EditedCluster): boolean {
  return [...nodes.values()].some(
    (node) =>
      !node.wasActive &&
      node.templateHash === templateHash &&
      pods.get(node.id)?.life?.activeAtMs === Number.POSITIVE_INFINITY,
  );
}

/** Somebody has started a member with a version that the others do not understand, by deleting its Pod, or has deleted
 *  its node: no turn has found that out, and nobody is restarted or removed while the mesh is not whole. */
function isSplitByHand({ pods, nodes }: EditedCluster, { turnWaits, removal, holds }: ClusterPlan): boolean {
  const isApart = [...pods.values()].some(({ id, templateHash }) => {
    const node = nodes.get(id);
    return fateOf(templateHash) === 'otherMesh' && (node?.serving === true || node?.isDeleting === true);
  });
  const reasons = [turnWaits, removal.waits, ...holds].map((one) => one?.reason);
  return isApart && (reasons.includes('MeshIncomplete') || reasons.includes('WaitingForReplacement'));
}

/** A template with which nobody joins forms no cluster: that is said, and tried for ever. */
function isWord({ needsPerson, reason }: Hold): boolean {
  return needsPerson || reason === 'FormingTimedOut';
}

function isAsAsked(world: EditedCluster, o: ClusterObservation): boolean {
  const isUp = o.nodes.every(
    (node) => node.serving && isActiveMember(node) && isUpdated(node, world.templateHash) && !node.isDeleting,
  );
  return (
    world.isFormed &&
    world.operation === undefined &&
    isUp &&
    o.nodes.length === Math.max(3, world.wish.nodes) &&
    world.verification?.state === 'Covered'
  );
}

function textOf(seen: Seen | undefined): string {
  if (seen === undefined) return '';
  const { plan, holds } = seen;
  const { operation, waits } = plan.removal;
  return JSON.stringify({
    operation,
    waits,
    holds,
    turnWaits: plan.turnWaits,
    steps: plan.steps.map(({ kind }) => kind),
  });
}
