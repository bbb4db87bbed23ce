// Every mutant, in the order in which a removal meets the guards.

import { ADOPTION_MUTANTS } from './adoption.ts';
import { AFTER_MUTANTS } from './after.ts';
import { AUTOSCALING_MUTANTS } from './autoscaling.ts';
import { CONTENTS_MUTANTS } from './contents.ts';
import { DEPARTURE_MUTANTS } from './departure.ts';
import { DRAINED_MUTANTS } from './drained.ts';
import { EACH_HOST_MUTANTS } from './each-host.ts';
import { EVIDENCE_MUTANTS } from './evidence.ts';
import { FENCE_MUTANTS } from './fences.ts';
import { GROWING_MUTANTS } from './growing.ts';
import { HOST_MUTANTS } from './hosts.ts';
import { LIVE_MUTANTS } from './live.ts';
import { LOSING_MUTANTS } from './losing.ts';
import type { Mutant } from './mutant.ts';
import { NAMESPACE_MUTANTS } from './namespaces.ts';
import { OUTAGE_MUTANTS } from './outage.ts';
import { PASSWORD_MUTANTS } from './passwords.ts';
import { PREFLIGHT_MUTANTS } from './preflight.ts';
import { PROOF_MUTANTS } from './proof.ts';
import { RELEASE_MUTANTS } from './releasing.ts';
import { REPLACED_ON_DRAIN_MUTANTS } from './replaced-on-drain.ts';
import { RESIZING_MUTANTS } from './resizing.ts';
import { ROLLING_MUTANTS } from './rolling.ts';
import { SEALING_MUTANTS } from './sealing.ts';
import { SHARING_MUTANTS } from './sharing.ts';
import { SLEEPING_MUTANTS } from './sleeping.ts';
import { STRANGER_MUTANTS } from './strangers.ts';
import { TAKEN_BACK_MUTANTS } from './taken-back.ts';

export const MUTANTS: readonly Mutant[] = [
  ...PREFLIGHT_MUTANTS,
  ...EVIDENCE_MUTANTS,
  ...SEALING_MUTANTS,
  ...CONTENTS_MUTANTS,
  ...LIVE_MUTANTS,
  ...FENCE_MUTANTS,
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
