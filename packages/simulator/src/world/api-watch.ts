// A watch of the API server in memory: the whole state or a version to start from, then every change, each line late by as much
// as the world says. Ends by itself after its time, as the real one; too old a version is an error in the stream.

import type { CancelTimer } from '../member/world.ts';
import type { VirtualClock } from '../memory/virtual-clock.ts';
import { ApiRefusal } from './api-object.ts';
import { parsePath, selects, statusOf, type Target, typed, typeOf } from './api-requests.ts';
import type { ApiEvent, MemoryApiServer } from './api-server.ts';

export interface WatchOptions {
  readonly server: MemoryApiServer;
  readonly clock: VirtualClock;
  /** With the query, as a client sends it. */
  readonly path: string;
  /** Milliseconds until a change of now is heard. Lines never overtake each other. */
  readonly lagMs: () => number;
  readonly onLine: (line: string) => void;
  /** The server ended it. */
  readonly onEnd: () => void;
  /** Changes older than this version are forgotten; default 0. */
  readonly oldestVersion?: () => number;
}

const BOOKMARK_MS = 60_000;
/** The last bookmark comes so long before the end. */
const FAREWELL_MS = 2_000;
const DEFAULT_SECONDS = 420;

/** Opens the stream; the function ends it.
 *  @throws ApiRefusal 404 for a kind that nobody knows */
export function openWatch(options: WatchOptions): () => void {
  const { server, clock, onEnd } = options;
  const target = parsePath(options.path);
  const { resource, query } = target;
  const timers = new Set<CancelTimer>();
  let isOpen = true;
  let lastAtMs = clock.now();

  const later = (delayMs: number, run: () => void): void => {
    const cancel = clock.after(delayMs, () => {
      timers.delete(cancel);
      if (isOpen) run();
    });
    timers.add(cancel);
  };
  const send = (type: string, object: object): void => {
    const line = JSON.stringify({ type, object });
    lastAtMs = Math.max(lastAtMs, clock.now() + options.lagMs());
    later(lastAtMs - clock.now(), () => options.onLine(line));
  };
  const bookmark = (annotations?: Readonly<Record<string, string>>): void =>
    send('BOOKMARK', {
      ...typeOf(target.kind),
      metadata: { resourceVersion: String(server.version), ...(annotations === undefined ? {} : { annotations }) },
    });
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
  if (start === null) {
    for (const object of server.list(resource)) {
      if (selects(target, object)) send('ADDED', typed(target.kind, object));
    }
    bookmark({ 'k8s.io/initial-events-end': 'true' });
  } else {
    const from = Number(start);
    if (from < (options.oldestVersion?.() ?? 0)) {
      send('ERROR', statusOf(new ApiRefusal(410, 'Expired', `too old resource version: ${start}`)));
      later(lastAtMs - clock.now(), end);
      return close;
    }
    for (const event of server.history) if (event.version > from) tell(event);
  }
  unsubscribe = server.onEvent(tell);
  later(BOOKMARK_MS, tick);
  const lifeMs = Number(query.get('timeoutSeconds') ?? DEFAULT_SECONDS) * 1_000;
  later(Math.max(0, lifeMs - FAREWELL_MS), bookmark);
  later(lifeMs, end);
  return close;

  function tell(event: ApiEvent): void {
    if (event.resource !== resource) return;
    const change = changeFor(target, event);
    if (change !== undefined) send(change.type, typed(target.kind, change.object));
  }
}

/** To a watch with a selector, an object that begins to match is added, and one that ceases to is deleted as it was before. */
function changeFor(target: Target, event: ApiEvent): Pick<ApiEvent, 'type' | 'object'> | undefined {
  const { type, object, previous } = event;
  const was = previous !== undefined && selects(target, previous);
  const is = type !== 'DELETED' && selects(target, object);
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', object };
  if (!was) return undefined;
  const { resourceVersion } = object.metadata;
  return { type: 'DELETED', object: { ...previous, metadata: { ...previous.metadata, resourceVersion } } };
}
