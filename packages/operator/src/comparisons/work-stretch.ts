// Keeps the event loop free while much is computed in small pieces: after some milliseconds of work, further pieces
// wait for the next turn of the loop.

import type { Clock } from '@marekvs/runtime';

/** Work in one stretch. One more piece may follow, so the loop is blocked for a little longer than this at most. */
const STRETCH_MS = 8;

export interface WorkStretch {
  /** Runs `piece` now, or after the loop has had a turn; in the order of the calls.
   *  @throws what `piece` threw */
  work(piece: () => void): Promise<void>;
}

export function createWorkStretch(clock: Clock): WorkStretch {
  let spentMs = 0;
  let rest: Promise<void> | undefined;

  async function turn(): Promise<void> {
    await clock.delay(0);
    spentMs = 0;
    rest = undefined;
  }

  return {
    async work(piece) {
      // Another waiter may have used up the next stretch already.
      while (rest !== undefined) await rest;
      const fromMs = clock.steadyMs();
      try {
        piece();
      } finally {
        spentMs += clock.steadyMs() - fromMs;
        if (spentMs >= STRETCH_MS) rest ??= turn();
      }
    },
  };
}
