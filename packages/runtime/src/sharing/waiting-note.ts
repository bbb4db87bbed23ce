// What a replica waits for, as text. A hand-over takes a moment, so only a wait that lasts is logged.

import type { Logger } from '../log/logger.ts';
import type { Clock } from '../time/clock.ts';

export interface WaitingNote {
  /** Undefined: it does not wait. */
  set(why: string | undefined): void;
  readonly text: string | undefined;
}

const MAX_LENGTH = 200;
const REPORT_AFTER_MS = 3_000;

export function createWaitingNote(clock: Clock, logger: Logger): WaitingNote {
  let text: string | undefined;
  let sinceMs = 0;
  let isReported = false;
  return {
    set(why) {
      const next = why?.slice(0, MAX_LENGTH);
      const nowMs = clock.monotonicMs();
      if (next !== text) {
        text = next;
        sinceMs = nowMs;
        isReported = false;
      } else if (next !== undefined && !isReported && nowMs - sinceMs >= REPORT_AFTER_MS) {
        isReported = true;
        logger.info('Waits for slots', { why: next });
      }
    },
    get text() {
      return text;
    },
  };
}
