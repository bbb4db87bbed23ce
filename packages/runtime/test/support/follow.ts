// A reflector of Pods against a scripted API server, with a clock that the test controls and inboxes for everything the
// reflector reports.
import {
  type Change,
  type ClusterAccess,
  createReflector,
  createTransport,
  type Pod,
  pods,
  type Reflector,
  type ReflectorOptions,
  type ReflectorProblem,
  type RestartReason,
  type Transport,
} from '@marekvs/runtime';
import { createInbox, type Inbox } from './inbox.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';
import { type ScriptedApiServer, startScriptedApiServer, type WatchStream } from './scripted-api-server.ts';

export interface PodRow {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly note: string | undefined;
  readonly hasManagedFields: boolean;
}

export interface Followed {
  readonly server: ScriptedApiServer;
  readonly clock: ManualClock;
  readonly transport: Transport;
  readonly reflector: Reflector<PodRow>;
  /** `added default/a 5`, `deleted default/a` with `(initial)` or `(own)` behind. */
  readonly changes: Inbox<string>;
  readonly problems: Inbox<ReflectorProblem>;
  readonly restarts: Inbox<RestartReason>;
  /** The type of every event in order of arrival. */
  readonly events: Inbox<string>;
  readonly counts: { listed: number; relisted: number; recovered: number };
  /** Answers the first watch with these Pods and the end bookmark; resolves with the stream when the cache has them. */
  sync(resourceVersion: string, ...initial: object[]): Promise<WatchStream>;
  stop(): Promise<void>;
}

export type FollowOptions = Partial<ReflectorOptions<Pod, PodRow>> & { readonly access?: ClusterAccess };

export async function follow(opts: FollowOptions = {}): Promise<Followed> {
  const server = await startScriptedApiServer();
  const clock = createManualClock();
  const transport = createTransport(opts.access ?? server.access, { userAgent: 'test/1', clock, random: () => 0 });
  const changes = createInbox<string>();
  const problems = createInbox<ReflectorProblem>();
  const restarts = createInbox<RestartReason>();
  const events = createInbox<string>();
  const counts = { listed: 0, relisted: 0, recovered: 0 };
  const reflector = createReflector<Pod, PodRow>({
    transport,
    kind: pods,
    project: toRow,
    clock,
    random: () => 0,
    onChange: (change) => changes.push(describeChange(change)),
    onProblem: (problem) => problems.push(problem),
    onRecovered: () => counts.recovered++,
    onListed: () => counts.listed++,
    metrics: {
      watchRestarted: (_, reason) => restarts.push(reason),
      relisted: () => counts.relisted++,
      eventReceived: (_, type) => events.push(type),
    },
    ...opts,
  });
  const abort = new AbortController();
  const running = reflector.run(abort.signal);
  return {
    server,
    clock,
    transport,
    reflector,
    changes,
    problems,
    restarts,
    events,
    counts,
    async sync(resourceVersion, ...initial) {
      const watch = (await server.next()).openWatch();
      for (const object of initial) watch.event('ADDED', object);
      watch.bookmark(resourceVersion, true);
      await reflector.synced;
      return watch;
    },
    async stop() {
      abort.abort();
      await running;
      await transport.close();
      await server.close();
    },
  };
}

export function toRow(o: Pod): PodRow {
  return {
    namespace: o.metadata.namespace,
    name: o.metadata.name ?? '',
    uid: o.metadata.uid ?? '',
    resourceVersion: o.metadata.resourceVersion ?? '',
    note: o.metadata.labels?.note,
    hasManagedFields: 'managedFields' in o.metadata && o.metadata.managedFields !== undefined,
  };
}

export function describeChange({ type, key, current, initial, own }: Change<PodRow>): string {
  const version = current === undefined ? '' : ` ${current.resourceVersion}`;
  return `${type} ${key}${version}${initial ? ' (initial)' : ''}${own ? ' (own)' : ''}`;
}

/** A Pod as the API server sends it. The uid is the name's unless said. */
export function pod(name: string, resourceVersion: string, more: { uid?: string; note?: string } = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'default',
      name,
      uid: more.uid ?? `uid-${name}`,
      resourceVersion,
      ...(more.note === undefined ? {} : { labels: { note: more.note } }),
    },
  };
}
