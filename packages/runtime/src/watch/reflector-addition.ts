// Lets a cache that follows a part of a kind follow more of it without rereading what it has: one list of the addition,
// then a watch of everything from the earlier of two versions, which repeats some events
// (docs/decisions/sharing.md).

import { isInitialEventsEnd, parseEvent, type Selection, type WatchEvent, watchRequest } from '../client/list-watch.ts';
import { type Status, TransportError } from '../errors/errors.ts';
import { statusToApiError } from '../http/failures.ts';
import type { Transport } from '../http/transport.ts';
import type { Kind, KubeObject } from '../objects/kinds.ts';
import { isOlder } from '../objects/resource-version.ts';
import { createChildAbort } from '../time/aborted.ts';
import type { Clock } from '../time/clock.ts';
import { InitialSyncTimeout } from './reflector-ends.ts';

/** A part of a kind that is followed from now on. */
export interface Addition<V> {
  /** Selector of a list that contains the part; other listed objects are ignored. */
  readonly labelSelector: string | undefined;
  /** Whether the object belongs to the part. */
  readonly has: (v: V) => boolean;
}

/** Time limit for a streamed list to complete. */
export const INITIAL_SYNC_MS = 60_000;

interface InitialListOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called for each event of the list as it arrives. */
  readonly onEvent: (event: Exclude<WatchEvent, { type: 'ERROR' }>) => void;
}

/** Reads a selection once, from the initial events of a watch that is closed after them: the API server answers from
 *  its cache, and there are no pages that wait for each other.
 *  @returns the version that the objects are consistent with, which is not older than the call
 *  @throws ApiError, also when the server streams no lists; TransportError; InitialSyncTimeout; the signal's reason */
export async function readInitialList(
  transport: Transport,
  kind: Kind<KubeObject>,
  selection: Selection,
  { clock, signal, onEvent }: InitialListOptions,
): Promise<string> {
  const request = watchRequest(kind, selection, 'initial-events', INITIAL_SYNC_MS / 1_000);
  const stop = createChildAbort(signal);
  const limit = clock.after(INITIAL_SYNC_MS, () => stop.abort(new InitialSyncTimeout(INITIAL_SYNC_MS)));
  let resourceVersion: string | undefined;
  const stream = transport.stream({
    ...request,
    signal: stop.signal,
    onLine(line) {
      if (stop.signal.aborted) return;
      const event = parseEvent(line, request);
      if (event.type === 'ERROR') throw statusToApiError({ ...request, verb: 'watch' }, event.object as Status);
      if (isInitialEventsEnd(event)) {
        resourceVersion = event.object.metadata.resourceVersion;
        stop.abort();
      } else onEvent(event);
    },
  });
  try {
    await stream;
  } catch (error) {
    if (resourceVersion === undefined) throw error;
  } finally {
    limit.cancel();
    stop.abort();
  }
  if (resourceVersion === undefined) {
    const { path, subject } = request;
    throw new TransportError(`list ${subject}: it ended before it was whole`, {
      verb: 'watch',
      path,
      phase: 'truncated',
    });
  }
  return resourceVersion;
}

/** Which events of a reopened watch are repeats: those about an object up to the version `upTo` gives for it. */
export interface Repeated<V> {
  readonly upTo: (v: V) => string;
  /** From this version on the watch repeats nothing. */
  readonly until: string;
}

/** @param followed the version up to which the cache has seen everything but the part
 *  @param part the part that was read separately, as of the version `listed` */
export function repeatedFrom<V>(
  before: Repeated<V> | undefined,
  followed: string,
  { listed, has }: { readonly listed: string; readonly has: (v: V) => boolean },
): Repeated<V> {
  const newer = (a: string, b: string | undefined): string => (b !== undefined && isOlder(a, b) ? b : a);
  return {
    upTo: (v) => (has(v) ? listed : newer(followed, before?.upTo(v))),
    until: newer(newer(followed, listed), before?.until),
  };
}
