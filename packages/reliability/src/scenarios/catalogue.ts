// Every story by name, in the order in which they run.

import { adopt, adoptAndGoOn, adoptAndGuard, adoptAsked, adoptLate, adoptStranger, adoptSwapped } from './adopting.ts';
import { altered, ONE_ALTERED } from './altered.ts';
import { AUTOSCALING_STORIES } from './autoscaling.ts';
import { CLOSED_DOOR_STORIES } from './closed-door.ts';
import { CONNECTED_STORIES } from './connected.ts';
import { CONTENTS_STORIES } from './contents.ts';
import { copiesLost, lateRepairs, repairsLost } from './copies.ts';
import {
  backFromTheDead,
  deletedWithItsPod,
  forcedNoMore,
  joinedAfterAll,
  otherMark,
  silentAtTheEnd,
  twoLeaving,
  unstored,
} from './departing.ts';
import { DRAINED_STORIES } from './drained.ts';
import { EACH_HOST_STORIES } from './each-host.ts';
import { FENCED_STORIES } from './fenced.ts';
import {
  unseenAddress,
  unseenBeginning,
  unseenClaims,
  unseenPod,
  unseenReclaiming,
  unseenRemoval,
  unseenSize,
  unseenStart,
  unseenTarget,
  unseenTemplate,
} from './from-before.ts';
import { FULL_DISK_STORIES } from './full-disks.ts';
import { GROWING_STORIES } from './growing.ts';
import { rolloutEvicted, rolloutOnlyHomes, rolloutRead } from './homes-in-turn.ts';
import { HOST_STORIES } from './hosts.ts';
import { rolloutInLine } from './in-line.ts';
import { halfWay, inTheWay, ONE_IN_THE_WAY, toTheEnd } from './in-the-way.ts';
import { frozenAtFirst, joinedAtLast, stuckAndDeleted, stuckJoining } from './joining.ts';
import { LOSING_STORIES } from './losing.ts';
import { madeAgain } from './made-again.ts';
import { mixed } from './mixed.ts';
import { NAMESPACE_STORIES } from './namespaces.ts';
import { OBSERVING_STORIES } from './observing.ts';
import { olderTakesOver } from './older-operator.ts';
import { unseenEnding, unseenEviction, unseenNode, unseenSecond } from './one-behind.ts';
import { killedAtEachPhase, staleCaches, twoOperators } from './operators.ts';
import { longOutage, outageForGood, outageUnwatched, shortOutage } from './outage.ts';
import { PASSWORD_MOVES } from './password-moves.ts';
import { PASSWORD_STORIES } from './passwords.ts';
import {
  deadTwo,
  forcedAndDeleted,
  killedAfterDelete,
  killedBeforeDelete,
  lastGossip,
  lastMoment,
  longGone,
  otherClockAfter,
  otherClockBefore,
  pausedWithProof,
  podDeletedBeforeDelete,
  stuckList,
  unsaid,
} from './proof-in-hand.ts';
import { RELEASE_STORIES } from './releasing.ts';
import { REPLACED_ON_DRAIN_STORIES } from './replaced-on-drain.ts';
import { byHand, byHandTwo, deadMember, forced, podDeleted, volumeDeleted } from './replacing.ts';
import { RESIZING_STORIES } from './resizing.ts';
import { ROLLING_STORIES } from './rolling.ts';
import type { Scenario } from './scenario.ts';
import { SHARED_SETTINGS_STORIES } from './shared-settings.ts';
import { SHARING_STORIES } from './sharing.ts';
import { far, form, grow, shrink, shrinkReclaiming, shrinkUnderLoad } from './sizes.ts';
import { SLEEPING_STORIES } from './sleeping.ts';
import { STRANGER_STORIES } from './strangers.ts';
import {
  cancelBeforeHeard,
  cancelBeforeKnown,
  cancelBesideCrashed,
  cancelBesideDeleted,
  cancelBesidePod,
  cancelBesideRecreated,
  cancelBesideUnseen,
  cancelBesideVolume,
  cancelWithNewPod,
} from './taken-back.ts';
import { IN_THE_PAST } from './time-travel.ts';
import { PAST_STORIES } from './time-travel-stories.ts';
import { finalizerRemoved, grownAndShrunk, leftByHand, singleCopy } from './too-early.ts';
import { cancel, cancelLate, clusterDeletedMidway, paused, rollback } from './turning-back.ts';
import { lateDelete, unseenChange, unseenDeletion, unseenReturn } from './unseen.ts';
import { halfGone, proofWrittenOver, toldTwice, volumesTornOut, volumeTornOut } from './without-volumes.ts';

export const SCENARIOS: readonly Scenario[] = [
  form,
  grow,
  shrink,
  shrinkReclaiming,
  shrinkUnderLoad,
  far,
  cancel,
  cancelLate,
  cancelBesidePod,
  cancelBesideUnseen,
  cancelBesideVolume,
  cancelBesideDeleted,
  cancelBesideCrashed,
  cancelBesideRecreated,
  cancelWithNewPod,
  cancelBeforeHeard,
  cancelBeforeKnown,
  longOutage,
  shortOutage,
  outageUnwatched,
  outageForGood,
  rollback,
  paused,
  clusterDeletedMidway,
  madeAgain,
  byHand,
  byHandTwo,
  podDeleted,
  volumeDeleted,
  volumeTornOut,
  volumesTornOut,
  halfGone,
  toldTwice,
  proofWrittenOver,
  forced,
  deadMember,
  killedAtEachPhase,
  twoOperators,
  ...SHARING_STORIES,
  ...NAMESPACE_STORIES,
  ...STRANGER_STORIES,
  ...DRAINED_STORIES,
  staleCaches,
  unseenDeletion,
  unseenChange,
  unseenReturn,
  lateDelete,
  ...FENCED_STORIES,
  unseenNode,
  unseenSecond,
  unseenEnding,
  unseenEviction,
  unseenTemplate,
  unseenPod,
  unseenAddress,
  unseenTarget,
  unseenRemoval,
  unseenBeginning,
  unseenClaims,
  unseenReclaiming,
  unseenSize,
  unseenStart,
  singleCopy,
  grownAndShrunk,
  finalizerRemoved,
  leftByHand,
  killedBeforeDelete,
  killedAfterDelete,
  podDeletedBeforeDelete,
  lastMoment,
  longGone,
  otherClockAfter,
  otherClockBefore,
  pausedWithProof,
  unsaid,
  silentAtTheEnd,
  unstored,
  otherMark,
  forcedNoMore,
  forcedAndDeleted,
  stuckList,
  lastGossip,
  deadTwo,
  backFromTheDead,
  joinedAfterAll,
  deletedWithItsPod,
  twoLeaving,
  stuckJoining,
  stuckAndDeleted,
  joinedAtLast,
  frozenAtFirst,
  altered,
  repairsLost,
  lateRepairs,
  copiesLost,
  ...CONTENTS_STORIES,
  ...LOSING_STORIES,
  ...OBSERVING_STORIES,
  ...CLOSED_DOOR_STORIES,
  ...CONNECTED_STORIES,
  ...ROLLING_STORIES,
  ...FULL_DISK_STORIES,
  rolloutRead,
  rolloutOnlyHomes,
  rolloutEvicted,
  rolloutInLine,
  ...AUTOSCALING_STORIES,
  ...RESIZING_STORIES,
  ...HOST_STORIES,
  ...EACH_HOST_STORIES,
  ...REPLACED_ON_DRAIN_STORIES,
  ...GROWING_STORIES,
  ...SHARED_SETTINGS_STORIES,
  ...PASSWORD_STORIES,
  ...PASSWORD_MOVES,
  ...SLEEPING_STORIES,
  olderTakesOver,
  inTheWay,
  halfWay,
  toTheEnd,
  adopt,
  adoptAndGoOn,
  adoptAndGuard,
  adoptLate,
  adoptAsked,
  adoptSwapped,
  adoptStranger,
  ...RELEASE_STORIES,
  mixed,
  ...IN_THE_PAST,
  ...PAST_STORIES,
];

/** Single cases of scenarios that otherwise pick one at random. */
export const PARTS: readonly Scenario[] = [...ONE_IN_THE_WAY, ...ONE_ALTERED];

export function findScenario(name: string): Scenario | undefined {
  return [...SCENARIOS, ...PARTS].find((scenario) => scenario.name === name);
}
