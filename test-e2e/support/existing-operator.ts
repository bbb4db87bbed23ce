// What the existing operator makes for a cluster, field by field as its source does it, owned by the
// cluster and applied under its name.

import { join } from 'node:path';
import { type Manifest, projectRoot, type Testbed } from '@marekvs/testbed';
import { eventually } from './eventually.ts';
import type { World } from './world.ts';

export interface OldCluster {
  readonly namespace: string;
  readonly name: string;
  /** The UID of the MarekvsCluster; if it is undefined, nobody owns what is made. */
  readonly uid: string | undefined;
  readonly image: string;
  readonly nodes: number;
  readonly claimTemplate: string;
}

export async function applyAsExistingOperator(testbed: Testbed, cluster: OldCluster): Promise<void> {
  const { namespace, name, uid, nodes } = cluster;
  const metadata = (own: string) => ({
    name: own,
    namespace,
    labels: labels(name),
    ...(uid === undefined
      ? {}
      : {
          ownerReferences: [{ apiVersion: 'marekvs.io/v1alpha1', kind: 'MarekvsCluster', name, uid, controller: true }],
        }),
  });
  const port = (own: string, number: number, protocol = 'TCP') => ({ name: own, port: number, protocol });
  const made: readonly (Manifest & { readonly spec: object })[] = [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadata(`${name}-headless`),
      spec: {
        clusterIP: 'None',
        publishNotReadyAddresses: true,
        selector: { app: name },
        ports: [port('gossip', 7946, 'UDP'), port('mesh', 7373), port('metrics', 9121)],
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadata(name),
      spec: {
        selector: { app: name },
        ports: [{ ...port('resp', 6379), targetPort: 'resp' }],
        trafficDistribution: 'PreferClose',
      },
    },
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: metadata(name),
      spec: { minAvailable: 2, selector: { matchLabels: { app: name } } },
    },
    { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: metadata(name), spec: setSpec(cluster, nodes) },
  ];
  await testbed.apply(made);
}

/** Writes a status as the existing operator does, which our definition does not admit, while a definition that admits
 *  everything is installed. */
export async function reportAsExistingOperator({ testbed, kubectl }: World, namespace: string, name: string) {
  const status = {
    phase: 'Updating',
    message: 'at target 3',
    desiredNodes: 3,
    readyNodes: 3,
    underreplicatedPartitions: 0,
    opsPerSecond: '12.3',
    lastOpsTotal: 4711.5,
    lastSampleEpoch: 1_760_000_000,
    conditions: [
      {
        type: 'MetricsAvailable',
        status: 'True',
        reason: 'AllScraped',
        message: '3/3 pods scraped',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  };
  await testbed.apply([laxDefinition()]);
  const write = () =>
    kubectl(
      ...['patch', 'mkv', name, '-n', namespace, '--subresource=status', '--type=merge', '-o', 'json'],
      ...['-p', JSON.stringify({ status })],
    );
  // The API server takes up another definition a moment after it has stored it.
  await eventually('its status is stored', async () => {
    const stored = await write().catch(() => '{}');
    return JSON.parse(stored).status?.lastSampleEpoch === status.lastSampleEpoch;
  });
  await testbed.apply([join(projectRoot, 'crds')]);
  await eventually('our definition is in force', async () => {
    const stored = JSON.parse(await kubectl('get', 'mkv', name, '-n', namespace, '-o', 'json'));
    return stored.status.lastSampleEpoch === undefined && stored.status.opsPerSecond === status.opsPerSecond;
  });
}

/** The kind with its names and subresources, and without a rule for its contents. */
function laxDefinition(): Manifest & { readonly spec: object } {
  const preserve = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'marekvsclusters.marekvs.io' },
    spec: {
      group: 'marekvs.io',
      scope: 'Namespaced',
      names: {
        plural: 'marekvsclusters',
        singular: 'marekvscluster',
        kind: 'MarekvsCluster',
        listKind: 'MarekvsClusterList',
        shortNames: ['mkv'],
      },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: preserve, status: preserve } } },
        },
      ],
    },
  };
}

function labels(name: string) {
  return {
    app: name,
    'app.kubernetes.io/name': 'marekvs',
    'app.kubernetes.io/instance': name,
    'app.kubernetes.io/managed-by': 'marekvs-operator',
  };
}

function setSpec({ namespace, name, image, claimTemplate }: OldCluster, replicas: number) {
  return {
    serviceName: `${name}-headless`,
    replicas,
    podManagementPolicy: 'Parallel',
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: labels(name) }, spec: podSpec(namespace, name, image, claimTemplate) },
    volumeClaimTemplates: [
      {
        metadata: { name: claimTemplate, labels: labels(name) },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  };
}

function podSpec(namespace: string, name: string, image: string, volume: string) {
  const probe = (path: string) => ({ httpGet: { path, port: 'metrics' }, periodSeconds: 2 });
  const port = (own: string, containerPort: number, protocol = 'TCP') => ({ name: own, containerPort, protocol });
  return {
    terminationGracePeriodSeconds: 60,
    securityContext: { runAsNonRoot: true, runAsUser: 65534, runAsGroup: 65534, fsGroup: 65534 },
    containers: [
      {
        name: 'marekvs',
        image,
        ports: [port('resp', 6379), port('mesh', 7373), port('gossip', 7946, 'UDP'), port('metrics', 9121)],
        env: [
          { name: 'MAREKVS_SEEDS', value: `${name}-headless.${namespace}.svc.cluster.local:7946` },
          { name: 'MAREKVS_ADVERTISE_IP', value: 'auto' },
          { name: 'MAREKVS_REPLICAS_N', value: '2' },
          { name: 'MAREKVS_DATA_DIR', value: '/data' },
        ],
        volumeMounts: [{ name: volume, mountPath: '/data' }],
        resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { memory: '1Gi' } },
        lifecycle: { preStop: { httpGet: { path: '/drain', port: 'metrics' } } },
        startupProbe: { ...probe('/ready'), failureThreshold: 180 },
        readinessProbe: probe('/ready'),
        livenessProbe: { ...probe('/alive'), initialDelaySeconds: 10, periodSeconds: 5 },
      },
    ],
  };
}
