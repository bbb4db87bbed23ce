// The loop that keeps one namespace (or everything) of one kind in the store, a state machine:
// syncing (no version yet) -> watching -> waiting -> ... reflector-ends.ts decides what the end of a stream means.

import { isInitialEventsEnd, listPages, parseEvent, type Selection, watchRequest } from '../client/list-watch.ts';
import type { Status } from '../errors/errors.ts';
import { statusToApiError } from '../http/failures.ts';
import { keyOf, type ObjectMeta, resourceOf } from '../objects/kinds.ts';
import { onAbort, unlessAborted } from '../time/aborted.ts';
import type { Timer } from '../time/clock.ts';
import type { Follower, FollowerOptions } from './follower.ts';
import { createEndPolicy, InitialSyncTimeout } from './reflector-ends.ts';
import { collect, createPosition } from './reflector-events.ts';
import type { ReflectorProblem } from './reflector-problem.ts';
import type { Identified } from './store.ts';

/** As client-go does, asks the server to end a watch after 5 to 10 minutes: spread, so that not all watches return to a
 *  restarted server at once. */
const MIN_WATCH_SECONDS = 300;
const MAX_WATCH_SECONDS = 600;
/** Time limit for a streamed list to complete. */
const INITIAL_SYNC_MS = 60_000;
/** For this time after a refused streamed list, full lists are read in pages; the next one is streamed again. */
const REPROBE_AFTER_MS = 1_800_000;

export function createFollower<V extends Identified>(opts: FollowerOptions<V>): Follower {
  const { transport, kind, scope, store, clock, random, metrics } = opts;
  const resource = resourceOf(kind);
  const { labelSelector, fieldSelector } = opts;
  const selection = (): Selection => ({
    namespace: scope === '' ? undefined : scope,
    labelSelector: typeof labelSelector === 'function' ? labelSelector() : labelSelector,
    fieldSelector,
  });
  const ends = createEndPolicy(random);
  const position = createPosition(store, scope, opts.project);
  let hasListed = false;
  let pagedUntilMs = Number.NEGATIVE_INFINITY;
  let lastSeenAtMs = Number.NEGATIVE_INFINITY;
  let problem: ReflectorProblem | undefined;
  /** Lines (or pages) of the current attempt, and whether its stream was accepted. */
  let heard = 0;
  let isOpen = false;
  /** Ends the current attempt, to read everything again. */
  let restart = (): void => {};
  /** Ends a pause between two attempts. */
  let wake = (): void => {};
  /** Callers that wait for a full list: those that the current attempt serves, and those that came after it began. */
  let listed: PromiseWithResolvers<void> | undefined;
  let relistWanted: PromiseWithResolvers<void> | undefined;

  /** The server answered: whatever kept us from following is over. */
  function seen(): void {
    lastSeenAtMs = clock.steadyMs();
    if (problem === undefined) return;
    problem = undefined;
    opts.onRecovered?.();
  }

  function swap(next: Map<string, V>, resourceVersion: string): void {
    for (const [key, v] of next) if (!opts.keep(v)) next.delete(key);
    position.set(resourceVersion);
    if (hasListed) metrics?.relisted?.(resource);
    hasListed = true;
    store.replace(scope, next, resourceVersion);
    opts.onSynced();
    listed?.resolve();
    listed = undefined;
  }

  async function readPages(signal: AbortSignal): Promise<void> {
    const next = new Map<string, V>();
    for await (const page of listPages(transport, kind, selection(), { signal })) {
      if (signal.aborted) return;
      seen();
      heard++;
      for (const item of page.items) {
        const metadata: ObjectMeta & { managedFields?: unknown } = item.metadata;
        if (metadata.managedFields !== undefined) metadata.managedFields = undefined;
        const projected = opts.project(item);
        if (projected?.isKept === true) next.set(keyOf(projected.v), projected.v);
      }
      if (page.isLast) swap(next, page.resourceVersion);
    }
  }

  /** Reads a stream until it ends. Starts with the whole state when there is no position. */
  async function readStream(signal: AbortSignal): Promise<void> {
    // An abort since the last page had no listener, and would not end the stream.
    signal.throwIfAborted();
    const { version } = position;
    const start = version === undefined ? 'initial-events' : { resourceVersion: version };
    const seconds = MIN_WATCH_SECONDS + Math.floor(random() * (MAX_WATCH_SECONDS - MIN_WATCH_SECONDS + 1));
    const request = watchRequest(kind, selection(), start, seconds);
    const stop = new AbortController();
    const release = onAbort(signal, (reason) => stop.abort(reason));
    let initial: Map<string, V> | undefined;
    let initialTimer: Timer | undefined;
    if (start === 'initial-events') {
      initial = new Map();
      initialTimer = clock.after(INITIAL_SYNC_MS, () => stop.abort(new InitialSyncTimeout(INITIAL_SYNC_MS)));
    }
    try {
      await transport.stream({
        ...request,
        signal: stop.signal,
        onOpen() {
          isOpen = true;
          seen();
        },
        onLine(line) {
          // Lines that were in flight when the attempt was aborted are dropped.
          if (stop.signal.aborted) return;
          seen();
          const event = parseEvent(line, request);
          metrics?.eventReceived?.(resource, event.type);
          if (event.type === 'ERROR') throw statusToApiError({ ...request, verb: 'watch' }, event.object as Status);
          heard++;
          if (initial === undefined) position.follow(event);
          else if (isInitialEventsEnd(event)) {
            initialTimer?.cancel();
            const next = initial;
            initial = undefined;
            swap(next, event.object.metadata.resourceVersion);
          } else collect(initial, event, opts.project);
        },
      });
    } finally {
      initialTimer?.cancel();
      release();
    }
  }

  /** Relists requested before this attempt are served by its list, or by that of a later attempt. */
  function beginRelist(): void {
    if (relistWanted === undefined) return;
    const earlier = listed;
    listed = relistWanted;
    relistWanted = undefined;
    if (earlier !== undefined) void listed.promise.then(earlier.resolve);
    position.lose();
  }

  async function followOnce(signal: AbortSignal): Promise<number> {
    const startedAtMs = clock.steadyMs();
    heard = 0;
    isOpen = false;
    beginRelist();
    let error: unknown;
    const attempt = new AbortController();
    const release = onAbort(signal, (reason) => attempt.abort(reason));
    restart = () => attempt.abort(new Error('everything is to be read again'));
    try {
      if (position.version === undefined && clock.steadyMs() < pagedUntilMs) await readPages(attempt.signal);
      await readStream(attempt.signal);
    } catch (thrown) {
      error = thrown;
    } finally {
      release();
    }
    if (signal.aborted || relistWanted !== undefined) return 0;
    const livedMs = clock.steadyMs() - startedAtMs;
    const end = ends.judge(error, { heard, isOpen, isSyncing: position.version === undefined, livedMs });
    metrics?.watchRestarted?.(resource, end.reason);
    if (end.isStreamingRefused) pagedUntilMs = clock.steadyMs() + REPROBE_AFTER_MS;
    if (end.isPositionLost) position.lose();
    if (end.problem !== undefined) {
      problem = { kind: end.problem, resource, namespace: selection().namespace, error, retryInMs: end.waitMs };
      opts.onProblem(problem);
    }
    return end.waitMs;
  }

  /** Waits until the next attempt is due, or until a relist is requested. */
  async function pause(ms: number, signal: AbortSignal): Promise<void> {
    // The listener that was notified of the problem may have stopped this follower.
    if (signal.aborted) return;
    const end = new AbortController();
    const release = onAbort(signal, () => end.abort());
    wake = () => end.abort();
    await clock.delay(ms, end.signal).catch(() => undefined);
    release();
  }

  async function relist(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    relistWanted ??= Promise.withResolvers<void>();
    const { promise } = relistWanted;
    restart();
    wake();
    await unlessAborted(promise, signal);
  }

  return {
    async run(signal) {
      while (!signal.aborted) {
        const waitMs = await followOnce(signal);
        if (waitMs > 0 && relistWanted === undefined) await pause(waitMs, signal);
      }
    },
    relist,
    get problem() {
      return problem;
    },
    get lastSeenAtMs() {
      return lastSeenAtMs;
    },
  };
}
