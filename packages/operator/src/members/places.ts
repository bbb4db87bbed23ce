// Limits how many comparisons run at once, so that many clusters that change together cost the process no more than a
// few do. Waiting comparisons are admitted by purpose, then first come, first served.

import { COMPARISON_PURPOSES, type ComparisonPurpose } from '@marekvs/planner';

/** Comparisons at once over all clusters, without removals. */
export const MAX_COMPARISONS = 4;
/** So many more may run for removals. A drained member serves nobody until its removal goes on, so a removal never
 *  waits for a comparison that is less urgent. A removal that is blocked for days keeps its place without taking one
 *  from the others. */
export const MORE_FOR_REMOVALS = 8;

export interface Place {
  /** Whether a waiting comparison would get this place if it were given back.
   *  @param whom any comparison, or only one with a more urgent purpose */
  isNeededBy(whom: 'anybody' | 'moreUrgent'): boolean;
  /** Idempotent. */
  giveBack(): void;
}

export interface Places {
  /** Resolves when there is a place.
   *  @param isAgain it gave up a place for others: comes after all that wait
   *  @throws the signal's reason when it is aborted first */
  take(purpose: ComparisonPurpose, isAgain: boolean, signal: AbortSignal): Promise<Place>;
}

interface Waiting {
  readonly purpose: ComparisonPurpose;
  readonly rank: number;
  start(): void;
}

export function createPlaces(): Places {
  /** By rank, then in order of arrival. */
  const waiting: Waiting[] = [];
  let total = 0;
  let ordinary = 0;

  const isAdmitted = (purpose: ComparisonPurpose, total: number, ordinary: number): boolean =>
    total < MAX_COMPARISONS + MORE_FOR_REMOVALS && (isUrgent(purpose) || ordinary < MAX_COMPARISONS);

  function letIn(): void {
    for (;;) {
      const at = waiting.findIndex(({ purpose }) => isAdmitted(purpose, total, ordinary));
      const [next] = at < 0 ? [] : waiting.splice(at, 1);
      if (next === undefined) return;
      count(next.purpose, 1);
      next.start();
    }
  }

  function count(purpose: ComparisonPurpose, change: 1 | -1): void {
    total += change;
    if (!isUrgent(purpose)) ordinary += change;
  }

  function enqueue(one: Waiting): void {
    const at = waiting.findIndex(({ rank }) => rank > one.rank);
    waiting.splice(at < 0 ? waiting.length : at, 0, one);
    letIn();
  }

  function createPlace(purpose: ComparisonPurpose): Place {
    let isHeld = true;
    return {
      isNeededBy(whom) {
        const without = isUrgent(purpose) ? ordinary : ordinary - 1;
        const next = waiting.find((one) => isAdmitted(one.purpose, total - 1, without));
        return next !== undefined && (whom === 'anybody' || next.rank < rankOf(purpose));
      },
      giveBack() {
        if (!isHeld) return;
        isHeld = false;
        count(purpose, -1);
        letIn();
      },
    };
  }

  return {
    take: (purpose, isAgain, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const onAbort = (): void => {
          waiting.splice(waiting.indexOf(one), 1);
          reject(signal.reason);
        };
        const one: Waiting = {
          purpose,
          rank: isAgain ? COMPARISON_PURPOSES.length : rankOf(purpose),
          start() {
            signal.removeEventListener('abort', onAbort);
            resolve(createPlace(purpose));
          },
        };
        signal.addEventListener('abort', onAbort, { once: true });
        enqueue(one);
      }),
  };
}

function isUrgent(purpose: ComparisonPurpose): boolean {
  return purpose === 'removal' || purpose === 'settling';
}

function rankOf(purpose: ComparisonPurpose): number {
  return COMPARISON_PURPOSES.indexOf(purpose);
}
