// Members wait until they are due, and then for one of a bounded number of places. The caller knows what is asked.

import type { Clock, Timer } from '@marekvs/runtime';
import { createBoundedWork } from '../background/bounded-work.ts';

/** A member that is asked again and again. */
export interface DueMember {
  timer: Timer | undefined;
  isAsking: boolean;
  isWantedAgain: boolean;
}

export interface DueProbes<T extends DueMember> {
  /** Asks after this time; replaces an earlier schedule. */
  schedule(member: T, afterMs: number): void;
  /** Cancels the schedule. A question under way goes on. */
  cancel(member: T): void;
  /** Runs until aborted, and until no question is under way. */
  run(signal: AbortSignal): Promise<void>;
}

export interface DueProbesOptions<T extends DueMember> {
  readonly clock: Clock;
  /** Questions under way at once. */
  readonly maxInFlight: number;
  readonly isWanted: (member: T) => boolean;
  /** Asks and stores the answer. Rejects only for an abort. */
  readonly ask: (member: T, signal: AbortSignal) => Promise<void>;
}

export function createDueProbes<T extends DueMember>({
  clock,
  maxInFlight,
  isWanted,
  ask,
}: DueProbesOptions<T>): DueProbes<T> {
  const due = createBoundedWork<T>(maxInFlight, (member, signal) => {
    // A change during the question may not be in its answer.
    if (member.isAsking) member.isWantedAgain = true;
    return member.isAsking || !isWanted(member) ? undefined : askOne(member, signal);
  });

  function schedule(member: T, afterMs: number): void {
    member.timer?.cancel();
    member.timer = clock.after(afterMs, () => {
      member.timer = undefined;
      due.add(member);
    });
  }

  async function askOne(member: T, signal: AbortSignal): Promise<void> {
    member.isAsking = true;
    try {
      await ask(member, signal);
    } finally {
      member.isAsking = false;
      if (member.isWantedAgain && isWanted(member)) schedule(member, 0);
      member.isWantedAgain = false;
    }
  }

  return {
    schedule,
    cancel: (member) => member.timer?.cancel(),
    run: due.run,
  };
}
