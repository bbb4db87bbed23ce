// Answers: what size does a cluster with spec.hosts.onePerHost come to, by the hosts that are there now? The operator's
// own rule, asked with what the user may see. Pure.

import { type ClusterObservation, CONFIRM_MS, desiredSize, planHostsSize } from '@marekvs/planner';

/** What the hosts say of the size. `unread`: they may not be read from here; `none`: none of them
 *  counts, so that nothing changes. */
export interface SizeByHosts {
  readonly kind: 'decided' | 'none' | 'unread';
  /** In force, by the operator's last decision. */
  readonly size: number;
  readonly next: number;
  /** Why, as the decision says; undefined where there is none. */
  readonly message: string | undefined;
}

/** Undefined for a cluster without it. */
export function sizeByHosts(o: ClusterObservation): SizeByHosts | undefined {
  if (o.cluster.spec.hosts.onePerHost === undefined) return undefined;
  const size = desiredSize(o.cluster).nodes;
  const same = { size, next: size, message: undefined };
  if (o.selectedHosts === undefined) return { ...same, kind: 'unread' };
  const decision = decisionOf(o);
  if (decision === undefined) return { ...same, kind: 'none' };
  return { kind: 'decided', size, next: desiredSize(withDecision(o).cluster).nodes, message: decision.message };
}

/** The same observation as if the size that the hosts come to had been stored. */
export function withDecision(o: ClusterObservation): ClusterObservation {
  const autoscale = decisionOf(o) ?? o.cluster.autoscale;
  return { ...o, cluster: { ...o.cluster, autoscale } };
}

/** For how long fewer have been there only the operator knows: as if long enough. */
function decisionOf(o: ClusterObservation) {
  return planHostsSize({ ...o, fewerHostsForMs: CONFIRM_MS })?.status;
}
