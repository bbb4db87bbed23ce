// Every mutant, in the order in which a removal meets the guards.

import { ADOPTION_MUTANTS } from './adoption/adoption.ts';
import { RELEASE_MUTANTS } from './adoption/releasing.ts';
import type { Mutant } from './edits/mutant.ts';
import { HOST_MUTANTS } from './hosts/hosts.ts';
import { REPLACED_ON_DRAIN_MUTANTS } from './hosts/replaced-on-drain.ts';
import { FENCE_MUTANTS } from './operators/fences.ts';
import { LIVE_MUTANTS } from './operators/live.ts';
import { NAMESPACE_MUTANTS } from './operators/namespaces.ts';
import { SHARING_MUTANTS } from './operators/sharing.ts';
import { PASSWORD_MUTANTS } from './passwords/passwords.ts';
import { AFTER_MUTANTS } from './removal/after.ts';
import { CONTENTS_MUTANTS } from './removal/contents.ts';
import { DELETING_MUTANTS } from './removal/deleting.ts';
import { DEPARTURE_MUTANTS } from './removal/departure.ts';
import { EVIDENCE_MUTANTS } from './removal/evidence.ts';
import { PREFLIGHT_MUTANTS } from './removal/preflight.ts';
import { PROOF_MUTANTS } from './removal/proof.ts';
import { SEALING_MUTANTS } from './removal/sealing.ts';
import { TAKEN_BACK_MUTANTS } from './removal/taken-back.ts';
import { RESIZING_MUTANTS } from './rolling/resizing.ts';
import { ROLLING_MUTANTS } from './rolling/rolling.ts';
import { AUTOSCALING_MUTANTS } from './size/autoscaling.ts';
import { EACH_HOST_MUTANTS } from './size/each-host.ts';
import { OUTAGE_MUTANTS } from './sleep/outage.ts';
import { SLEEPING_MUTANTS } from './sleep/sleeping.ts';
import { DRAINED_MUTANTS } from './strangers/drained.ts';
import { STRANGER_MUTANTS } from './strangers/strangers.ts';
import { GROWING_MUTANTS } from './volumes/growing.ts';
import { LOSING_MUTANTS } from './volumes/losing.ts';

export const MUTANTS: readonly Mutant[] = [
  ...PREFLIGHT_MUTANTS,
  ...EVIDENCE_MUTANTS,
  ...SEALING_MUTANTS,
  ...CONTENTS_MUTANTS,
  ...LIVE_MUTANTS,
  ...FENCE_MUTANTS,
  ...DELETING_MUTANTS,
  ...DEPARTURE_MUTANTS,
  ...PROOF_MUTANTS,
  ...AFTER_MUTANTS,
  ...TAKEN_BACK_MUTANTS,
  ...OUTAGE_MUTANTS,
  ...LOSING_MUTANTS,
  ...ADOPTION_MUTANTS,
  ...ROLLING_MUTANTS,
  ...SLEEPING_MUTANTS,
  ...AUTOSCALING_MUTANTS,
  ...RESIZING_MUTANTS,
  ...SHARING_MUTANTS,
  ...NAMESPACE_MUTANTS,
  ...STRANGER_MUTANTS,
  ...DRAINED_MUTANTS,
  ...HOST_MUTANTS,
  ...EACH_HOST_MUTANTS,
  ...REPLACED_ON_DRAIN_MUTANTS,
  ...GROWING_MUTANTS,
  ...PASSWORD_MUTANTS,
  ...RELEASE_MUTANTS,
];

const byName = new Map(MUTANTS.map((mutant) => [mutant.name, mutant]));

export function findMutant(name: string): Mutant | undefined {
  return byName.get(name);
}
