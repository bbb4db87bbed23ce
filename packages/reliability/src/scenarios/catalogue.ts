// Every story by name, in the order in which they run.

import type { Scenario } from '../life/scenario.ts';
import {
  adopt,
  adoptAndGoOn,
  adoptAndGuard,
  adoptAsked,
  adoptLate,
  adoptStranger,
  adoptSwapped,
} from './adoption/adopting.ts';
import { RELEASE_STORIES } from './adoption/releasing.ts';
import { CONTENTS_STORIES } from './contents/contents.ts';
import { copiesLost, lateRepairs, repairsLost } from './contents/copies.ts';
import { LOSING_STORIES } from './contents/losing.ts';
import { OBSERVING_STORIES } from './contents/observing.ts';
import { HOST_STORIES } from './hosts/hosts.ts';
import { REPLACED_ON_DRAIN_STORIES } from './hosts/replaced-on-drain.ts';
import { TAINTED_HOST_STORIES } from './hosts/tainted-hosts.ts';
import { CONNECTED_STORIES } from './mixed/connected.ts';
import { mixed } from './mixed/mixed.ts';
import { FENCED_STORIES } from './operators/fenced.ts';
import { NAMESPACE_STORIES } from './operators/namespaces.ts';
import { killedAtEachPhase, staleCaches, twoOperators } from './operators/operators.ts';
import { SHARING_STORIES } from './operators/sharing.ts';
import { LOCKED_OUT_STORIES } from './passwords/locked-out.ts';
import { PASSWORD_MOVES } from './passwords/password-moves.ts';
import { PASSWORD_STORIES } from './passwords/passwords.ts';
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
} from './past/from-before.ts';
import { IN_THE_PAST } from './past/time-travel.ts';
import { PAST_STORIES } from './past/time-travel-stories.ts';
import { altered, ONE_ALTERED } from './removal/altered.ts';
import { CLOSED_DOOR_STORIES } from './removal/closed-door.ts';
import {
  backFromTheDead,
  deletedWithItsPod,
  forcedNoMore,
  joinedAfterAll,
  otherMark,
  silentAtTheEnd,
  twoLeaving,
  unstored,
} from './removal/departing.ts';
import { halfWay, inTheWay, ONE_IN_THE_WAY, toTheEnd } from './removal/in-the-way.ts';
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
} from './removal/proof-in-hand.ts';
import { byHand, byHandTwo, deadMember, forced, podDeleted, volumeDeleted } from './removal/replacing.ts';
import { SEALED_STORIES } from './removal/sealed.ts';
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
} from './removal/taken-back.ts';
import { cancel, cancelLate, clusterDeletedMidway, paused, rollback } from './removal/turning-back.ts';
import { halfGone, proofWrittenOver, toldTwice, volumesTornOut, volumeTornOut } from './removal/without-volumes.ts';
import { rolloutEvicted, rolloutOnlyHomes, rolloutRead } from './rolling/homes-in-turn.ts';
import { rolloutInLine } from './rolling/in-line.ts';
import { olderTakesOver } from './rolling/older-operator.ts';
import { RESIZING_STORIES } from './rolling/resizing.ts';
import { ROLLING_STORIES } from './rolling/rolling.ts';
import { SHARED_SETTINGS_STORIES } from './rolling/shared-settings.ts';
import { AUTOSCALING_STORIES } from './size/autoscaling.ts';
import { EACH_HOST_STORIES } from './size/each-host.ts';
import { frozenAtFirst, joinedAtLast, stuckAndDeleted, stuckJoining } from './size/joining.ts';
import { far, form, grow, shrink, shrinkReclaiming, shrinkUnderLoad } from './size/sizes.ts';
import { finalizerRemoved, grownAndShrunk, leftByHand, singleCopy } from './size/too-early.ts';
import { madeAgain } from './sleep/made-again.ts';
import { longOutage, outageForGood, outageUnwatched, shortOutage } from './sleep/outage.ts';
import { SLEEPING_STORIES } from './sleep/sleeping.ts';
import { SUSPENDED_STORIES } from './sleep/suspended.ts';
import { DRAINED_STORIES } from './strangers/drained.ts';
import { STRANGER_STORIES } from './strangers/strangers.ts';
import { unseenEnding, unseenEviction, unseenNode, unseenSecond } from './unseen/one-behind.ts';
import { lateDelete, unseenChange, unseenDeletion, unseenReturn } from './unseen/unseen.ts';
import { FILLING_STORIES } from './volumes/filling.ts';
import { FULL_DISK_STORIES } from './volumes/full-disks.ts';
import { GROWING_STORIES } from './volumes/growing.ts';

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
  ...SEALED_STORIES,
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
  ...TAINTED_HOST_STORIES,
  ...GROWING_STORIES,
  ...FILLING_STORIES,
  ...SHARED_SETTINGS_STORIES,
  ...PASSWORD_STORIES,
  ...LOCKED_OUT_STORIES,
  ...PASSWORD_MOVES,
  ...SLEEPING_STORIES,
  ...SUSPENDED_STORIES,
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
