// Decides what the end of a watch or list means: where to resume, how long to wait, what to report. No I/O: one error
// and a little history decide.

import {
  ApiError,
  isForbidden,
  isGone,
  isNotFound,
  isResourceVersionTooLarge,
  TransportError,
} from '../errors/errors.ts';
import { retryAfterMs } from '../http/transport.ts';
import { createBackoff } from '../time/backoff.ts';
import type { ReflectorProblem, RestartReason } from './reflector-problem.ts';

/** The end bookmark of a streamed list did not come: the server does not support WatchList. */
export class InitialSyncTimeout extends Error {
  override readonly name = 'InitialSyncTimeout';
  constructor(limitMs: number) {
    super(`the initial events did not end within ${limitMs} ms`);
  }
}

/** The stream went back in time in a way that the cache cannot explain. */
export class RegressedError extends Error {
  override readonly name = 'RegressedError';
  constructor(position: string | undefined, resourceVersion: string) {
    super(`the watch went back from version ${position} to ${resourceVersion}`);
  }
}

/** What is known about the stream that ended. */
export interface EndedStream {
  /** Lines that were events or bookmarks. */
  readonly heard: number;
  /** The whole state has not been read yet. */
  readonly isSyncing: boolean;
  /** The server accepted the stream, so an ApiError came in-band. */
  readonly isOpen: boolean;
  readonly livedMs: number;
}

export interface End {
  readonly reason: RestartReason;
  /** 0 = at once. */
  readonly waitMs: number;
  /** The watch cannot resume from its version: read everything again. */
  readonly isPositionLost: boolean;
  /** The server does not serve streamed lists: read pages for a while. */
  readonly isStreamingRefused: boolean;
  readonly problem: ReflectorProblem['kind'] | undefined;
}

export interface EndPolicy {
  /** @param error undefined = a clean end */
  judge(error: unknown, stream: EndedStream): End;
}

/** A clean end before this age and without a single line counts as a refusal: back off. */
const SHORT_LIVED_MS = 1_000;
/** A stream of this age shows that its position was good. */
const LONG_LIVED_MS = 60_000;
/** After this many streams in a row without any byte, read everything again: the server may be waiting for a version
 *  that it never reaches (a restored backup, F59). */
const SILENT_STREAMS = 2;
/** After this many streamed lists in a row that were accepted but never completed, whatever the error, read pages. */
const FAILED_STREAMED_LISTS = 3;
/** A longer Retry-After is cut to this. */
const MAX_RETRY_AFTER_SECONDS = 60;

export function createEndPolicy(random: () => number): EndPolicy {
  /** 0.8 to 30 s: between one and half the nominal delay. */
  const backoff = createBackoff({ baseMs: 1_600, maxMs: 30_000, jitter: 0.5, random });
  /** For causes that a person has to fix (RBAC, a CRD): longer delays. */
  const slow = createBackoff({ baseMs: 2_000, maxMs: 30_000, jitter: 0.2, random });
  let failures = 0;
  let throttled = 0;
  let silent = 0;
  let failedStreamedLists = 0;
  let lostPositions = 0;

  /** The first full list starts at once. Later ones back off, so that a server that loses every position again is not
   *  kept busy with lists. */
  function relistWaitMs(): number {
    lostPositions++;
    return lostPositions === 1 ? 0 : backoff(lostPositions - 1);
  }

  return {
    judge(error, stream) {
      if (stream.heard > 0) {
        failures = 0;
        throttled = 0;
      }
      if (stream.livedMs >= LONG_LIVED_MS) lostPositions = 0;
      silent = error instanceof TransportError && error.phase === 'timeout' && stream.heard === 0 ? silent + 1 : 0;
      if (!stream.isSyncing) failedStreamedLists = 0;
      else if (stream.isOpen) failedStreamedLists++;
      const end = (reason: RestartReason, more: Partial<End> = {}): End => ({
        reason,
        waitMs: backoff(failures),
        isPositionLost: false,
        isStreamingRefused: failedStreamedLists >= FAILED_STREAMED_LISTS,
        problem: undefined,
        ...more,
      });

      if (error === undefined) {
        if (stream.heard > 0 || stream.livedMs >= SHORT_LIVED_MS) return end('end', { waitMs: 0 });
        failures++;
        return end('end');
      }
      failures++;
      if (isForbidden(error)) return end('forbidden', { waitMs: slow(failures), problem: 'forbidden' });
      if (isNotFound(error)) {
        return end('not-found', { waitMs: slow(failures), isPositionLost: true, problem: 'not-found' });
      }
      if (error instanceof InitialSyncTimeout || (stream.isSyncing && isStreamingRefusal(error, stream))) {
        const isRepeated = failures > 1;
        const waitMs = isRepeated ? backoff(failures) : 0;
        return end('unsupported', { waitMs, isStreamingRefused: true, problem: isRepeated ? 'refused' : undefined });
      }
      if (isGone(error)) return end('expired', { waitMs: relistWaitMs(), isPositionLost: true });
      if (error instanceof RegressedError || isResourceVersionTooLarge(error)) {
        return end('regressed', { waitMs: relistWaitMs(), isPositionLost: true });
      }
      if (error instanceof ApiError && error.retryAfterSeconds !== undefined) {
        // The server has said when to retry, so throttling is not a failure and does not lengthen the backoff.
        failures--;
        throttled++;
        const seconds = Math.min(error.retryAfterSeconds, MAX_RETRY_AFTER_SECONDS);
        const problem = failures + throttled > 1 ? 'refused' : undefined;
        return end('throttled', { waitMs: retryAfterMs(seconds, random), problem });
      }
      if (error instanceof TransportError) {
        // One lost connection is normal and not reported.
        const problem = failures > 1 ? 'unreachable' : undefined;
        const reason = REASONS[error.phase] ?? 'error';
        return end(reason, { problem, isPositionLost: silent >= SILENT_STREAMS });
      }
      const isBadRequest = error instanceof ApiError && error.status === 400;
      return end('error', { problem: 'refused', isPositionLost: isBadRequest });
    },
  };
}

const REASONS: Readonly<Partial<Record<TransportError['phase'], RestartReason>>> = {
  timeout: 'idle',
  reset: 'reset',
  connect: 'reset',
  truncated: 'truncated',
};

/** 400 and 422 refuse the parameters of WatchList. An in-band error before the end of the list comes from a server that
 *  supports it only in part. */
function isStreamingRefusal(error: unknown, stream: EndedStream): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.status === 400 || error.status === 422) return true;
  return stream.isOpen && !isGone(error) && !isResourceVersionTooLarge(error) && error.retryAfterSeconds === undefined;
}
