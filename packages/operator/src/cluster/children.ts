// Answers: which Services, disruption budget and network policy does a cluster have, and what is in them? Pure.

import {
  clientServiceName,
  clusterLabels,
  clusterSelector,
  headlessServiceName,
  type MarekvsCluster,
  MEMBER_PORTS,
  networkPolicyName,
  oncePerLast,
  pdbName,
  servingSelector,
} from '@marekvs/api';
import type { NetworkPolicy, NewObject, PodDisruptionBudget, Service } from '@marekvs/runtime';
import { controlledBy } from '../owners.ts';

const { resp: RESP_PORT, mesh: MESH_PORT, gossip: GOSSIP_PORT, metrics: METRICS_PORT } = MEMBER_PORTS;

/** A Pod with this label may read the members' metrics port, wherever it runs. */
const SCRAPER_LABEL = 'marekvs.io/scraper';

export type ClusterChild =
  | { readonly kind: 'Service'; readonly object: NewObject<Service> }
  | { readonly kind: 'PodDisruptionBudget'; readonly object: NewObject<PodDisruptionBudget> }
  | { readonly kind: 'NetworkPolicy'; readonly object: NewObject<NetworkPolicy> };

export interface ChildSettings {
  /** Members that must stay up; undefined while no disruption budget is wanted (nothing holds data yet). */
  readonly minAvailable: number | undefined;
  /** Namespace the operator runs in: its Pods may read the metrics port. */
  readonly operatorNamespace: string;
}

/** All children of a cluster, in order of creation. Memoized: every pass asks, and a cached cluster never changes, so
 *  the same object and settings give the same list. */
export function clusterChildren(cluster: MarekvsCluster, settings: ChildSettings): readonly ClusterChild[] {
  return childrenOf(cluster, settings.minAvailable, settings.operatorNamespace);
}

const childrenOf = oncePerLast(
  (cluster: MarekvsCluster, minAvailable: number | undefined, operatorNamespace: string): readonly ClusterChild[] => [
    { kind: 'Service', object: headlessService(cluster) },
    { kind: 'Service', object: clientService(cluster) },
    { kind: 'NetworkPolicy', object: networkPolicy(cluster, operatorNamespace) },
    ...(minAvailable === undefined
      ? []
      : [{ kind: 'PodDisruptionBudget' as const, object: disruptionBudget(cluster, minAvailable) }]),
  ],
);

/** The gossip seed: names every Pod, ready or not, since a member is not ready before it has found its peers
 *  (docs/design/server.md#h7). */
function headlessService(cluster: MarekvsCluster): NewObject<Service> {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(cluster, headlessServiceName(cluster.metadata.name)),
    spec: {
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      selector: { ...clusterSelector(cluster.metadata.name) },
      ports: [
        { name: 'resp', port: RESP_PORT, protocol: 'TCP', targetPort: RESP_PORT },
        { name: 'mesh', port: MESH_PORT, protocol: 'TCP', targetPort: MESH_PORT },
        { name: 'gossip', port: GOSSIP_PORT, protocol: 'UDP', targetPort: GOSSIP_PORT },
        { name: 'metrics', port: METRICS_PORT, protocol: 'TCP', targetPort: METRICS_PORT },
      ],
    },
  };
}

/** Where clients go: serving members only. PreferClose keeps a client in its zone, as the existing operator does. */
function clientService(cluster: MarekvsCluster): NewObject<Service> {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(cluster, clientServiceName(cluster.metadata.name)),
    spec: {
      type: 'ClusterIP',
      trafficDistribution: 'PreferClose',
      selector: { ...servingSelector(cluster.metadata.name) },
      ports: [{ name: 'resp', port: RESP_PORT, protocol: 'TCP', targetPort: RESP_PORT }],
    },
  };
}

/** An integer, because Pods without a workload controller have no percentage (docs/design/runtime.md#kubernetes-facts).
 *  A Pod that is not ready may always be evicted. */
function disruptionBudget(cluster: MarekvsCluster, minAvailable: number): NewObject<PodDisruptionBudget> {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadata(cluster, pdbName(cluster.metadata.name)),
    spec: {
      minAvailable,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: { ...clusterSelector(cluster.metadata.name) } },
    },
  };
}

/** Mesh and gossip do not authenticate: anyone who reaches them reads and writes data, and anyone who reaches :9121 can
 *  drain a member. The operator compares contents over the mesh port, and does not need gossip. */
function networkPolicy(cluster: MarekvsCluster, operatorNamespace: string): NewObject<NetworkPolicy> {
  const members = { podSelector: { matchLabels: { ...clusterSelector(cluster.metadata.name) } } };
  const operator = {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': operatorNamespace } },
    podSelector: { matchLabels: { 'app.kubernetes.io/name': 'marekvs-operator' } },
  };
  const scrapers = { namespaceSelector: {}, podSelector: { matchLabels: { [SCRAPER_LABEL]: 'true' } } };
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadata(cluster, networkPolicyName(cluster.metadata.name)),
    spec: {
      podSelector: members.podSelector,
      policyTypes: ['Ingress'],
      ingress: [
        { ports: [{ port: RESP_PORT, protocol: 'TCP' }] },
        {
          from: [members],
          ports: [
            { port: MESH_PORT, protocol: 'TCP' },
            { port: GOSSIP_PORT, protocol: 'UDP' },
          ],
        },
        { from: [operator], ports: [{ port: MESH_PORT, protocol: 'TCP' }] },
        { from: [operator, scrapers], ports: [{ port: METRICS_PORT, protocol: 'TCP' }] },
      ],
    },
  };
}

function metadata(cluster: MarekvsCluster, name: string) {
  return {
    name,
    namespace: cluster.metadata.namespace,
    labels: { ...clusterLabels(cluster.metadata.name, cluster.metadata.uid) },
    ownerReferences: [controlledBy('MarekvsCluster', cluster.metadata)],
  };
}
