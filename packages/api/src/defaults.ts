// What an unset field means. The API server writes the same values from the generated schema; this is for objects
// stored before a default existed, and for everything that never saw an API server.

import type { MarekvsClusterSpec } from './cluster.ts';
import { DEFAULTS } from './default-values.ts';
import type { Frozen } from './frozen.ts';
import { MAX } from './limits.ts';

type Filled<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> };
type Spec = Filled<MarekvsClusterSpec>;
type Optional = 'imagePullPolicy' | 'affinity' | 'priorityClassName' | 'auth' | 'reclaimPvcs' | 'autoscale';

/** A spec in which only what has no default may still be unset. Quantities are texts; `reclaimPvcs` has become
 *  `volumeRetention.whenScaled`. */
export interface EffectiveClusterSpec
  extends Omit<Spec, Optional | 'storage' | 'resources' | 'update' | 'removal' | 'verification' | 'hosts'> {
  readonly storage: EffectiveStorage;
  readonly resources: { readonly cpu: string; readonly memory: string };
  readonly volumeRetention: Filled<Spec['volumeRetention']>;
  readonly update: Filled<Spec['update']>;
  readonly removal: Filled<Spec['removal']>;
  readonly verification: Filled<Spec['verification']>;
  readonly hosts: EffectiveHosts;
  readonly podMetadata: Frozen<{ labels: Record<string, string>; annotations: Record<string, string> }>;
  readonly imagePullPolicy?: Spec['imagePullPolicy'];
  readonly affinity?: Spec['affinity'];
  readonly priorityClassName?: string;
  readonly auth?: Spec['auth'];
  readonly autoscale?: EffectiveAutoscale;
}

export interface EffectiveStorage {
  readonly size: string;
  readonly className?: string;
  readonly volumeAttributesClassName?: string;
  readonly autoGrow?: EffectiveAutoGrow;
}

export interface EffectiveAutoGrow {
  readonly atPercent: number;
  readonly byPercent: number;
  readonly max: string;
  readonly coolDownSeconds: number;
}

export interface EffectiveHosts {
  readonly lostAfterSeconds: number;
  readonly moveOnDrain: boolean;
  readonly replaceOnDrain: boolean;
  /** Undefined: the size is not the number of hosts. */
  readonly onePerHost?: EffectiveOnePerHost;
}

export interface EffectiveOnePerHost {
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly minNodes: number;
  readonly maxNodes: number;
}

export interface EffectiveAutoscale {
  readonly minNodes: number;
  readonly maxNodes: number;
  /** Commands per second one node shall carry; undefined = not sized by load. */
  readonly targetOpsPerNode?: number;
  /** Fill level in percent no node shall pass; undefined = not sized by disk. */
  readonly targetDiskPercent?: number;
  readonly scaleDownStabilizationSeconds: number;
  readonly scaleUpCooldownSeconds: number;
}

/** The spec with every default filled in. Pure; does not validate. `reclaimPvcs: true` means
 *  `volumeRetention.whenScaled: Delete` unless that is written; a written Retain wins, since it can be undone. */
export function withDefaults(spec: MarekvsClusterSpec): EffectiveClusterSpec {
  return {
    image: spec.image,
    nodes: spec.nodes ?? DEFAULTS.nodes,
    replicationFactor: spec.replicationFactor ?? DEFAULTS.replicationFactor,
    imagePullSecrets: spec.imagePullSecrets ?? [],
    storage: storage(spec.storage),
    resources: {
      cpu: String(spec.resources?.cpu ?? DEFAULTS.cpu),
      memory: String(spec.resources?.memory ?? DEFAULTS.memory),
    },
    volumeRetention: retention(spec),
    extraEnv: spec.extraEnv ?? {},
    nodeSelector: spec.nodeSelector ?? {},
    tolerations: spec.tolerations ?? [],
    hostnameSpreadWhenUnsatisfiable: spec.hostnameSpreadWhenUnsatisfiable ?? DEFAULTS.hostnameSpreadWhenUnsatisfiable,
    topologySpreadConstraints: spec.topologySpreadConstraints ?? [],
    podMetadata: { labels: spec.podMetadata?.labels ?? {}, annotations: spec.podMetadata?.annotations ?? {} },
    gcGraceSeconds: spec.gcGraceSeconds ?? DEFAULTS.gcGraceSeconds,
    update: update(spec.update),
    removal: { deadlineSeconds: spec.removal?.deadlineSeconds ?? DEFAULTS.removalDeadlineSeconds },
    verification: { intervalSeconds: spec.verification?.intervalSeconds ?? DEFAULTS.verificationIntervalSeconds },
    hosts: {
      lostAfterSeconds: spec.hosts?.lostAfterSeconds ?? DEFAULTS.lostAfterSeconds,
      moveOnDrain: spec.hosts?.moveOnDrain ?? DEFAULTS.moveOnDrain,
      replaceOnDrain: spec.hosts?.replaceOnDrain ?? DEFAULTS.replaceOnDrain,
      ...optional('onePerHost', onePerHost(spec)),
    },
    paused: spec.paused ?? DEFAULTS.paused,
    hibernated: spec.hibernated ?? DEFAULTS.hibernated,
    deletionProtection: spec.deletionProtection ?? DEFAULTS.deletionProtection,
    ...optional('imagePullPolicy', spec.imagePullPolicy),
    ...optional('affinity', spec.affinity),
    ...optional('priorityClassName', spec.priorityClassName),
    ...optional('auth', spec.auth),
    ...optional('autoscale', autoscale(spec.autoscale)),
  };
}

/** The smallest size a cluster is ever brought to: one member may fail and every key still has all its homes. */
export function minimumNodes(spec: Pick<MarekvsClusterSpec, 'replicationFactor'>): number {
  return (spec.replicationFactor ?? DEFAULTS.replicationFactor) + 1;
}

function storage(given: MarekvsClusterSpec['storage']): EffectiveStorage {
  return {
    size: String(given?.size ?? DEFAULTS.storageSize),
    ...optional('className', given?.className),
    ...optional('volumeAttributesClassName', given?.volumeAttributesClassName),
    ...optional('autoGrow', autoGrow(given?.autoGrow)),
  };
}

function autoGrow(
  given: NonNullable<MarekvsClusterSpec['storage']>['autoGrow'] | undefined,
): EffectiveAutoGrow | undefined {
  if (given === undefined) return undefined;
  return {
    atPercent: given.atPercent ?? DEFAULTS.autoGrowAtPercent,
    byPercent: given.byPercent ?? DEFAULTS.autoGrowByPercent,
    max: String(given.max),
    coolDownSeconds: given.coolDownSeconds ?? DEFAULTS.autoGrowCoolDownSeconds,
  };
}

/** Hosts have to have the labels that every Pod asks for as well. */
function onePerHost(spec: MarekvsClusterSpec): EffectiveOnePerHost | undefined {
  const given = spec.hosts?.onePerHost;
  if (given === undefined) return undefined;
  return {
    nodeSelector: { ...spec.nodeSelector, ...given.nodeSelector },
    minNodes: given.minNodes ?? 1,
    maxNodes: given.maxNodes ?? MAX.nodes,
  };
}

function retention(spec: MarekvsClusterSpec): EffectiveClusterSpec['volumeRetention'] {
  const given = spec.volumeRetention;
  const whenScaled = spec.reclaimPvcs === true ? 'Delete' : DEFAULTS.retention;
  return { whenScaled: given?.whenScaled ?? whenScaled, whenDeleted: given?.whenDeleted ?? DEFAULTS.retention };
}

function update(given: MarekvsClusterSpec['update']): EffectiveClusterSpec['update'] {
  return {
    maxUnavailable: given?.maxUnavailable ?? DEFAULTS.maxUnavailable,
    minAvailablePercent: given?.minAvailablePercent ?? DEFAULTS.minAvailablePercent,
    canaryNodes: given?.canaryNodes ?? DEFAULTS.canaryNodes,
    rollbackOnFailure: given?.rollbackOnFailure ?? DEFAULTS.rollbackOnFailure,
    progressDeadlineSeconds: given?.progressDeadlineSeconds ?? DEFAULTS.progressDeadlineSeconds,
    type: given?.type ?? DEFAULTS.updateType,
  };
}

function autoscale(given: MarekvsClusterSpec['autoscale']): EffectiveAutoscale | undefined {
  if (given === undefined) return undefined;
  return {
    minNodes: given.minNodes,
    maxNodes: given.maxNodes,
    scaleDownStabilizationSeconds: given.scaleDownStabilizationSeconds ?? DEFAULTS.scaleDownStabilizationSeconds,
    scaleUpCooldownSeconds: given.scaleUpCooldownSeconds ?? DEFAULTS.scaleUpCooldownSeconds,
    ...optional('targetOpsPerNode', given.targetOpsPerNode),
    ...optional('targetDiskPercent', given.targetDiskPercent),
  };
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}
