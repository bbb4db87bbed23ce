// Which hosts are being drained: those that are cordoned, by a watch of exactly these. At rest there are none and the
// watch is silent, however many hosts a cluster has. Where taints count as well all hosts are watched, since no
// selector finds a taint, and of those that are not drained only their names are kept. Who may not watch Nodes knows of
// none, and is asked again in ten minutes.

import {
  type Clock,
  createChildAbort,
  createReflector,
  type Identified,
  isForbidden,
  type Node,
  nodes,
  type ReflectorProblem,
  type Transport,
} from '@marekvs/runtime';
import { identity } from '../observation/metadata.ts';
import { isDrained } from './drain-taints.ts';

export interface DrainedHosts {
  /** Since when each is being drained, wall clock, as this process has seen it. */
  current(): ReadonlyMap<string, number>;
  /** Whether those are all. `notYet`: the first list is not complete; `forbidden`: nobody may tell. */
  seen(): 'known' | 'notYet' | 'forbidden';
  /** Runs until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

export interface DrainedHostsOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Keys of taints that mean the same as a cordon; none: only hosts that are cordoned are watched. */
  readonly taints: ReadonlySet<string>;
  readonly onProblem: (problem: ReflectorProblem) => void;
  /** A host is being drained, or is not any more. */
  readonly onChange: (host: string) => void;
  /** It is another thing that is known of all of them. */
  readonly onSeen: () => void;
}

interface HostView extends Identified {
  readonly isDrained: boolean;
}

const FORBIDDEN_MS = 600_000;
const NONE: ReadonlyMap<string, number> = new Map();
/** Of nothing but its pauses. */
const EVENLY = (): number => 0.5;

export function createDrainedHosts(options: DrainedHostsOptions): DrainedHosts {
  const { transport, clock, taints, onProblem, onChange, onSeen } = options;
  const since = new Map<string, number>();
  let seen: ReturnType<DrainedHosts['seen']> = 'notYet';

  function see(now: typeof seen): void {
    if (seen === now) return;
    seen = now;
    onSeen();
  }

  /** One watch, until it may not go on. */
  async function follow(signal: AbortSignal): Promise<void> {
    const stop = createChildAbort(signal);
    const reflector = createReflector<Node, HostView>({
      transport,
      clock,
      random: EVENLY,
      kind: nodes,
      ...(taints.size === 0 ? { fieldSelector: 'spec.unschedulable=true' } : {}),
      // What the selector finds is cordoned, also where the object says it in another way.
      project: (host) => ({ ...identity(host), isDrained: taints.size === 0 || isDrained(host, taints) }),
      onProblem(problem) {
        if (isForbidden(problem.error)) stop.abort();
        else onProblem(problem);
      },
      onChange({ key, current }) {
        const isNow = current?.isDrained === true;
        // A host reports every few minutes, and nobody is woken by that.
        if (isNow === since.has(key)) return;
        if (isNow) since.set(key, clock.nowMs());
        else since.delete(key);
        onChange(key);
      },
    });
    void reflector.synced.then(() => {
      if (!stop.signal.aborted) see('known');
    });
    await reflector.run(stop.signal);
  }

  return {
    current: () => (since.size === 0 ? NONE : new Map(since)),
    seen: () => seen,
    async run(signal) {
      while (!signal.aborted) {
        await follow(signal);
        if (signal.aborted) return;
        since.clear();
        see('forbidden');
        await clock.delay(FORBIDDEN_MS, signal).catch(() => undefined);
      }
    },
  };
}
