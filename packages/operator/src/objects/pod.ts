// Answers: what does the Pod of one MarekvsNode look like? Pure; the settings are those of
// docs/design/contract.md#the-pod and docs/design/server.md#settings.

import {
  ANNOTATIONS,
  clusterSelector,
  DATA_MOUNT,
  type EffectiveOnePerHost,
  GROUP,
  headlessServiceName,
  LABELS,
  type Labels,
  type MarekvsNode,
  MEMBER_PORTS,
  type NodeScheduling,
  nodeLabels,
  OWNED_ENV,
  pvcName,
} from '@marekvs/api';
import type { ComputeResources } from '@marekvs/planner';
import type { NewObject, Pod } from '@marekvs/runtime';
import type { IEnvVar, IPodSpec, IToleration, ITopologySpreadConstraint } from 'kubernetes-models/v1';
import { slotLabel } from '../sharing/share.ts';
import { controlledBy } from './owners.ts';
import { podAffinity } from './pod-affinity.ts';
import { drainingProbes, LOOPBACK, onItsHost, type SealedPod } from './sealed-pod.ts';
import { templateHash } from './template.ts';

/** Non-root user of the Pod and group of its files (docs/design/contract.md#the-pod). */
const USER_ID = 65_534;
/** A member ends at most 9 s after SIGTERM (docs/design/server.md#ending-a-process); the rest is reserve for a slow
 *  host. */
const GRACE_SECONDS = 60;

/** Name of the member's container. */
export const CONTAINER = 'marekvs';

export interface PodOptions {
  readonly clusterUid: string;
  /** Known addresses of members, besides the headless name. */
  readonly seeds?: readonly string[];
  /** Where the data on the volume are, when they came from elsewhere. */
  readonly dataDir?: string | undefined;
  /** Limits the hosts. It is no part of the template, so that a Pod that was made without it is not outdated. */
  readonly onePerHost?: EffectiveOnePerHost | undefined;
  /** For a member whose door is closed. */
  readonly sealed?: SealedPod | undefined;
}

/** The Pod of a node. */
export function buildPod(node: MarekvsNode, options: PodOptions): NewObject<Pod> {
  const { template } = node.spec;
  const { clusterUid, seeds = [], sealed } = options;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: node.metadata.name,
      namespace: node.metadata.namespace,
      labels: {
        ...foreignLabels(template.podMetadata?.labels ?? {}),
        ...podLabels(node, clusterUid),
        ...slotLabel(node.metadata.namespace, node.spec.clusterName),
      },
      annotations: {
        ...template.podMetadata?.annotations,
        [ANNOTATIONS.templateHash]: templateHash(template),
        ...(seeds.length === 0 ? {} : { [ANNOTATIONS.seeds]: seeds.join(',') }),
        // From its first moment only a restart brings it back.
        ...(sealed === undefined ? {} : { [ANNOTATIONS.leaving]: 'true' }),
      },
      ownerReferences: [controlledBy('MarekvsNode', node.metadata)],
    },
    spec: podSpec(node, options),
  };
}

/** The user's labels without any of our own: `serving` set by a user would let a member in before it is ready. */
function foreignLabels(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !key.startsWith(`${GROUP}/`)));
}

/** The labels we own on the Pod. `serving` puts it behind the client Service, but never a member that is to leave. */
export function podLabels(node: MarekvsNode, clusterUid: string): Labels {
  const { clusterName, nodeId, serving, intent } = node.spec;
  return nodeLabels(clusterName, clusterUid, nodeId, serving === true && intent === 'Active');
}

/** The same for a comparison: a label that must be absent is `undefined`. */
export function wantedPodLabels(node: MarekvsNode, clusterUid: string): Readonly<Record<string, string | undefined>> {
  return { [LABELS.serving]: undefined, ...podLabels(node, clusterUid) };
}

/** A directory per node, so that a volume of another node that is mounted by mistake is noticed. */
function ownDataDir({ spec }: MarekvsNode): string {
  return `${DATA_MOUNT}/n${spec.nodeId}`;
}

function podSpec(node: MarekvsNode, options: PodOptions): IPodSpec {
  const { template, clusterName, nodeId } = node.spec;
  const { onePerHost, sealed } = options;
  const scheduling = template.scheduling ?? {};
  const nodeSelector =
    onePerHost === undefined ? scheduling.nodeSelector : { ...scheduling.nodeSelector, ...onePerHost.nodeSelector };
  return {
    hostname: node.metadata.name,
    subdomain: headlessServiceName(clusterName),
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: GRACE_SECONDS,
    restartPolicy: 'Always',
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER_ID,
      runAsGroup: USER_ID,
      fsGroup: USER_ID,
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...(template.imagePullSecrets === undefined ? {} : { imagePullSecrets: template.imagePullSecrets }),
    ...(scheduling.priorityClassName === undefined ? {} : { priorityClassName: scheduling.priorityClassName }),
    ...(sealed?.host === undefined
      ? anywhere(node, nodeSelector, onePerHost !== undefined)
      : onItsHost(sealed.host, { scheduling, clusterName, nodeSelector })),
    containers: [container(node, options)],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: pvcName(clusterName, nodeId) } }],
  };
}

/** Where the rules of its template allow. */
function anywhere(node: MarekvsNode, nodeSelector: NodeScheduling['nodeSelector'], isStrict: boolean) {
  const { template, clusterName } = node.spec;
  const { scheduling = {} } = template;
  return {
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    // The cast: our schema allows an explicit undefined where the models do not; JSON knows neither.
    ...(scheduling.tolerations === undefined ? {} : { tolerations: scheduling.tolerations as IToleration[] }),
    ...podAffinity(clusterName, scheduling),
    topologySpreadConstraints: spreadConstraints(node, isStrict),
  };
}

function container(node: MarekvsNode, options: PodOptions): IPodSpec['containers'][number] {
  const { template, ran } = node.spec;
  const { sealed } = options;
  const probe = (path: string) => ({ httpGet: { path, port: MEMBER_PORTS.metrics } });
  return {
    name: CONTAINER,
    image: ran?.image ?? template.image,
    ...(template.imagePullPolicy === undefined ? {} : { imagePullPolicy: template.imagePullPolicy }),
    env: environment(node, options),
    ports: Object.entries(MEMBER_PORTS).map(([name, containerPort]) => ({
      name,
      containerPort,
      protocol: name === 'gossip' ? 'UDP' : 'TCP',
    })),
    resources: containerResources(template.resources),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [{ name: 'data', mountPath: DATA_MOUNT }],
    // /alive on startup and liveness: /ready stays 503 through a long bootstrap and would kill it
    // (docs/design/server.md#h9).
    startupProbe: { ...probe('/alive'), periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 150 },
    livenessProbe: { ...probe('/alive'), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
    readinessProbe: { ...probe('/ready'), periodSeconds: 2, timeoutSeconds: 3, failureThreshold: 3 },
    lifecycle: { preStop: probe('/drain') },
    ...(sealed === undefined ? {} : drainingProbes(MEMBER_PORTS.metrics)),
  };
}

/** A CPU request without a limit, and a memory limit equal to the request: always Burstable. */
export function containerResources({ cpu, memory }: ComputeResources) {
  return { requests: { cpu, memory }, limits: { memory } };
}

function environment(node: MarekvsNode, { seeds = [], dataDir = ownDataDir(node), sealed }: PodOptions): IEnvVar[] {
  const { template, clusterName, nodeId } = node.spec;
  const headless = `${headlessServiceName(clusterName)}.${node.metadata.namespace}.svc:${MEMBER_PORTS.gossip}`;
  const listen = (port: number, host = '0.0.0.0') => `${host}:${port}`;
  const settings: IEnvVar[] = [
    { name: 'MAREKVS_NODE_ID', value: String(nodeId) },
    { name: 'MAREKVS_ADVERTISE_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    { name: 'MAREKVS_SEEDS', value: [...seeds, headless].join(',') },
    { name: 'MAREKVS_CLUSTER', value: template.clusterIdentity },
    { name: 'MAREKVS_REPLICAS_N', value: String(template.replicationFactor) },
    { name: 'MAREKVS_GC_GRACE_SECS', value: String(template.gcGraceSeconds) },
    { name: 'MAREKVS_DATA_DIR', value: dataDir },
    { name: 'MAREKVS_RESP_ADDR', value: listen(MEMBER_PORTS.resp, sealed === undefined ? undefined : LOOPBACK) },
    { name: 'MAREKVS_MESH_ADDR', value: listen(MEMBER_PORTS.mesh) },
    { name: 'MAREKVS_GOSSIP_ADDR', value: listen(MEMBER_PORTS.gossip) },
    { name: 'MAREKVS_METRICS_ADDR', value: listen(MEMBER_PORTS.metrics) },
    { name: 'MAREKVS_JOIN_TIMEOUT_SECS', value: '0' },
  ];
  const { authSecretRef } = template;
  if (sealed !== undefined) {
    settings.push({ name: 'MAREKVS_REQUIREPASS', value: sealed.password });
  } else if (authSecretRef !== undefined) {
    settings.push({ name: 'MAREKVS_REQUIREPASS', valueFrom: { secretKeyRef: { ...authSecretRef } } });
  }
  // Refused at admission, but a node stored by another version may still have one, and the last of two equal names
  // would win.
  const names = Object.keys(template.env ?? {}).filter((name) => !OWNED_ENV.includes(name));
  const extra = names.map((name) => ({ name, value: template.env?.[name] ?? '' }));
  return [...settings, ...extra.sort((a, b) => (a.name < b.name ? -1 : 1))];
}

/** Always spreads over hosts, beside the user's own constraints. These count the cluster's Pods unless they say
 *  otherwise.
 *  @param isStrict no host gets two members while another has none; unlike an anti-affinity, this admits a member that
 *  replaces one that is still there */
function spreadConstraints(node: MarekvsNode, isStrict: boolean): ITopologySpreadConstraint[] {
  const { scheduling } = node.spec.template;
  const asked = scheduling?.hostnameSpreadWhenUnsatisfiable ?? 'ScheduleAnyway';
  const whenUnsatisfiable = isStrict ? 'DoNotSchedule' : asked;
  const labelSelector = { matchLabels: { ...clusterSelector(node.spec.clusterName) } };
  return [
    {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable,
      labelSelector,
      ...(whenUnsatisfiable === 'DoNotSchedule' ? { nodeTaintsPolicy: 'Honor' as const } : {}),
    },
    ...(scheduling?.topologySpreadConstraints ?? []).map(
      (constraint) => ({ labelSelector, ...constraint }) as ITopologySpreadConstraint,
    ),
  ];
}
