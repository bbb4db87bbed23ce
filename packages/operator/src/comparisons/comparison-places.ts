// Limits how many comparisons run at once, so that many clusters that change together cost the process no more than a
// few do. Waiting comparisons are admitted by purpose, then first come, first served. A namespace has at most half of
// the places while others wait: the clusters of one tenant must not keep those of all the others from being compared.

import { COMPARISON_PURPOSES, type ComparisonPurpose } from '@marekvs/planner';

/** Comparisons at once over all clusters, without removals. */
export const MAX_COMPARISONS = 4;
/** So many more may run for removals. A drained member serves nobody until its removal goes on, so a removal never
 *  waits for a comparison that is less urgent. A removal that is blocked for days keeps its place without taking one
 *  from the others. */
export const MORE_FOR_REMOVALS = 8;

export interface Place {
  /** Whether its namespace has more than half of the places, and another one waits. */
  isBeyondShare(): boolean;
  /** Whether a waiting comparison would get this place if it were given back.
   *  @param whom any comparison, or only one with a more urgent purpose */
  isNeededBy(whom: 'anybody' | 'moreUrgent'): boolean;
  /** Idempotent. */
  giveBack(): void;
}

export interface Places {
  /** Resolves when there is a place.
   *  @throws the signal's reason when it is aborted first */
  take(wish: PlaceWish, signal: AbortSignal): Promise<Place>;
}

export interface PlaceWish {
  readonly namespace: string;
  readonly purpose: ComparisonPurpose;
  /** It gave up a place for others: comes after all that wait. */
  readonly isAgain: boolean;
}

interface Waiting {
  readonly wish: PlaceWish;
  readonly rank: number;
  start(): void;
}

export function createPlaces(): Places {
  /** By rank, then in order of arrival. */
  const waiting: Waiting[] = [];
  const held = new Set<PlaceWish>();

  /** The one that gets a place next, once `gone` has given its own back. */
  function nextOf(gone?: PlaceWish): Waiting | undefined {
    const others = [...held].filter((one) => one !== gone);
    const ordinary = others.filter(({ purpose }) => !isUrgent(purpose)).length;
    const isAdmitted = ({ wish }: Waiting): boolean =>
      others.length < MAX_COMPARISONS + MORE_FOR_REMOVALS && (isUrgent(wish.purpose) || ordinary < MAX_COMPARISONS);
    const admitted = waiting.filter(isAdmitted);
    return admitted.find(({ wish }) => heldLike(wish, others) < shareOf(wish)) ?? admitted[0];
  }

  function letIn(): void {
    for (let next = nextOf(); next !== undefined; next = nextOf()) {
      waiting.splice(waiting.indexOf(next), 1);
      held.add(next.wish);
      next.start();
    }
  }

  function enqueue(one: Waiting): void {
    const at = waiting.findIndex(({ rank }) => rank > one.rank);
    waiting.splice(at < 0 ? waiting.length : at, 0, one);
    letIn();
  }

  function createPlace(wish: PlaceWish): Place {
    return {
      isBeyondShare: () =>
        heldLike(wish, [...held]) > shareOf(wish) &&
        (nextOf(wish)?.wish.namespace ?? wish.namespace) !== wish.namespace,
      isNeededBy(whom) {
        const next = nextOf(wish);
        return next !== undefined && (whom === 'anybody' || next.rank < rankOf(wish.purpose));
      },
      giveBack() {
        if (held.delete(wish)) letIn();
      },
    };
  }

  return {
    take: (wished, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        // Places are told apart by this object.
        const wish = { ...wished };
        const onAbort = (): void => {
          waiting.splice(waiting.indexOf(one), 1);
          reject(signal.reason);
        };
        const one: Waiting = {
          wish,
          rank: wish.isAgain ? COMPARISON_PURPOSES.length : rankOf(wish.purpose),
          start() {
            signal.removeEventListener('abort', onAbort);
            resolve(createPlace(wish));
          },
        };
        signal.addEventListener('abort', onAbort, { once: true });
        enqueue(one);
      }),
  };
}

/** How many places of the same kind the namespace has. */
function heldLike(wish: PlaceWish, held: readonly PlaceWish[]): number {
  return held.filter((one) => one.namespace === wish.namespace && (isUrgent(wish.purpose) || !isUrgent(one.purpose)))
    .length;
}

function shareOf({ purpose }: PlaceWish): number {
  return (isUrgent(purpose) ? MAX_COMPARISONS + MORE_FOR_REMOVALS : MAX_COMPARISONS) / 2;
}

function isUrgent(purpose: ComparisonPurpose): boolean {
  return purpose === 'removal' || purpose === 'settling';
}

function rankOf(purpose: ComparisonPurpose): number {
  return COMPARISON_PURPOSES.indexOf(purpose);
}
