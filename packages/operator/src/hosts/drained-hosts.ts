// Which hosts are being drained: the cordoned ones, by a watch of exactly these, which is silent at rest however many
// hosts there are. If taints count as well, all hosts are watched, since no selector finds a taint; of the others only
// the names are kept. Without permission to watch Nodes none is known, and the watch is tried again in ten minutes.

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
import { identity } from '../objects/metadata.ts';
import { FORBIDDEN_MS } from '../pacing/paces.ts';
import { isDrained } from './drain-taints.ts';

export interface DrainedHosts {
  /** Since when each host has been drained, as this process has seen it. Wall clock. */
  current(): ReadonlyMap<string, number>;
  /** Whether `current` is complete. `notYet`: the first list is not; `forbidden`: Nodes may not be watched. */
  seen(): 'known' | 'notYet' | 'forbidden';
  /** Runs until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

export interface DrainedHostsOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Keys of taints that mean the same as a cordon. Without any, only cordoned hosts are watched. */
  readonly taints: ReadonlySet<string>;
  readonly onProblem: (problem: ReflectorProblem) => void;
  /** The drain of a host has begun or ended. */
  readonly onChange: (host: string) => void;
  /** `seen` has changed. */
  readonly onSeen: () => void;
}

interface HostView extends Identified {
  readonly isDrained: boolean;
}

const NONE: ReadonlyMap<string, number> = new Map();
/** Used for the pauses of the watch only. */
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

  /** Watches until aborted or forbidden. */
  async function follow(signal: AbortSignal): Promise<void> {
    const stop = createChildAbort(signal);
    const reflector = createReflector<Node, HostView>({
      transport,
      clock,
      random: EVENLY,
      kind: nodes,
      ...(taints.size === 0 ? { fieldSelector: 'spec.unschedulable=true' } : {}),
      // What the selector finds is cordoned, whatever else the object says.
      project: (host) => ({ ...identity(host), isDrained: taints.size === 0 || isDrained(host, taints) }),
      onProblem(problem) {
        if (isForbidden(problem.error)) stop.abort();
        else onProblem(problem);
      },
      onChange({ key, current }) {
        const isNow = current?.isDrained === true;
        // A host reports every few minutes, which is no reason to call anybody.
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
