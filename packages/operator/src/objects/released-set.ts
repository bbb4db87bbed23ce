// Answers: how does the StatefulSet look that takes over the members of a cluster, and may it be this one? Field by
// field it is that of the existing operator, so that its next pass changes nothing, except for `OnDelete`: our Pods
// were not made from its template, and may only be replaced when they end (docs/decisions/adopting-and-releasing.md).
// Pure.

import {
  API_VERSION,
  controllerOf,
  DATA_MOUNT,
  DEFAULT_CLUSTER_IDENTITY,
  DEFAULT_SERVER_GC_GRACE_SECONDS,
  headlessServiceName,
  type MarekvsCluster,
  MEMBER_PORTS,
  releasedLabels,
  releasedSelector,
  withDefaults,
} from '@marekvs/api';
import type { NewObject, StatefulSet, Stored } from '@marekvs/runtime';
import type { IEnvVar, IPodSpec, IToleration } from 'kubernetes-models/v1';

/** The name of its volume claim template. */
const CLAIM = 'data';
const USER_ID = 65_534;

export function releasedSet(cluster: MarekvsCluster, replicas: number): NewObject<StatefulSet> {
  const { namespace, name, uid } = cluster.metadata;
  const labels = { ...releasedLabels(name) };
  const { storage } = withDefaults(cluster.spec);
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      name,
      namespace,
      labels,
      ownerReferences: [{ apiVersion: API_VERSION, kind: 'MarekvsCluster', name, uid, controller: true }],
    },
    spec: {
      serviceName: headlessServiceName(name),
      replicas,
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'OnDelete' },
      selector: { matchLabels: { ...releasedSelector(name) } },
      template: { metadata: { labels }, spec: podSpec(cluster) },
      volumeClaimTemplates: [
        {
          metadata: { name: CLAIM, labels },
          spec: {
            accessModes: ['ReadWriteOnce'],
            ...(storage.className === undefined ? {} : { storageClassName: storage.className }),
            resources: { requests: { storage: storage.size } },
          },
        },
      ],
    },
  };
}

function podSpec(cluster: MarekvsCluster): IPodSpec {
  const spec = withDefaults(cluster.spec);
  const probe = (path: string) => ({ httpGet: { path, port: 'metrics' }, periodSeconds: 2 });
  const { cpu, memory } = spec.resources;
  return {
    terminationGracePeriodSeconds: 60,
    securityContext: { runAsNonRoot: true, runAsUser: USER_ID, runAsGroup: USER_ID, fsGroup: USER_ID },
    ...(spec.imagePullSecrets === undefined ? {} : { imagePullSecrets: [...spec.imagePullSecrets] }),
    ...(spec.nodeSelector === undefined ? {} : { nodeSelector: spec.nodeSelector }),
    // The cast: our schema allows an explicit undefined where the models do not; JSON knows neither.
    ...(spec.tolerations === undefined ? {} : { tolerations: spec.tolerations as IToleration[] }),
    containers: [
      {
        name: 'marekvs',
        image: spec.image,
        ...(spec.imagePullPolicy === undefined ? {} : { imagePullPolicy: spec.imagePullPolicy }),
        ports: Object.entries(MEMBER_PORTS).map(([port, containerPort]) => ({
          name: port,
          containerPort,
          protocol: port === 'gossip' ? 'UDP' : 'TCP',
        })),
        env: environment(cluster),
        volumeMounts: [{ name: CLAIM, mountPath: DATA_MOUNT }],
        resources: { requests: { cpu, memory }, limits: { memory } },
        lifecycle: { preStop: { httpGet: { path: '/drain', port: 'metrics' } } },
        startupProbe: { ...probe('/ready'), failureThreshold: 180 },
        readinessProbe: probe('/ready'),
        livenessProbe: { ...probe('/alive'), initialDelaySeconds: 10, periodSeconds: 5 },
      },
    ],
  };
}

/** Sets no id: a member takes it from the ordinal in its host name. */
function environment({ metadata: { namespace, name }, spec: written }: MarekvsCluster): IEnvVar[] {
  const { replicationFactor, auth, extraEnv } = withDefaults(written);
  const extra = Object.entries(extraEnv ?? {}).map(([key, value]) => ({ name: key, value }));
  return [
    {
      name: 'MAREKVS_SEEDS',
      value: `${headlessServiceName(name)}.${namespace}.svc.cluster.local:${MEMBER_PORTS.gossip}`,
    },
    { name: 'MAREKVS_ADVERTISE_IP', value: 'auto' },
    { name: 'MAREKVS_REPLICAS_N', value: String(replicationFactor) },
    { name: 'MAREKVS_DATA_DIR', value: DATA_MOUNT },
    ...(auth === undefined
      ? []
      : [{ name: 'MAREKVS_REQUIREPASS', valueFrom: { secretKeyRef: { ...auth.secretRef } } }]),
    ...extra.sort((a, b) => (a.name < b.name ? -1 : 1)),
  ];
}

/** The first reason why members must not be handed to this StatefulSet, as half a sentence; undefined when they may
 *  be. */
export function setProblem(
  { metadata, spec }: Stored<StatefulSet>,
  cluster: MarekvsCluster,
  members: number,
): string | undefined {
  const { name, uid } = cluster.metadata;
  if (controllerOf(metadata)?.uid !== uid) return 'belongs to somebody else';
  if (metadata.deletionTimestamp !== undefined) return 'is being deleted';
  if (spec === undefined) return 'has no spec';
  const start = spec.ordinals?.start ?? 0;
  if ((spec.replicas ?? 1) !== members || start !== 0)
    return `has ${spec.replicas ?? 1} replicas from ${start}, and there are ${members} members from 0`;
  const partition = spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  if (spec.updateStrategy?.type !== 'OnDelete' && partition < members)
    return 'would restart every Pod, since its updateStrategy is not OnDelete';
  const retention = spec.persistentVolumeClaimRetentionPolicy;
  if ((retention?.whenDeleted ?? 'Retain') !== 'Retain' || (retention?.whenScaled ?? 'Retain') !== 'Retain')
    return 'deletes volumes';
  if (!isOnly(spec.selector.matchLabels, releasedSelector(name)) || (spec.selector.matchExpressions ?? []).length > 0)
    return `does not select by app=${name}`;
  if ((spec.volumeClaimTemplates ?? []).map((claim) => claim.metadata?.name).join() !== CLAIM)
    return `has other volume claim templates than ${CLAIM}`;
  return templateProblem(spec.template.spec?.containers[0]?.env ?? [], cluster);
}

/** The first setting in which a Pod made from this template would differ from those that run. */
function templateProblem(env: readonly IEnvVar[], { spec }: MarekvsCluster): string | undefined {
  const { replicationFactor } = withDefaults(spec);
  const wanted: readonly (readonly [name: string, value: string, otherwise: string | undefined])[] = [
    ['MAREKVS_DATA_DIR', DATA_MOUNT, undefined],
    ['MAREKVS_REPLICAS_N', String(replicationFactor), undefined],
    ['MAREKVS_CLUSTER', DEFAULT_CLUSTER_IDENTITY, DEFAULT_CLUSTER_IDENTITY],
    ['MAREKVS_GC_GRACE_SECS', String(DEFAULT_SERVER_GC_GRACE_SECONDS), String(DEFAULT_SERVER_GC_GRACE_SECONDS)],
  ];
  for (const [name, value, otherwise] of wanted) {
    const set = env.find((one) => one.name === name)?.value ?? otherwise;
    if (set !== value) return `starts members with ${name} ${set ?? 'unset'}, and they run with ${value}`;
  }
  return undefined;
}

function isOnly(map: Readonly<Record<string, string>> | undefined, wanted: Readonly<Record<string, string>>): boolean {
  const entries = Object.entries(map ?? {});
  return entries.length === Object.keys(wanted).length && entries.every(([key, value]) => wanted[key] === value);
}
