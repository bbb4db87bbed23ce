// Answers: which Services, disruption budget and network policies does a cluster have, and what is in them? Pure.

import {
  clientServiceName,
  clientsPolicyName,
  clusterLabels,
  clusterSelector,
  headlessServiceName,
  LABELS,
  type MarekvsCluster,
  MEMBER_PORTS,
  networkPolicyName,
  oncePerLast,
  pdbName,
  servingSelector,
} from '@marekvs/api';
import type { NetworkPolicy, NewObject, PodDisruptionBudget, Service } from '@marekvs/runtime';
import { controlledBy } from '../objects/owners.ts';

const { resp: RESP_PORT, mesh: MESH_PORT, gossip: GOSSIP_PORT, metrics: METRICS_PORT } = MEMBER_PORTS;

type Ingress = NonNullable<NonNullable<NetworkPolicy['spec']>['ingress']>;
type Peer = NonNullable<Ingress[number]['from']>[number];

/** Namespaces whose Pods may read the members' figures. A label of the namespace and not of the Pod, because whoever
 *  may create Pods chooses their labels. */
const SCRAPERS: Peer = { namespaceSelector: { matchLabels: { [LABELS.scrapers]: 'allowed' } } };

export type ClusterChild =
  | { readonly kind: 'Service'; readonly object: NewObject<Service> }
  | { readonly kind: 'PodDisruptionBudget'; readonly object: NewObject<PodDisruptionBudget> }
  | {
      readonly kind: 'NetworkPolicy';
      readonly object: NewObject<NetworkPolicy>;
      /** A policy that opens what this one no longer does: until it is there, this one is not changed. */
      readonly after?: string;
    };

export interface ChildSettings {
  /** Members that must stay up; undefined while no disruption budget is wanted (nothing holds data yet). */
  readonly minAvailable: number | undefined;
  /** Namespace the operator runs in: who scrapes it may scrape members as well. */
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
    { kind: 'NetworkPolicy', object: clientsPolicy(cluster) },
    {
      kind: 'NetworkPolicy',
      object: membersPolicy(cluster, operatorNamespace),
      after: clientsPolicyName(cluster.metadata.name),
    },
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

/** Who may connect as a client, to every Pod of the cluster: clients that know homes connect to members that do not
 *  serve yet. An empty list would admit everybody; it never is, since the cluster's own namespace is always in it. A
 *  policy of its own, so that a change of `spec.clients` is one write and touches nothing else. */
function clientsPolicy(cluster: MarekvsCluster): NewObject<NetworkPolicy> {
  const from = cluster.spec.clients?.from as readonly Peer[] | undefined;
  const peers = from === undefined ? {} : { from: [{ podSelector: {} }, ...from] };
  return policy(cluster, clientsPolicyName(cluster.metadata.name), [{ ...peers, ports: [tcp(RESP_PORT)] }]);
}

/** Everything that is not for clients. Mesh and gossip do not authenticate: whoever reaches them reads and writes data,
 *  and whoever reaches :9121 can drain a member. The operator compares contents over the mesh, and needs no gossip. */
function membersPolicy(cluster: MarekvsCluster, operatorNamespace: string): NewObject<NetworkPolicy> {
  const inNamespace: Peer = {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': operatorNamespace } },
  };
  const operator: Peer = {
    ...inNamespace,
    podSelector: { matchLabels: { 'app.kubernetes.io/name': 'marekvs-operator' } },
  };
  // An operator that lives beside the cluster has clients for neighbours, none of which may drain a member.
  const beside = operatorNamespace === cluster.metadata.namespace ? operator : inNamespace;
  return policy(cluster, networkPolicyName(cluster.metadata.name), [
    { from: [membersOf(cluster)], ports: [tcp(MESH_PORT), { port: GOSSIP_PORT, protocol: 'UDP' }] },
    { from: [operator], ports: [tcp(RESP_PORT), tcp(MESH_PORT)] },
    { from: [beside, SCRAPERS], ports: [tcp(METRICS_PORT)] },
  ]);
}

/** About every Pod of the cluster. Restricts nothing that members send. */
function policy(cluster: MarekvsCluster, name: string, ingress: Ingress): NewObject<NetworkPolicy> {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadata(cluster, name),
    spec: { podSelector: membersOf(cluster).podSelector, policyTypes: ['Ingress'], ingress },
  };
}

function membersOf(cluster: MarekvsCluster) {
  return { podSelector: { matchLabels: { ...clusterSelector(cluster.metadata.name) } } };
}

function tcp(port: number) {
  return { port, protocol: 'TCP' } as const;
}

function metadata(cluster: MarekvsCluster, name: string) {
  return {
    name,
    namespace: cluster.metadata.namespace,
    labels: { ...clusterLabels(cluster.metadata.name, cluster.metadata.uid) },
    ownerReferences: [controlledBy('MarekvsCluster', cluster.metadata)],
  };
}
