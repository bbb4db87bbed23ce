// A stream of one selection, which a case reads event by event, for as long as the server needs.

import type { Kind, KubeObject, Transport } from '@marekvs/runtime';

export interface FollowedEvent {
  readonly type: string;
  readonly object: KubeObject & { readonly code?: number; readonly reason?: string };
}

export interface Follow {
  /** The next event that is not a bookmark. @throws Error when the stream has ended */
  next(): Promise<FollowedEvent>;
  /** The next `count` of them. */
  take(count: number): Promise<readonly FollowedEvent[]>;
  /** The events up to and including the first of this type. */
  upTo(type: string): Promise<readonly FollowedEvent[]>;
  /** The next event of any type; undefined at the clean end of the stream. */
  raw(): Promise<FollowedEvent | undefined>;
  stop(): void;
}

export interface FollowedSelection {
  readonly namespace: string;
  readonly from?: string | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly timeoutSeconds?: number;
}

/** Resolves when the server has accepted the stream. @throws ApiError when it did not */
export async function openFollow(
  transport: Transport,
  kind: Kind<KubeObject>,
  { namespace, from, timeoutSeconds = 300, ...selectors }: FollowedSelection,
): Promise<Follow> {
  const stop = new AbortController();
  const opened = Promise.withResolvers<void>();
  const waiting: PromiseWithResolvers<FollowedEvent | undefined>[] = [];
  const queue: (FollowedEvent | undefined)[] = [];
  const tell = (event: FollowedEvent | undefined): void => {
    const next = waiting.shift();
    if (next === undefined) queue.push(event);
    else next.resolve(event);
  };
  const group = kind.group === '' ? '/api' : `/apis/${kind.group}`;
  const query = new URLSearchParams({
    watch: 'true',
    allowWatchBookmarks: 'true',
    timeoutSeconds: String(timeoutSeconds),
    ...selectors,
    ...(from === undefined
      ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }
      : { resourceVersion: from }),
  });
  const place = kind.namespaced && namespace !== 'all' ? `namespaces/${namespace}/${kind.plural}` : kind.plural;
  transport
    .stream({
      path: `${group}/${kind.version}/${place}?${query}`,
      resource: kind.plural,
      subject: `${kind.plural} ${namespace}`,
      signal: stop.signal,
      onOpen: () => opened.resolve(),
      onLine: (line) => tell(JSON.parse(line.toString('utf8'))),
    })
    .then(
      () => tell(undefined),
      (error: unknown) => {
        opened.reject(error);
        for (const one of waiting.splice(0)) one.reject(error);
      },
    );
  await opened.promise;

  const raw = (): Promise<FollowedEvent | undefined> => {
    if (queue.length > 0) return Promise.resolve(queue.shift());
    const one = Promise.withResolvers<FollowedEvent | undefined>();
    waiting.push(one);
    return one.promise;
  };
  const next = async (): Promise<FollowedEvent> => {
    for (;;) {
      const event = await raw();
      if (event === undefined) throw new Error(`the stream of ${kind.plural} ended`);
      if (event.type !== 'BOOKMARK') return event;
    }
  };
  const upTo = async (type: string): Promise<readonly FollowedEvent[]> => {
    const events = [await next()];
    while (events.at(-1)?.type !== type) events.push(await next());
    return events;
  };
  return {
    next,
    async take(count) {
      const events: FollowedEvent[] = [];
      while (events.length < count) events.push(await next());
      return events;
    },
    upTo,
    raw,
    stop: () => stop.abort(new Error('the case is over')),
  };
}
