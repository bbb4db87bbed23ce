// The taint of a cordoned host. The control plane of the testbed runs no node lifecycle controller, so the local
// kubelet gives it and takes it back. Pure.
import type { Node } from '../objects/objects.ts';

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** Who tolerates it may be scheduled to a cordoned host. */
export const CORDON_TAINT: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** The taints that the host should have; undefined when it has them. */
export function taintsToSet({ spec }: Node): readonly Taint[] | undefined {
  const { unschedulable = false, taints = [] } = spec ?? {};
  const others = taints.filter(({ key }) => key !== CORDON_TAINT.key);
  if (unschedulable === others.length < taints.length) return undefined;
  return unschedulable ? [...others, CORDON_TAINT] : others;
}
