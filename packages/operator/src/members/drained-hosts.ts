// Which hosts are being drained: those that are cordoned, by a watch of exactly these. At rest there are none and the watch is silent,
// however many hosts a cluster has. Who may not watch Nodes knows of none, and is asked again in ten minutes.

import {
  type Clock,
  createReflector,
  type Identified,
  isForbidden,
  type Node,
  nodes,
  type ReflectorProblem,
  type Transport,
} from '@marekvs/runtime';

export interface DrainedHosts {
  /** Since when each is being drained, wall clock, as this process has seen it. */
  current(): ReadonlyMap<string, number>;
  /** Runs until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

export interface DrainedHostsOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly onProblem: (problem: ReflectorProblem) => void;
  /** A host is being drained, or is not any more. */
  readonly onChange: (host: string) => void;
}

const FORBIDDEN_MS = 600_000;
const NONE: ReadonlyMap<string, number> = new Map();
/** Of nothing but its pauses. */
const EVENLY = (): number => 0.5;

export function createDrainedHosts({ transport, clock, onProblem, onChange }: DrainedHostsOptions): DrainedHosts {
  const since = new Map<string, number>();

  /** One watch, until it may not go on. */
  async function follow(signal: AbortSignal): Promise<void> {
    const refused = new AbortController();
    const stop = AbortSignal.any([signal, refused.signal]);
    const reflector = createReflector<Node, Identified>({
      transport,
      clock,
      random: EVENLY,
      kind: nodes,
      fieldSelector: 'spec.unschedulable=true',
      project: ({ metadata: { name = '', uid = '', resourceVersion = '' } }) => ({ name, uid, resourceVersion }),
      onProblem(problem) {
        if (isForbidden(problem.error)) refused.abort();
        else onProblem(problem);
      },
      onChange({ key, current }) {
        if (current === undefined) since.delete(key);
        else if (!since.has(key)) since.set(key, clock.nowMs());
        onChange(key);
      },
    });
    await reflector.run(stop);
  }

  return {
    current: () => (since.size === 0 ? NONE : new Map(since)),
    async run(signal) {
      while (!signal.aborted) {
        await follow(signal);
        if (!signal.aborted) await clock.delay(FORBIDDEN_MS, signal).catch(() => undefined);
      }
    },
  };
}
