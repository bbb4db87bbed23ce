// The paragraph of every reason: docs/errors.md is made of it, and `explain` can print it. A reason
// without one does not compile.

import { AS_IT_SHOULD_BE } from './guide/as-it-should-be.ts';
import type { ReasonGuide } from './guide/entry.ts';
import { MEMBERS } from './guide/members.ts';
import { REFUSALS } from './guide/refusals.ts';
import { REMOVALS } from './guide/removals.ts';
import { SIZE } from './guide/size.ts';
import { UNKNOWN } from './guide/unknown.ts';
import type { Reason } from './reasons.ts';

export type { ReasonGuide } from './guide/entry.ts';

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
  { title: 'As it should be', reasons: keys(AS_IT_SHOULD_BE) },
];

/** Where the paragraph of a reason is, from the top of the project. */
export function paragraphOf(reason: Reason): string {
  return `docs/errors.md#${reason.toLowerCase()}`;
}

function keys(group: Partial<Record<Reason, ReasonGuide>>): readonly Reason[] {
  return Object.keys(group) as Reason[];
}
