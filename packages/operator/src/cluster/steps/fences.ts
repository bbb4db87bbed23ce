// What the cluster controller reads live before it does something, and why. There is a row for each kind of step, and
// for each change of an operation's record (docs/decisions/live-reads.md). When a fence does not hold, its step or
// change is left to the next pass. The checks are in live-checks.ts.

import { confirm, type FenceOutcome, type FenceRow, unfenced } from '../../pass/fence.ts';
import type { RecordChange, RecordChangeOf, StepKind, StepOf } from './fence-subjects.ts';
import {
  allThatStopAreKnown,
  clusterIsUnchanged,
  clusterIsUnclaimed,
  hostIsLetInAgain,
  hostIsStillDrained,
  hostIsStillLost,
  lostVolumesAreLost,
  nodesAreTheSame,
  nodeThatStaysIsAsSeen,
  noNodeHasItsId,
  noPodMayMountIt,
  openPodIsAsSeen,
  othersAreUnchanged,
  podIsAsSeen,
  podIsInOtherHands,
  podsAreTakenBack,
  removalIsDeleting,
  replacedVolumeIsLost,
  setHasAllPods,
  targetIsMarked,
  targetIsWhereThePhaseSays,
  targetVolumeIsGone,
  toldPodIsAsSeen,
  volumeIsTheSame,
  volumesAreUnchanged,
} from './live-checks.ts';
import type { LiveContext } from './live-context.ts';

/** Every kind of step has a row, which names its fences or says why it needs none. */
export const STEP_FENCES: { readonly [K in StepKind]: FenceRow<LiveContext, StepOf<K>> } = {
  createNode: {
    oncePerPass: [clusterIsUnchanged, nodesAreTheSame, volumesAreUnchanged],
    rightBefore: [replacedVolumeIsLost],
    why: 'An absence has no version: what the cache does not show would be made twice, or under a used id.',
  },
  setServing: unfenced('The patch carries the version of the node, and a Service is changed back as easily.'),
  setSeeds: onThisCluster(
    'New seeds restart a member while its cluster is not formed: the version of the node does not tell.',
  ),
  isolate: onThisCluster(
    'It marks a node for the operation of the record: the version of the node does not say that it ended.',
  ),
  sealNode: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [openPodIsAsSeen],
    why: 'The permit to end a process: the live cluster says whether the removal is as far. What its next Pod has to run is read from the live one.',
  },
  reinstate: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [toldPodIsAsSeen],
    why: 'It takes a mark off because no operation is on the node: one may have begun since. And a removal is over once its Pod was not told to leave, or runs anew: a cache that does not show that it was told has let nobody compare what it has.',
  },
  markHostLost: {
    oncePerPass: [clusterIsUnchanged, nodesAreTheSame],
    rightBefore: [hostIsStillLost],
    why: 'That a host is lost rests on an absence: it may be back, or another node may just be going.',
  },
  unmarkHostLost: onThisCluster('It takes the mark off because no removal is on the node: one may have begun since.'),
  markHostDrained: {
    oncePerPass: [clusterIsUnchanged, nodesAreTheSame],
    rightBefore: [hostIsStillDrained],
    why: 'It makes a node and gives one up: the host may be let in again, or another node may just be going.',
  },
  unmarkHostDrained: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [hostIsLetInAgain],
    why: 'That nobody drains a host rests on an absence: it may be gone, and its member with it.',
  },
  stampNode: onThisCluster('The template is made of the spec: that of an earlier one would end members.'),
  stampPassword: onThisCluster(
    'The live cluster says which Secret is asked for. The patch carries the version of the node.',
  ),
  forgetPasswords: unfenced(
    'The patch carries the version of the node: whoever notes another one before a member is told changes that.',
  ),
  restartNode: onThisCluster(
    'The permit to end a process: the live cluster says which template, and whether its turn goes on.',
  ),
  resizeNode: onThisCluster(
    'The permit to resize a running Pod: the live cluster says whether only resources differ, and whose turn it is.',
  ),
  endRestart: onThisCluster(
    'It takes the mark of a turn off: the version of the node does not say that the turn is as far.',
  ),
  stopNode: onThisCluster(
    'The permit to end a process and to make none: the live cluster says whether its members are to stop.',
  ),
  resumeNode: onThisCluster(
    'A process begins, on a volume that somebody may be using: the live cluster says whether it may.',
  ),
  startNode: onThisCluster(
    'A process begins: the live cluster says whether it may, and whether it was not away for too long.',
  ),
  storeRevision: unfenced('A revision is named after what it holds: the same one is stored once.'),
  dropRevision: onThisCluster(
    'It may be what an update goes back to. The DELETE carries the version it was decided on.',
  ),
  protectNode: unfenced(
    'The patch carries the version of the node, and the label follows the spec again in the next pass.',
  ),
  deleteNode: {
    rightBefore: [targetIsMarked, removalIsDeleting, nodesAreTheSame, lostVolumesAreLost, othersAreUnchanged],
    why: 'The point of no return. The DELETE carries the version just read, and is refused for a node taken back.',
  },
  setStorage: onThisCluster('A volume never gets smaller again: the live cluster says whether a larger one is wanted.'),
  handChild: onThisCluster(
    'The live cluster says whether the Pods change hands. The patch carries the version it was decided on.',
  ),
  dropNode: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [podIsInOtherHands],
    why: 'With the node the garbage collector would end a Pod of it. The DELETE carries the version it was decided on.',
  },
  ownVolume: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [volumeIsTheSame],
    why: 'It says whether the volume goes with its cluster. The patch replaces all owners: they are read.',
  },
  protectVolume: unfenced(
    'The patch carries the version of the volume, and the label follows the spec again in the next pass.',
  ),
  rememberId: unfenced('The patch carries the version of the volume, and an id that was used stays used.'),
  deleteVolume: {
    oncePerPass: [clusterIsUnchanged],
    rightBefore: [noNodeHasItsId, noPodMayMountIt],
    why: 'The only copy of some records could be on it. The DELETE carries the version it was decided on.',
  },
};

/** Every write of the status carries the version of the cluster that was decided on or, for a claim, that its fence has
 *  just read. */
export const RECORD_CHANGE_FENCES: {
  readonly [K in RecordChange['kind']]: FenceRow<LiveContext, RecordChangeOf<K>>;
} = {
  end: {
    rightBefore: [nodesAreTheSame, targetVolumeIsGone, nodeThatStaysIsAsSeen],
    why: 'An end mostly rests on an absence: one that only a cache shows would give up a removal under way. That of a resize says which resources a Pod has: the live node may let it have others. And a target that stays may have been told to leave: after the end it would be restarted without a comparison.',
  },
  phase: {
    rightBefore: [targetIsWhereThePhaseSays, allThatStopAreKnown],
    why: 'What follows once the target counts as gone, such as the end of its volume, cannot be taken back. And a member that only a cache does not show would run on while the others stop, or stay while they start.',
  },
  claim: {
    rightBefore: [clusterIsUnclaimed, nodesAreTheSame, lostVolumesAreLost],
    why: 'Which node is one too many rests on all the others, and on volumes that only a cache may call lost.',
  },
  release: {
    rightBefore: [nodesAreTheSame, setHasAllPods, podsAreTakenBack],
    why: 'The StatefulSet having every Pod, no node being left, and every Pod being ours again: caches may be stale.',
  },
  stop: {
    rightBefore: [podIsAsSeen],
    why: 'A Pod that cannot run is known from what its host has reported: a stale cache does not show one that runs by now.',
  },
  news: unfenced('It changes no phase: what it reports is reported again by the next pass.'),
};

/** The fences of one kind of step, right before its write. */
export function confirmStep<K extends StepKind>(
  kind: K,
  step: { readonly [Each in StepKind]: StepOf<Each> }[K],
  context: LiveContext,
): Promise<FenceOutcome> {
  return confirm(STEP_FENCES[kind], context, step);
}

/** The fences of one change of the record, right before its write. */
export function confirmRecordChange<K extends RecordChange['kind']>(
  kind: K,
  change: { readonly [Each in RecordChange['kind']]: RecordChangeOf<Each> }[K],
  context: LiveContext,
): Promise<FenceOutcome> {
  return confirm(RECORD_CHANGE_FENCES[kind], context, change);
}

/** For steps that a changed spec, or a later record of the operation, makes wrong, which the version of their own
 *  object does not show. */
function onThisCluster(why: string): FenceRow<LiveContext> {
  return { oncePerPass: [clusterIsUnchanged], why };
}
