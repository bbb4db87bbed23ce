// The paragraph of every reason: docs/errors.md is made of it. A reason without one does not compile.

import type { Reason } from '@marekvs/api';
import { AS_IT_SHOULD_BE } from './as-it-should-be.ts';
import type { ReasonGuide } from './entry.ts';
import { MEMBERS } from './members.ts';
import { REFUSALS } from './refusals.ts';
import { REMOVALS } from './removals.ts';
import { SIZE } from './size.ts';
import { UNKNOWN } from './unknown.ts';

export type { ReasonGuide } from './entry.ts';

export const REASON_GUIDE: Readonly<Record<Reason, ReasonGuide>> = {
  ...AS_IT_SHOULD_BE,
  ...UNKNOWN,
  ...SIZE,
  ...MEMBERS,
  ...REFUSALS,
  ...REMOVALS,
};

/** The groups a page shows, in the order a person meets them. */
export const REASON_GROUPS: readonly { readonly title: string; readonly reasons: readonly Reason[] }[] = [
  { title: 'Not known', reasons: keys(UNKNOWN) },
  { title: 'Forming, size and spec', reasons: keys(SIZE) },
  { title: 'Members, Pods and volumes', reasons: keys(MEMBERS) },
  { title: 'Removals', reasons: keys(REMOVALS) },
  { title: 'Refused by the API server', reasons: keys(REFUSALS) },
  { title: 'All is well', reasons: keys(AS_IT_SHOULD_BE) },
];

/** Where the paragraph of a reason is, from the top of the project. */
export function paragraphOf(reason: Reason): string {
  return `docs/errors.md#${reason.toLowerCase()}`;
}

function keys(group: Partial<Record<Reason, ReasonGuide>>): readonly Reason[] {
  return Object.keys(group) as Reason[];
}
