// Answers: which settings that must not change does a member of a StatefulSet run with? Read from its Pod, with the
// server's own defaults (docs/design/server.md#settings). Settings that cannot be read from here (valueFrom, envFrom,
// `$(NAME)`) make the answer unknown; nothing is guessed. Pure.

import { DATA_MOUNT, DEFAULT_CLUSTER_IDENTITY, isDataDir, MEMBER_PORTS, OWNED_ENV, pvcName } from '@marekvs/api';
import type { Pod } from '@marekvs/runtime';

export interface RunningSettings {
  readonly image: string;
  readonly clusterIdentity: string;
  readonly replicationFactor: number;
  readonly gcGraceSeconds: number;
  /** The data directory, as a path in our Pods. */
  readonly dataDir: string;
  /** The Secret that holds the password; `plain`: the password is in the Pod's env; undefined: no password. */
  readonly password: { readonly name: string; readonly key: string } | 'plain' | undefined;
}

export type Settings = { readonly kind: 'known'; readonly settings: RunningSettings } | Unknown;
interface Unknown {
  readonly kind: 'unknown';
  /** Follows the name of the Pod in a message. */
  readonly why: string;
}

const DEFAULT_REPLICATION_FACTOR = '3';
const DEFAULT_GC_GRACE_SECONDS = '3600';
const DEFAULT_DATA_DIR = '.data/n0';
const PORTS: Readonly<Record<string, number>> = {
  MAREKVS_RESP_ADDR: MEMBER_PORTS.resp,
  MAREKVS_MESH_ADDR: MEMBER_PORTS.mesh,
  MAREKVS_GOSSIP_ADDR: MEMBER_PORTS.gossip,
  MAREKVS_METRICS_ADDR: MEMBER_PORTS.metrics,
};

/** The variables whose values are read here. */
const COMPARED: readonly string[] = [
  'MAREKVS_CLUSTER',
  'MAREKVS_DATA_DIR',
  'MAREKVS_GC_GRACE_SECS',
  'MAREKVS_NODE_ID',
  'MAREKVS_REPLICAS_N',
  ...Object.keys(PORTS),
];

type Container = NonNullable<Pod['spec']>['containers'][number];

export function runningSettings(pod: Pod, cluster: string, nodeId: number): Settings {
  const claim = pvcName(cluster, nodeId);
  const volume = pod.spec?.volumes?.find(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claim);
  if (volume === undefined) return unknown(`does not mount PersistentVolumeClaim ${claim}`);
  const container = pod.spec?.containers.find(({ volumeMounts }) =>
    volumeMounts?.some(({ name }) => name === volume.name),
  );
  const mount = container?.volumeMounts?.find(({ name }) => name === volume.name);
  if (container === undefined || mount === undefined) return unknown(`has no container on ${claim}`);
  if ((mount.subPath ?? mount.subPathExpr) !== undefined) return unknown('keeps its data in a subPath of its volume');
  return settingsOf(container, mount.mountPath, nodeId);
}

function settingsOf(container: Container, mountPath: string, nodeId: number): Settings {
  if ((container.envFrom ?? []).length > 0) return unknown('takes settings from envFrom, which cannot be compared');
  const entries = new Map((container.env ?? []).map((entry) => [entry.name, entry]));
  const hidden = [...entries.values()].find(
    ({ name, valueFrom }) => valueFrom !== undefined && OWNED_ENV.includes(name) && !MAY_BE_HIDDEN.has(name),
  );
  if (hidden !== undefined) return unknown(`has ${hidden.name} from elsewhere, which cannot be compared`);
  // Kubernetes replaces `$(NAME)` by the value of another variable, which our Pods do not have.
  const composed = COMPARED.find((name) => entries.get(name)?.value?.includes('$('));
  if (composed !== undefined) return unknown(`has ${composed} made of other variables, which cannot be compared`);
  const value = (name: string, otherwise: string) => entries.get(name)?.value ?? otherwise;
  if (value('MAREKVS_NODE_ID', String(nodeId)) !== String(nodeId))
    return unknown('has another MAREKVS_NODE_ID than its ordinal');
  const moved = Object.entries(PORTS).find(([name, port]) => !value(name, `:${port}`).endsWith(`:${port}`));
  if (moved !== undefined) return unknown(`listens elsewhere: ${moved[0]} is ${value(moved[0], '')}`);
  const dataDir = onOurMount(value('MAREKVS_DATA_DIR', DEFAULT_DATA_DIR), mountPath);
  if (dataDir === undefined)
    return unknown(`keeps its data in ${value('MAREKVS_DATA_DIR', DEFAULT_DATA_DIR)}, which is not on its volume`);
  return {
    kind: 'known',
    settings: {
      image: container.image ?? '',
      clusterIdentity: value('MAREKVS_CLUSTER', DEFAULT_CLUSTER_IDENTITY),
      replicationFactor: Number(value('MAREKVS_REPLICAS_N', DEFAULT_REPLICATION_FACTOR)),
      gcGraceSeconds: Number(value('MAREKVS_GC_GRACE_SECS', DEFAULT_GC_GRACE_SECONDS)),
      dataDir,
      ...passwordOf(entries.get('MAREKVS_REQUIREPASS')),
    },
  };
}

/** May come from valueFrom: it differs per Pod anyway, or the reference itself is compared. */
const MAY_BE_HIDDEN: ReadonlySet<string> = new Set(['MAREKVS_ADVERTISE_IP', 'MAREKVS_REQUIREPASS']);

function passwordOf(entry: NonNullable<Container['env']>[number] | undefined): Pick<RunningSettings, 'password'> {
  const reference = entry?.valueFrom?.secretKeyRef;
  if (reference !== undefined) return { password: { name: reference.name ?? '', key: reference.key } };
  return { password: entry?.value === undefined || entry.value === '' ? undefined : 'plain' };
}

/** Translates a directory to its path in our Pods; undefined when it is not on the volume or `isDataDir` refuses it. */
function onOurMount(path: string, mountPath: string): string | undefined {
  const root = mountPath.replace(/\/+$/, '');
  const own = path.replace(/\/+$/, '');
  if (own !== root && !own.startsWith(`${root}/`)) return undefined;
  const ours = `${DATA_MOUNT}${own.slice(root.length)}`;
  return isDataDir(ours) ? ours : undefined;
}

function unknown(why: string): Unknown {
  return { kind: 'unknown', why };
}
