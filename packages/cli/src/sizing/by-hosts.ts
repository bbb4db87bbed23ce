// Answers: what size do the present hosts give a cluster with spec.hosts.onePerHost? The operator's own rule, applied
// to what the user may see. Pure.

import { type ClusterObservation, CONFIRM_MS, desiredSize, planHostsSize } from '@marekvs/planner';

/** The size by the hosts. `unread`: the user may not read hosts; `none`: no host counts, so that nothing changes. */
export interface SizeByHosts {
  readonly kind: 'decided' | 'none' | 'unread';
  /** The size in force, by the operator's last decision. */
  readonly size: number;
  readonly next: number;
  /** Why, as the decision says; undefined where there is none. */
  readonly message: string | undefined;
}

/** Undefined for a cluster without spec.hosts.onePerHost. */
export function sizeByHosts(o: ClusterObservation): SizeByHosts | undefined {
  if (o.cluster.spec.hosts.onePerHost === undefined) return undefined;
  const size = desiredSize(o.cluster).nodes;
  const same = { size, next: size, message: undefined };
  if (o.selectedHosts === undefined) return { ...same, kind: 'unread' };
  const decision = decisionOf(o);
  if (decision === undefined) return { ...same, kind: 'none' };
  return { kind: 'decided', size, next: desiredSize(withDecision(o).cluster).nodes, message: decision.message };
}

/** The same observation as if the operator had stored the size that the present hosts give. */
export function withDecision(o: ClusterObservation): ClusterObservation {
  const autoscale = decisionOf(o) ?? o.cluster.autoscale;
  return { ...o, cluster: { ...o.cluster, autoscale } };
}

/** Only the operator knows for how long there have been fewer hosts; here they count as fewer for long enough. */
function decisionOf(o: ClusterObservation) {
  return planHostsSize({ ...o, fewerHostsForMs: CONFIRM_MS })?.status;
}
