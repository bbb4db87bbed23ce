// Answers: how many repairs per round does each member make while all is well? What Bounded allows rests on it.

import type { MemberHistory } from './sample.ts';

export type Baseline =
  | {
      readonly kind: 'clean';
      /** Most repairs per round that still count as health, by node id. */
      readonly bounds: ReadonlyMap<number, number>;
      /** Undisturbed rounds it rests on, the smallest number over all members. */
      readonly rounds: number;
    }
  | { readonly kind: 'unclean'; readonly rounds: number; readonly needed: number; readonly about: readonly number[] };

export function healthyBaseline(
  ids: readonly number[],
  _histories: readonly MemberHistory[],
  _monotonicMs: number,
): Baseline {
  return { kind: 'unclean', rounds: 0, needed: 20, about: ids };
}
