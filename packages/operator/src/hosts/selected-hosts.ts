// Which hosts spec.hosts.onePerHost selects, by a watch of exactly those with the labels, and only while a cluster asks
// for it. A host reports every five minutes, but only changes that the size depends on cause a pass.

import { labelText, type SelectedHost, type SelectedHosts } from '@marekvs/planner';
import {
  type Clock,
  createChildAbort,
  createReflector,
  type Identified,
  isForbidden,
  type Node,
  nodes,
  type Transport,
  untilAborted,
} from '@marekvs/runtime';
import { createSharedStreams, type SharedStream } from '../background/shared-streams.ts';
import { identity } from '../objects/metadata.ts';

export interface SelectedHostsWatch {
  /** Sets the labels of the hosts that are watched for a cluster; undefined: none. Cheap.
   *  @returns what is known of the hosts now; undefined while they are read for the first time */
  follow(clusterKey: string, labels: Labels | undefined): SelectedHosts | undefined;
  /** Watches until aborted. Before it runs, nothing is watched. */
  run(signal: AbortSignal): Promise<void>;
}

type Labels = Readonly<Record<string, string>>;

export interface SelectedHostsOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  /** Something that the size of this cluster depends on has changed. */
  readonly onChange: (clusterKey: string) => void;
}

interface HostView extends Identified {
  readonly host: SelectedHost;
}

interface Stream extends SharedStream {
  readonly hosts: Map<string, SelectedHost>;
  /** The current answer; undefined before the first list is complete. */
  current: SelectedHosts | undefined;
}

/** Different selectors at once: each is a stream of its own. */
export const MAX_SELECTORS = 64;

const FORBIDDEN: SelectedHosts = { kind: 'unknown', why: 'the operator may not watch Nodes' };
const FAILED: SelectedHosts = { kind: 'unknown', why: 'the API server gives no answer about Nodes' };
const TOO_MANY: SelectedHosts = { kind: 'unknown', why: `${MAX_SELECTORS} other selectors are followed already` };

export function createSelectedHosts({ transport, clock, random, onChange }: SelectedHostsOptions): SelectedHostsWatch {
  const streams = createSharedStreams<Stream>(clock);
  /** Clusters that asked before this ran. */
  const early = new Set<string>();
  let running: AbortSignal | undefined;

  function begin(selector: string, clusterKey: string, signal: AbortSignal): Stream {
    // A selector that is tried again stays refused until there is an answer.
    const before = streams.wasRefused(selector) ? FORBIDDEN : undefined;
    const end = createChildAbort(signal);
    const stream: Stream = { clusters: new Set([clusterKey]), hosts: new Map(), end, current: before };
    streams.put(selector, stream);
    const tell = (current: SelectedHosts): void => {
      stream.current = current;
      for (const key of stream.clusters) onChange(key);
    };
    const reflector = createReflector<Node, HostView>({
      transport,
      clock,
      random,
      kind: nodes,
      labelSelector: selector,
      project: (host) => ({ ...identity(host), host: selectedHostOf(host) }),
      onChange({ key, previous, current }) {
        if (current === undefined) stream.hosts.delete(key);
        else stream.hosts.set(key, current.host);
        const isNews = JSON.stringify(previous?.host) !== JSON.stringify(current?.host);
        if (stream.current?.kind === 'known' && isNews) tell(known(stream));
      },
      onProblem({ error }) {
        if (isForbidden(error)) {
          streams.refuse(selector, stream);
          tell(FORBIDDEN);
          // While the watch is interrupted, the last answer stays: the watch resumes where it stopped.
        } else if (stream.current === undefined) tell(FAILED);
      },
    });
    void reflector.run(end.signal);
    void reflector.synced.then(() => {
      if (end.signal.aborted) return;
      streams.allow(selector);
      tell(known(stream));
    });
    return stream;
  }

  return {
    follow(clusterKey, labels) {
      const selector = labels === undefined ? undefined : labelText({ nodeSelector: labels });
      if (selector !== undefined && running === undefined) early.add(clusterKey);
      if (running === undefined || running.aborted) return undefined;
      const stream = streams.want(clusterKey, selector);
      if (selector === undefined || stream !== undefined) return stream?.current;
      if (streams.isRefused(selector)) return FORBIDDEN;
      if (streams.size() >= MAX_SELECTORS) return TOO_MANY;
      return begin(selector, clusterKey, running).current;
    },
    async run(signal) {
      running = signal;
      for (const key of early) onChange(key);
      early.clear();
      await untilAborted(signal);
      streams.clear();
    },
  };
}

function known({ hosts }: Stream): SelectedHosts {
  return { kind: 'known', hosts: new Map(hosts) };
}

/** The properties of a host that the size depends on. */
export function selectedHostOf({ spec, status }: Node): SelectedHost {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return {
    // A host without a Ready condition is not known to be away.
    isReady: ready === undefined || ready.status === 'True',
    isCordoned: spec?.unschedulable === true,
    taints: (spec?.taints ?? []).map(({ key, value = '', effect }) => ({ key, value, effect })),
  };
}
