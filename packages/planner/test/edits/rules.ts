// What must never happen, whatever is edited and whatever fails: checked on every plan of a sequence of edits before
// its steps are carried out, by what is true in its world, and not by what the plan believes.

import {
  type ClusterObservation,
  type ClusterPlan,
  type ClusterStep,
  isUpdated,
  type NodeObservation,
  type NodePlan,
  type NodeRecord,
  needsReplacement,
  runningRevision,
} from '../../src/index.ts';
import type { EditedCluster } from './edited-cluster.ts';
import { isActive } from './pods.ts';

const DISRUPTIVE: ReadonlySet<ClusterStep['kind']> = new Set([
  'isolate',
  'sealNode',
  'restartNode',
  'resizeNode',
  'deleteNode',
  'stopNode',
]);

/** A comparison that cannot end keeps nobody drained for ever: so long one that is taken back, or goes back, waits. */
const PATIENCE_MS = { Cancelling: 120_000, RollingBack: 30_000 };
/** What was compared counts for so long. */
const FRESH_MS = 15_000;

export function checkPlan(world: EditedCluster, o: ClusterObservation, plan: ClusterPlan): void {
  const disruptive = plan.steps.filter(({ kind }) => DISRUPTIVE.has(kind));
  if (disruptive.length > 1) fail(world, `${disruptive.length} disruptive steps in one plan`);
  const leaving = o.nodes.filter((node) => node.removalMark !== undefined || node.intent !== 'Active');
  if (disruptive.some((step) => step.kind === 'isolate' && leaving.some(({ uid }) => uid !== step.node.uid)))
    fail(world, `a second one is told to leave beside ${leaving.map(({ name }) => name).join()}`);
  checkClaim(world, o, plan);
  for (const step of plan.steps) {
    checkStamp(world, o, step);
    if (step.kind === 'restartNode' || step.kind === 'sealNode') checkPermit(world, o, step.node);
    if (step.kind === 'deleteNode') checkDoor(world, step.node);
    if (step.kind === 'reinstate') checkComeback(world, o, step.node);
    if (step.kind === 'dropRevision') checkDrop(world, o, step.revision.hash);
  }
}

/** A turn for the template begins only when nobody wants it to wait. */
function checkClaim(world: EditedCluster, o: ClusterObservation, { removal: { operation } }: ClusterPlan): void {
  if (operation?.type !== 'Roll' || operation.id === world.operation?.id || operation.roll?.cause !== undefined) return;
  const { wish, rollout, templateHash } = world;
  const staying = o.nodes.filter((node) => !needsReplacement(node));
  const has = staying.filter((node) => isUpdated(node, templateHash)).length;
  const isAtCanaries = wish.canaryNodes > 0 && has >= wish.canaryNodes && rollout.approved !== templateHash;
  const forbidden = [
    wish.isPaused && 'the cluster is paused',
    rollout.isPaused && 'the update is paused',
    wish.isOnDelete && 'Pods are deleted by hand',
    isStopped(world) && 'the update has stopped',
    isAtCanaries && `${has} canaries have it, and nobody has approved it`,
  ].find((why) => why !== false);
  if (forbidden !== undefined) fail(world, `a turn of ${operation.roll?.name} begins although ${forbidden}`);
}

function isStopped({ update, rollout, templateHash }: EditedCluster): boolean {
  const isRetried = rollout.retry !== undefined && rollout.retry !== update?.retried;
  return update?.stopped !== undefined && update.revision === templateHash && !isRetried;
}

/** As long as it is known what all had before. */
function checkStamp(world: EditedCluster, o: ClusterObservation, step: ClusterStep): void {
  const isMade = step.kind === 'createNode' && step.revision === undefined;
  const isGiven = isMade || ('revision' in step && step.revision === world.templateHash);
  if (!isStopped(world) || !isGiven) return;
  const previous = world.update?.previous;
  if (previous === undefined || !o.revisions.some(({ hash }) => hash === previous)) return;
  fail(world, `${step.kind} with revision ${world.templateHash}, which has stopped`);
}

/** Whoever was told to leave for its turn is let go when all others are there, and have what it has. */
function checkPermit(world: EditedCluster, o: ClusterObservation, node: NodeRecord): void {
  const phase = world.operation?.phase;
  if (node.intent !== 'Leaving' || phase === 'RollingBack') return;
  for (const other of stayingBeside(world, o.nodes, node)) {
    if (other.answer.kind !== 'serving') fail(world, `${node.name} may restart while ${other.name} does not answer`);
    checkPresent(world, node, other, false);
  }
  const { comparison, monotonicMs } = world;
  const isCompared =
    comparison?.request.sources.includes(node.id) === true &&
    monotonicMs - (comparison.coveredMs ?? Number.NEGATIVE_INFINITY) <= FRESH_MS;
  if (!isCompared) fail(world, `${node.name} may restart, and nobody has compared what it has`);
}

/** Clients may write to it until its process ends, and only its volume has that. */
function checkDoor(world: EditedCluster, node: NodeRecord): void {
  const { operation } = world;
  const hasPlace = node.volume !== undefined && !node.volume.isTerminating;
  const isByProof = operation?.target?.uid === node.uid && (operation.basis ?? 'Proof') === 'Proof';
  if (isByProof && hasPlace && node.pod?.isSealed !== true) fail(world, `${node.name} goes with its door open`);
}

/** One that was told to leave is restarted when it is to stay. Nothing keeps a Pod that is ending already. */
function checkComeback(world: EditedCluster, o: ClusterObservation, node: NodeRecord): void {
  const life = world.pods.get(node.id)?.life;
  if (world.operation?.phase !== 'Cancelling' || node.pod?.isLeaving !== true || !isActive(life, world.nowMs)) return;
  if (node.pod.isTerminating) return;
  if (isPatienceOver(world)) return;
  for (const other of stayingBeside(world, o.nodes, node)) checkPresent(world, node, other, false);
}

function checkDrop(world: EditedCluster, { nodes }: ClusterObservation, hash: string): void {
  const { templateHash, update, operation } = world;
  const used = [templateHash, update?.revision, update?.previous, operation?.roll?.previous];
  const isUsed =
    used.includes(hash) || nodes.some((node) => node.templateHash === hash || runningRevision(node) === hash);
  if (isUsed) fail(world, `revision ${hash} is dropped, and is in use`);
}

/** Before a process is ended by the operator. */
export function checkNodePlan(world: EditedCluster, { node, siblings }: NodeObservation, { step }: NodePlan): void {
  const life = world.pods.get(node.id)?.life;
  if (step?.kind !== 'deletePod' || !world.isFormed || !isActive(life, world.nowMs)) return;
  if (step.why === 'MemberLeaving') checkDoor(world, node);
  // Of one that is taken back that was decided when its node was to stay again.
  // One that goes back, or is held out, without having been let in is restarted at once: its volume has what it has.
  const mayLack = step.why === 'CancelledByUser' || !step.pod.isLeaving || isPatienceOver(world);
  for (const other of stayingBeside(world, siblings, node)) checkPresent(world, node, other, mayLack);
}

function isPatienceOver({ operation, timeline = [], nowMs }: EditedCluster): boolean {
  const phase = operation?.phase;
  if (phase !== 'Cancelling' && phase !== 'RollingBack') return false;
  const sinceMs = Date.parse(timeline.findLast((entry) => entry.phase === phase)?.at ?? '');
  return nowMs - sinceMs >= PATIENCE_MS[phase];
}

/** Members that stay, and hold data. One that is made again on a kept volume counts once it has joined: what was on the
 *  volume was proven to be elsewhere. */
function stayingBeside(world: EditedCluster, all: readonly NodeRecord[], { uid }: NodeRecord): readonly NodeRecord[] {
  const isMember = (other: NodeRecord): boolean => world.holds(other.id) && (other.serving || other.wasActive);
  return all.filter((other) => other.uid !== uid && !needsReplacement(other) && isMember(other));
}

function checkPresent(world: EditedCluster, node: NodeRecord, other: NodeRecord, mayLack: boolean): void {
  const state = world.pods.get(other.id);
  const life = state?.life;
  if (!isActive(life, world.nowMs)) fail(world, `${node.name} is restarted while ${other.name} is away`);
  if (state?.endsAtMs !== undefined) fail(world, `${node.name} is restarted while ${other.name} is ending`);
  // What was written while it was away, the one that goes has only if it was there.
  const wasThere = (world.pods.get(node.id)?.life?.activeAtMs ?? 0) < (life?.bornMs ?? 0);
  if (life?.lacks === true && wasThere && !mayLack)
    fail(world, `${node.name} is restarted while ${other.name} lacks records`);
}

/** With how it came to that. */
export function fail(world: EditedCluster, what: string): never {
  throw new Error([what, ...world.said.slice(-60)].join('\n'));
}
