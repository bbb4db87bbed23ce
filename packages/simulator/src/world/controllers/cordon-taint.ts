// The taint that the control plane gives to a cordoned host, and takes back when it is uncordoned.

import type { VirtualClock } from '../../memory/virtual-clock.ts';
import type { MemoryApiServer } from '../api-server/api-server.ts';

export interface Taint {
  readonly key: string;
  readonly value?: string | undefined;
  readonly effect: string;
}

interface HostSpec {
  readonly unschedulable?: boolean;
  readonly taints?: readonly Taint[];
}

/** Who tolerates it may be scheduled to a cordoned host. */
export const CORDON_TAINT: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
const NOTICED_MS = 100;

/** @param onChanged the taints of a host are others: Pods may find room there */
export function taintCordonedHosts(server: MemoryApiServer, clock: VirtualClock, onChanged: () => void): void {
  server.onEvent(({ type, resource, object }) => {
    if (resource === 'nodes' && type === 'MODIFIED') clock.after(NOTICED_MS, () => follow(object.metadata.name));
  });

  function follow(name: string): void {
    const taints = taintsToSet(server.find('nodes', { name })?.spec ?? {});
    if (taints === undefined) return;
    server.patch('nodes', { name }, { spec: { taints } });
    onChanged();
  }
}

/** The taints that the host should have; undefined when it has them. Pure. */
export function taintsToSet({ unschedulable = false, taints = [] }: HostSpec): readonly Taint[] | undefined {
  const others = taints.filter(({ key }) => key !== CORDON_TAINT.key);
  if (unschedulable === others.length < taints.length) return undefined;
  return unschedulable ? [...others, CORDON_TAINT] : others;
}
