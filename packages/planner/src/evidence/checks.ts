// The form of what a proof is made of: named checks with what was seen, and a sentence for a person when one did not
// pass. What each check means is documented where it is made.

import type { Hold } from '../values/hold.ts';

export type CheckName =
  | 'membersAnswer'
  | 'viewsAgree'
  | 'noPrimaries'
  | 'graceOver'
  | 'doorClosed'
  | 'placement'
  | 'meshComplete'
  | 'writesAllowed'
  | 'noRejoin'
  | 'contents';

export interface Check {
  readonly name: CheckName;
  readonly passed: boolean;
  /** What was seen, short. The same while nothing changes. */
  readonly value: string;
  /** Why it did not pass. */
  readonly hold: Hold | undefined;
}

export function passed(name: CheckName, value: string): Check {
  return { name, passed: true, value: value.slice(0, MAX_VALUE), hold: undefined };
}

export function failed(name: CheckName, value: string, hold: Hold): Check {
  return { name, passed: false, value: value.slice(0, MAX_VALUE), hold };
}

/** The limit of the stored record (api: removal-proof.ts). */
const MAX_VALUE = 256;
