// A watch of the API server in memory: the whole state or a version to start from, then every change, each line delayed
// by `lagMs`. Ends after its time, as on the real server; too old a version is an error in the stream. How far it may
// be behind the store is watch-cache.ts.

import type { CancelTimer } from '../../member/basics/world.ts';
import type { VirtualClock } from '../../memory/virtual-clock.ts';
import { ApiRefusal } from './api-object.ts';
import { parsePath, selects, statusOf, type Target, textOf, typeOf } from './api-requests.ts';
import type { MemoryApiServer } from './api-server.ts';
import type { ApiEvent } from './api-store.ts';
import { WatchCache } from './watch-cache.ts';

export interface WatchOptions {
  readonly server: MemoryApiServer;
  readonly clock: VirtualClock;
  /** With the query, as a client sends it. */
  readonly path: string;
  /** Delay in milliseconds of a line that is sent now. Lines never overtake each other. */
  readonly lagMs: () => number;
  /** Called when the stream is accepted: at once, unless it has to wait for the cache. */
  readonly onOpen?: () => void;
  /** Called instead of `onOpen` when the cache did not catch up in time. */
  readonly onRefused?: (refusal: ApiRefusal) => void;
  readonly onLine: (line: string) => void;
  /** Called when the server ends the stream. */
  readonly onEnd: () => void;
  /** Changes older than this version are forgotten; default 0. */
  readonly oldestVersion?: (() => number) | undefined;
  /** The cache that serves the stream; default: one that is never behind. */
  readonly cache?: WatchCache | undefined;
}

const BOOKMARK_MS = 60_000;
/** The last bookmark is sent this long before the end. */
const FAREWELL_MS = 2_000;
const DEFAULT_SECONDS = 420;
/** How long a consistent read waits for a cache that is behind. */
const FRESHNESS_MS = 3_000;

/** Opens the stream; the returned function closes it.
 *  @throws ApiRefusal 404 for an unknown kind */
export function openWatch(options: WatchOptions): () => void {
  const { server, clock, onEnd } = options;
  const target = parsePath(options.path);
  const { resource, query } = target;
  const timers = new Set<CancelTimer>();
  let isOpen = true;
  let lastAtMs = clock.now();
  const cache = options.cache ?? new WatchCache({ server, resource });

  const later = (delayMs: number, run: () => void): void => {
    const cancel = clock.after(delayMs, () => {
      timers.delete(cancel);
      if (isOpen) run();
    });
    timers.add(cancel);
  };
  /** @param text the object as JSON */
  const send = (type: string, text: string): void => {
    const line = `{"type":"${type}","object":${text}}`;
    lastAtMs = Math.max(lastAtMs, clock.now() + options.lagMs());
    later(lastAtMs - clock.now(), () => options.onLine(line));
  };
  /** Never for a version before the start of the stream. */
  const bookmark = (annotations?: Readonly<Record<string, string>>): void => {
    if (cache.version < startVersion) return;
    const metadata = { resourceVersion: String(cache.version), ...(annotations === undefined ? {} : { annotations }) };
    send('BOOKMARK', JSON.stringify({ ...typeOf(target.kind), metadata }));
  };
  const tick = (): void => {
    bookmark();
    later(BOOKMARK_MS, tick);
  };
  const close = (): void => {
    isOpen = false;
    for (const cancel of timers) cancel();
    unsubscribe();
  };
  const end = (): void => {
    close();
    onEnd();
  };
  let unsubscribe = (): void => {};

  const start = query.get('resourceVersion');
  const startVersion = Number(start ?? 0);
  const requiredVersion = start === null && cache.keepsPromise ? server.version : 0;
  if (cache.version >= requiredVersion) begin();
  else waitFor(requiredVersion);
  return close;

  function begin(): void {
    options.onOpen?.();
    if (start === null) {
      for (const object of cache.objects()) if (selects(target, object)) send('ADDED', textOf(target.kind, object));
      bookmark({ 'k8s.io/initial-events-end': 'true' });
    } else {
      if (startVersion < (options.oldestVersion?.() ?? 0)) {
        const refusal = new ApiRefusal(410, 'Expired', `too old resource version: ${start}`);
        send('ERROR', JSON.stringify(statusOf(refusal)));
        later(lastAtMs - clock.now(), end);
        return;
      }
      for (const event of cache.eventsAfter(startVersion)) tell(event);
    }
    unsubscribe = cache.onEvent(tell);
    later(BOOKMARK_MS, tick);
    const lifeMs = Number(query.get('timeoutSeconds') ?? DEFAULT_SECONDS) * 1_000;
    later(Math.max(0, lifeMs - FAREWELL_MS), bookmark);
    later(lifeMs, end);
  }

  function waitFor(version: number): void {
    unsubscribe = cache.onMove(() => {
      if (cache.version < version) return;
      unsubscribe();
      for (const cancel of timers) cancel();
      begin();
    });
    later(FRESHNESS_MS, () => {
      close();
      options.onRefused?.(tooLarge(version, cache.version));
    });
  }

  function tell(event: ApiEvent): void {
    // The client already knows everything up to the start of the stream, even if this cache does not yet.
    if (event.version <= startVersion) return;
    const change = changeFor(target, event);
    if (change !== undefined) send(change.type, textOf(target.kind, change.object));
  }
}

function tooLarge(version: number, current: number): ApiRefusal {
  const message = `Too large resource version: ${version}, current: ${current}`;
  const cause = { reason: 'ResourceVersionTooLarge', message: 'Too large resource version', field: '' };
  return new ApiRefusal(504, 'Timeout', message, [cause]);
}

/** For a watch with a selector, an object that begins to match counts as added. One that ceases to match counts as
 *  deleted, with its state before the change. */
function changeFor(target: Target, event: ApiEvent): Pick<ApiEvent, 'type' | 'object'> | undefined {
  const { type, object, previous } = event;
  const was = previous !== undefined && selects(target, previous);
  const is = type !== 'DELETED' && selects(target, object);
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', object };
  if (!was) return undefined;
  const { resourceVersion } = object.metadata;
  return { type: 'DELETED', object: { ...previous, metadata: { ...previous.metadata, resourceVersion } } };
}
