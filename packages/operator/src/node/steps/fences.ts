// What the node controller reads live before a process begins or ends, or a node is released, and why: one row for each
// kind of step (docs/decisions/live-reads.md). A Pod's own version says nothing about the volume it will mount, or
// about whether its node may still go. The checks are in live-checks.ts.

import { REASONS } from '@marekvs/api';
import type { NodeStep } from '@marekvs/planner';
import { confirm, type FenceOutcome, type FenceRow, unfenced } from '../../pass/fence.ts';
import type { NodeScope } from '../observation/observe.ts';
import {
  claimIsTheOneHandedOver,
  clusterAsksForPassword,
  decisionIsUnchanged,
  hasOurFinalizer,
  hostIsOff,
  isClosing,
  type NodeLiveContext,
  nodeIsForeign,
  nodeMayHaveNewVolume,
  nodeStays,
  othersAreAsSeen,
  othersAreUnchanged,
  othersAreUp,
  parentIsGone,
  podIsGone,
  podIsToBeLetGo,
  podIsToBeTakenBack,
  setIsThere,
  targetNeverJoined,
  volumeIsItsOwn,
  volumeIsToChange,
  volumeStays,
} from './live-checks.ts';

/** The kinds of steps. Deleting a Pod and releasing a node are split by the reason, because the reads depend on it. */
export type FencedKind =
  | Exclude<NodeStep['kind'], 'deletePod' | 'releaseNode'>
  | 'deletePod'
  | 'deletePodThatEnded'
  | 'deletePodWithCluster'
  | 'restartPod'
  | 'restartPodRolled'
  | 'stopPod'
  | 'stopPodAlone'
  | 'releaseNode'
  | 'releaseNodeForeign'
  | 'releaseNodeHanded'
  | 'releaseNodeWithCluster';

/** Every kind of step has a row, which names its fences or says why it needs none. */
export const STEP_FENCES: Readonly<Record<FencedKind, FenceRow<NodeLiveContext, NodeStep>>> = {
  addFinalizer: unfenced('The patch carries the version of the node, and holds it rather than lets it go.'),
  createVolume: {
    rightBefore: [nodeMayHaveNewVolume],
    why: 'A volume made for a node that is gone stays behind, empty, under a used id.',
  },
  adoptVolume: {
    rightBefore: [claimIsTheOneHandedOver],
    why: 'Another claim of that name is an empty member under a used id. The patch carries the version read.',
  },
  adoptPod: unfenced(
    'The Pod is read live by the step itself, which adds to its owners. The patch carries the version just read.',
  ),
  letPodGo: {
    rightBefore: [podIsToBeLetGo, setIsThere],
    why: 'A Pod without an owner is kept by nothing: that a StatefulSet which does not restart it waits for it is read now.',
  },
  takePodBack: {
    rightBefore: [podIsToBeTakenBack],
    why: 'The StatefulSet may just be taking it, and then it is there. The Pod is read live by the step, which carries the version just read.',
  },
  attachVolume: unfenced(
    'The patch carries the version of the volume, and only takes times off that are written anew.',
  ),
  detachVolume: unfenced('The patch carries the version of the volume, and only adds the times of its last use.'),
  changeClaim: {
    rightBefore: [volumeIsToChange],
    why: 'A volume never gets smaller again: the live node says what it is to be. The patch carries the version of the claim.',
  },
  createPod: {
    rightBefore: [volumeIsItsOwn],
    why: 'A Pod mounts by name: on another claim it is another, empty member under a used id.',
  },
  deletePod: {
    rightBefore: [targetNeverJoined, decisionIsUnchanged, othersAreUnchanged],
    why: 'The UID of a Pod says nothing about whether its node may still go, or must still be started anew. Where it cannot run, the DELETE carries its version.',
  },
  deletePodThatEnded: {
    rightBefore: [targetNeverJoined],
    why: 'What has ended by itself stays so.',
  },
  deletePodWithCluster: {
    rightBefore: [parentIsGone],
    why: 'The only end of a process without a proof: that its very cluster is gone is read now.',
  },
  forgetPod: {
    rightBefore: [hostIsOff],
    why: 'Its process may run and write where nobody sees it: that its host is gone, or marked out of service, is read now.',
  },
  restartPod: {
    rightBefore: [nodeStays, volumeStays, othersAreUp],
    why: 'It rests on an absence: that the node is not to leave. It may be again, its process may be one that nobody has compared, or another may just have ended.',
  },
  restartPodRolled: {
    rightBefore: [decisionIsUnchanged, volumeStays, othersAreUp],
    why: 'The live cluster says whether it is its turn, and with which template; and another may just have ended.',
  },
  stopPod: {
    rightBefore: [decisionIsUnchanged, volumeStays],
    why: 'The live cluster says whether all members stop, which may have been taken back; and a claim that is being deleted goes with its Pod.',
  },
  stopPodAlone: {
    rightBefore: [decisionIsUnchanged, volumeStays, othersAreUp],
    why: 'The live cluster and node say whether it is to stop; its volume has to stay; and another may just have ended.',
  },
  labelPod: unfenced('The patch carries the version of the Pod, and labels are put right as easily.'),
  resizePod: {
    rightBefore: [decisionIsUnchanged],
    why: 'Whose turn it is and which resources are asked for, is the cluster’s to say. The patch carries the version of the Pod.',
  },
  noteResized: unfenced('It says what this very version of the Pod shows, and the patch carries that version.'),
  drain: unfenced(
    'It writes nothing to the API server: whether the member leaves is seen in its list, and it can be taken back.',
  ),
  notePassword: unfenced('The patch carries the version of the node, and one more password is tried at most.'),
  setPassword: {
    rightBefore: [clusterAsksForPassword],
    why: 'A paused cluster is left as it is, and so is a member that is to want something else by now. What the Secret has is read by the step itself, right before it is sent.',
  },
  confirmParent: unfenced('It is a live read itself.'),
  releaseNode: {
    rightBefore: [hasOurFinalizer, podIsGone, decisionIsUnchanged, othersAreAsSeen],
    why: 'With the node the garbage collector ends its Pod, and members that were never asked may still list it.',
  },
  releaseNodeHanded: {
    rightBefore: [hasOurFinalizer, podIsGone, isClosing],
    why: 'With the node the garbage collector ends a Pod of it: it has none, and that a StatefulSet has it was confirmed.',
  },
  releaseNodeWithCluster: {
    rightBefore: [hasOurFinalizer, podIsGone, parentIsGone],
    why: 'All of them go with their cluster, which is read live here: nobody is left to list it.',
  },
  releaseNodeForeign: {
    rightBefore: [hasOurFinalizer, podIsGone, nodeIsForeign],
    why: 'A copy that was deleted: the cluster that it names is not its own, and it has no Pod.',
  },
};

/** The fences of a step, right before its write. */
export function confirmStep(step: NodeStep, context: NodeLiveContext): Promise<FenceOutcome> {
  return confirm(STEP_FENCES[kindOf(step, context.scope)], context, step);
}

function kindOf(step: NodeStep, { observation }: NodeScope): FencedKind {
  if (step.kind === 'releaseNode') {
    if (observation.parent === 'gone') return 'releaseNodeWithCluster';
    if (observation.parent === 'foreign') return 'releaseNodeForeign';
    return observation.releasePhase === 'Closing' ? 'releaseNodeHanded' : 'releaseNode';
  }
  return step.kind === 'deletePod' ? (REASONS[step.why].podEnd ?? 'deletePod') : step.kind;
}
