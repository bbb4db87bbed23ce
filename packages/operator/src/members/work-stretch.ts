// Keeps the event loop free while much is computed in small pieces: after some milliseconds of work
// everybody waits for its next turn.

import type { Clock } from '@marekvs/runtime';

/** Work in one stretch; one piece more may follow, so that the loop stands still a little longer than this at most. */
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
      // Whoever was released first may have used up the next stretch, too.
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
