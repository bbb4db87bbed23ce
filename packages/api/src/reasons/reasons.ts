// The closed list of reasons: one code per reason, used unchanged in condition, event, log field and metric label.
// Codes are stable; a person reads `description` and does `remedy`.

import { AS_IT_SHOULD_BE } from './as-it-should-be.ts';
import { MEMBERS } from './members.ts';
import type { ReasonRow } from './reason-row.ts';
import { REFUSALS } from './refusals.ts';
import { REMOVALS } from './removals.ts';
import { SIZE } from './size.ts';
import { UNKNOWN } from './unknown.ts';

/** Everything the suite can give as a reason. */
export const REASONS = {
  ...AS_IT_SHOULD_BE,
  ...UNKNOWN,
  ...SIZE,
  ...MEMBERS,
  ...REFUSALS,
  ...REMOVALS,
} as const satisfies Readonly<Record<string, ReasonRow>>;

export type Reason = keyof typeof REASONS;

export function isReason(text: string): text is Reason {
  return Object.hasOwn(REASONS, text);
}

/** The reasons whose row is such a one. */
export function reasonsWith(isSuch: (row: ReasonRow) => boolean): readonly Reason[] {
  return Object.keys(REASONS).filter((reason): reason is Reason => isReason(reason) && isSuch(REASONS[reason]));
}

/** The row of what an object gives as its reason; undefined for none, and for one of another version. */
export function reasonRow(reason: string | undefined): ReasonRow | undefined {
  return reason !== undefined && isReason(reason) ? REASONS[reason] : undefined;
}
