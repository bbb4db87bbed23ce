// The taint that the control plane gives to a cordoned host, and takes back when it is uncordoned.

import type { VirtualClock } from '../../memory/virtual-clock.ts';
import type { MemoryApiServer } from '../api-server/api-server.ts';

interface Taint {
  readonly key: string;
  readonly effect: string;
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
    const { unschedulable = false, taints = [] } = (server.find('nodes', { name })?.spec ?? {}) as {
      readonly unschedulable?: boolean;
      readonly taints?: readonly Taint[];
    };
    const others = taints.filter(({ key }) => key !== CORDON_TAINT.key);
    if (unschedulable === others.length < taints.length) return;
    server.patch('nodes', { name }, { spec: { taints: unschedulable ? [...others, CORDON_TAINT] : others } });
    onChanged();
  }
}
