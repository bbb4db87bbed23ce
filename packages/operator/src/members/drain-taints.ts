// Answers: is a host being emptied? It is cordoned, is being deleted, or has a taint that says so. Which taints do is
// known of the common ones, and an installation adds its own (--drain-taints).

import type { Node } from '@marekvs/runtime';

/** Taints with which somebody says that a host is being emptied or taken away. `not-ready` and `unreachable` are not
 *  among them: they come and go by themselves. Sources: kubectl cordon and drain, the out-of-service procedure, cloud
 *  providers' shutdown mark, cluster-autoscaler, Karpenter (v1beta1, v1), GKE's and AWS's notices of termination. */
const KNOWN: ReadonlySet<string> = new Set([
  'node.kubernetes.io/unschedulable',
  'node.kubernetes.io/out-of-service',
  'node.cloudprovider.kubernetes.io/shutdown',
  'ToBeDeletedByClusterAutoscaler',
  'karpenter.sh/disruption',
  'karpenter.sh/disrupted',
  'cloud.google.com/impending-node-termination',
  'aws-node-termination-handler/spot-itn',
  'aws-node-termination-handler/scheduled-maintenance',
  'aws-node-termination-handler/asg-lifecycle-termination',
  'aws-node-termination-handler/rebalance-recommendation',
]);

/** Takes no Pods any more, and is about to lose those it has, by any sign that is known.
 *  @param taints keys that say so beside those that are known */
export function isBeingEmptied(host: Node, taints: ReadonlySet<string> = new Set()): boolean {
  if (host.metadata?.deletionTimestamp !== undefined) return true;
  return isDrained(host, taints) || hasTaint(host, KNOWN);
}

/** Its members are to leave it: it is cordoned, or has one of these taints. One that only asks for other hosts
 *  to be preferred says nothing (cluster-autoscaler's candidates have such a one, and lose it again): the
 *  scheduler would put a member back. */
export function isDrained(host: Node, taints: ReadonlySet<string>): boolean {
  return host.spec?.unschedulable === true || hasTaint(host, taints);
}

function hasTaint({ spec }: Node, keys: ReadonlySet<string>): boolean {
  return (spec?.taints ?? []).some(
    ({ key, effect }) => (effect === 'NoSchedule' || effect === 'NoExecute') && keys.has(key),
  );
}
