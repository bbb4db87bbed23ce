// Every story by name, in the order in which they run.

import type { Scenario } from '../life/scenario.ts';
import { ADOPTING_STORIES } from './adoption/adopting.ts';
import { RELEASE_STORIES } from './adoption/releasing.ts';
import { CONTENTS_STORIES } from './contents/contents.ts';
import { COPY_STORIES } from './contents/copies.ts';
import { LOSING_STORIES } from './contents/losing.ts';
import { OBSERVING_STORIES } from './contents/observing.ts';
import { HOST_STORIES } from './hosts/hosts.ts';
import { REPLACED_ON_DRAIN_STORIES } from './hosts/replaced-on-drain.ts';
import { TAINTED_HOST_STORIES } from './hosts/tainted-hosts.ts';
import { CONNECTED_STORIES } from './mixed/connected.ts';
import { mixed } from './mixed/mixed.ts';
import { FENCED_STORIES } from './operators/fenced.ts';
import { NAMESPACE_STORIES } from './operators/namespaces.ts';
import { OPERATOR_STORIES } from './operators/operators.ts';
import { SHARING_STORIES } from './operators/sharing.ts';
import { LOCKED_OUT_STORIES } from './passwords/locked-out.ts';
import { PASSWORD_MOVES } from './passwords/password-moves.ts';
import { PASSWORD_STORIES } from './passwords/passwords.ts';
import { FROM_BEFORE_STORIES } from './past/from-before.ts';
import { IN_THE_PAST } from './past/time-travel.ts';
import { PAST_STORIES } from './past/time-travel-stories.ts';
import { altered, ONE_ALTERED } from './removal/altered.ts';
import { CLOSED_DOOR_STORIES } from './removal/closed-door.ts';
import { DEPARTING_STORIES } from './removal/departing.ts';
import { halfWay, inTheWay, ONE_IN_THE_WAY, toTheEnd } from './removal/in-the-way.ts';
import { PROOF_IN_HAND_STORIES } from './removal/proof-in-hand.ts';
import { byHand, byHandTwo, deadMember, forced, podDeleted, volumeDeleted } from './removal/replacing.ts';
import { SEALED_STORIES } from './removal/sealed.ts';
import { TAKEN_BACK_STORIES } from './removal/taken-back.ts';
import { TURNING_BACK_STORIES } from './removal/turning-back.ts';
import { WITHOUT_VOLUMES_STORIES } from './removal/without-volumes.ts';
import { HOMES_IN_TURN_STORIES } from './rolling/homes-in-turn.ts';
import { rolloutInLine } from './rolling/in-line.ts';
import { olderTakesOver } from './rolling/older-operator.ts';
import { RESIZING_STORIES } from './rolling/resizing.ts';
import { ROLLING_STORIES } from './rolling/rolling.ts';
import { SHARED_SETTINGS_STORIES } from './rolling/shared-settings.ts';
import { AUTOSCALING_STORIES } from './size/autoscaling.ts';
import { EACH_HOST_STORIES } from './size/each-host.ts';
import { JOINING_STORIES } from './size/joining.ts';
import { SIZE_STORIES } from './size/sizes.ts';
import { TOO_EARLY_STORIES } from './size/too-early.ts';
import { madeAgain } from './sleep/made-again.ts';
import { OUTAGE_STORIES } from './sleep/outage.ts';
import { SLEEPING_STORIES } from './sleep/sleeping.ts';
import { SUSPENDED_STORIES } from './sleep/suspended.ts';
import { DRAINED_STORIES } from './strangers/drained.ts';
import { STRANGER_STORIES } from './strangers/strangers.ts';
import { ONE_BEHIND_STORIES } from './unseen/one-behind.ts';
import { UNSEEN_STORIES } from './unseen/unseen.ts';
import { FILLING_STORIES } from './volumes/filling.ts';
import { FULL_DISK_STORIES } from './volumes/full-disks.ts';
import { GROWING_STORIES } from './volumes/growing.ts';

export const SCENARIOS: readonly Scenario[] = [
  ...SIZE_STORIES,
  ...TURNING_BACK_STORIES,
  ...TAKEN_BACK_STORIES,
  ...OUTAGE_STORIES,
  madeAgain,
  byHand,
  byHandTwo,
  podDeleted,
  volumeDeleted,
  ...WITHOUT_VOLUMES_STORIES,
  forced,
  deadMember,
  ...OPERATOR_STORIES,
  ...SHARING_STORIES,
  ...NAMESPACE_STORIES,
  ...STRANGER_STORIES,
  ...DRAINED_STORIES,
  ...UNSEEN_STORIES,
  ...FENCED_STORIES,
  ...ONE_BEHIND_STORIES,
  ...FROM_BEFORE_STORIES,
  ...TOO_EARLY_STORIES,
  ...PROOF_IN_HAND_STORIES,
  ...DEPARTING_STORIES,
  ...JOINING_STORIES,
  altered,
  ...COPY_STORIES,
  ...CONTENTS_STORIES,
  ...LOSING_STORIES,
  ...OBSERVING_STORIES,
  ...CLOSED_DOOR_STORIES,
  ...SEALED_STORIES,
  ...CONNECTED_STORIES,
  ...ROLLING_STORIES,
  ...FULL_DISK_STORIES,
  ...HOMES_IN_TURN_STORIES,
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
  ...ADOPTING_STORIES,
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

/** @throws RangeError when there is none of that name */
export function theScenario(name: string): Scenario {
  const found = findScenario(name);
  if (found === undefined) throw new RangeError(`no scenario ${name}`);
  return found;
}
