// Which of the hosts that take a Pod gets it, and what the scheduler says when none does. Pure. The hosts in memory and
// those of the testbed differ in the rules they judge by and in what counts as load.

import { preferenceFor, type Schedulable } from './placement.ts';

export type PodPlacement =
  | { readonly kind: 'node'; readonly nodeName: string }
  | { readonly kind: 'unschedulable'; readonly message: string };

export interface HostRules<Host> {
  /** Why the host does not take the Pod; undefined when it does. */
  readonly refusal: (host: Host) => string | undefined;
  readonly load: (hostName: string) => number;
}

/** Of the hosts that take the Pod the one that it prefers, else the one with the least load, else the first. */
export function placePod<Host extends Schedulable>(
  pod: Schedulable,
  hosts: readonly Host[],
  { refusal, load }: HostRules<Host>,
): PodPlacement {
  const takers: { readonly name: string; readonly preference: number; readonly load: number }[] = [];
  const refusals = new Map<string, number>();
  for (const host of hosts) {
    const why = refusal(host);
    const { name } = host.metadata;
    if (why === undefined) takers.push({ name, preference: preferenceFor(pod, host), load: load(name) });
    else refusals.set(why, (refusals.get(why) ?? 0) + 1);
  }
  const [best] = takers.toSorted((a, b) => b.preference - a.preference || a.load - b.load);
  if (best !== undefined) return { kind: 'node', nodeName: best.name };
  const reasons = [...refusals].map(([why, count]) => `${count} ${why}`).join(', ');
  const message = `0/${hosts.length} nodes are available${reasons === '' ? '' : `: ${reasons}`}.`;
  return { kind: 'unschedulable', message };
}
