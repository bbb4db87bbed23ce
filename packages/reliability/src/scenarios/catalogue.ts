// Every story by its name, in the order they are told.

import { mixed } from './mixed.ts';
import { killedAtEachPhase, staleCaches, twoOperators } from './operators.ts';
import { byHand, byHandTwo, deadMember, forced, podDeleted, volumeDeleted } from './replacing.ts';
import type { Scenario } from './scenario.ts';
import { far, form, grow, shrink, shrinkReclaiming, shrinkUnderLoad } from './sizes.ts';
import { IN_THE_PAST } from './time-travel.ts';
import { PAST_STORIES } from './time-travel-stories.ts';
import { cancel, cancelLate, clusterDeletedMidway, paused, rollback } from './turning-back.ts';

export const SCENARIOS: readonly Scenario[] = [
  form,
  grow,
  shrink,
  shrinkReclaiming,
  shrinkUnderLoad,
  far,
  cancel,
  cancelLate,
  rollback,
  paused,
  clusterDeletedMidway,
  byHand,
  byHandTwo,
  podDeleted,
  volumeDeleted,
  forced,
  deadMember,
  killedAtEachPhase,
  twoOperators,
  staleCaches,
  mixed,
  ...IN_THE_PAST,
  ...PAST_STORIES,
];

export function findScenario(name: string): Scenario | undefined {
  return SCENARIOS.find((scenario) => scenario.name === name);
}
