// Defaults of unset fields. The API server writes the same values from the generated schema; these are for objects
// stored before a default existed, and for everything that never saw an API server.

import { DEFAULTS, INTEGER_RANGES, REMOVAL_SECONDS } from '../rules/limits.ts';
import type { Frozen } from '../values/frozen.ts';
import type { MarekvsClusterSpec } from './cluster.ts';

type Filled<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> };
type Spec = Filled<MarekvsClusterSpec>;
type Optional = 'imagePullPolicy' | 'affinity' | 'priorityClassName' | 'auth' | 'clients' | 'reclaimPvcs' | 'autoscale';
type WithDefaults<T, D> = Omit<T, keyof D> & Filled<Pick<T, keyof D & keyof T>>;
type AutoGrow = Exclude<Spec['storage']['autoGrow'], undefined>;

/** A spec in which only fields without a default may be unset. Quantities are texts; `reclaimPvcs` has become
 *  `volumeRetention.whenScaled`. */
export interface EffectiveClusterSpec
  extends Omit<Spec, Optional | 'storage' | 'resources' | 'update' | 'removal' | 'verification' | 'hosts'> {
  readonly storage: Omit<Spec['storage'], 'size' | 'autoGrow'> & {
    readonly size: string;
    readonly autoGrow?: EffectiveAutoGrow;
  };
  readonly resources: { readonly cpu: string; readonly memory: string };
  readonly volumeRetention: Filled<Spec['volumeRetention']>;
  /** minAvailablePercent has no effect. */
  readonly update: Filled<Omit<Spec['update'], 'minAvailablePercent'>>;
  readonly removal: Filled<Spec['removal']>;
  readonly verification: Filled<Spec['verification']>;
  readonly hosts: Filled<Omit<Spec['hosts'], 'onePerHost'>> & {
    /** Undefined: the size is not the number of hosts. */
    readonly onePerHost?: EffectiveOnePerHost;
  };
  readonly podMetadata: Frozen<{ labels: Record<string, string>; annotations: Record<string, string> }>;
  readonly imagePullPolicy?: Spec['imagePullPolicy'];
  readonly affinity?: Spec['affinity'];
  readonly priorityClassName?: string;
  readonly auth?: Spec['auth'];
  readonly clients?: Spec['clients'];
  readonly autoscale?: EffectiveAutoscale;
}

export type EffectiveAutoGrow = Filled<Omit<AutoGrow, 'max'>> & { readonly max: string };
export type EffectiveOnePerHost = Filled<Exclude<Spec['hosts']['onePerHost'], undefined>>;
export type EffectiveAutoscale = WithDefaults<Spec['autoscale'], typeof DEFAULTS.autoscale>;

/** The spec with every default filled in. Pure; does not validate. `reclaimPvcs: true` means
 *  `volumeRetention.whenScaled: Delete` unless that is set; an explicit Retain wins, since it can be undone. */
export function withDefaults(spec: MarekvsClusterSpec): EffectiveClusterSpec {
  const { onePerHost: _selected, ...hosts } = spec.hosts ?? {};
  return {
    image: spec.image,
    nodes: spec.nodes ?? DEFAULTS.nodes,
    replicationFactor: spec.replicationFactor ?? DEFAULTS.replicationFactor,
    imagePullSecrets: spec.imagePullSecrets ?? [],
    storage: storage(spec.storage),
    resources: {
      cpu: String(spec.resources?.cpu ?? DEFAULTS.resources.cpu),
      memory: String(spec.resources?.memory ?? DEFAULTS.resources.memory),
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
    removal: removal(spec.removal),
    verification: over(DEFAULTS.verification, spec.verification),
    hosts: { ...over(DEFAULTS.hosts, hosts), ...optional('onePerHost', onePerHost(spec)) },
    paused: spec.paused ?? DEFAULTS.paused,
    hibernated: spec.hibernated ?? DEFAULTS.hibernated,
    deletionProtection: spec.deletionProtection ?? DEFAULTS.deletionProtection,
    ...optional('imagePullPolicy', spec.imagePullPolicy),
    ...optional('affinity', spec.affinity),
    ...optional('priorityClassName', spec.priorityClassName),
    ...optional('auth', spec.auth),
    ...optional('clients', spec.clients?.from && { from: spec.clients.from }),
    ...optional('autoscale', spec.autoscale && over(DEFAULTS.autoscale, spec.autoscale)),
  };
}

/** The smallest size a cluster is ever brought to: one member may fail and every key still has all its homes. */
export function minimumNodes(spec: Pick<MarekvsClusterSpec, 'replicationFactor'>): number {
  return (spec.replicationFactor ?? DEFAULTS.replicationFactor) + 1;
}

function storage(given: MarekvsClusterSpec['storage']): EffectiveClusterSpec['storage'] {
  const { size, autoGrow, ...classes } = given ?? {};
  const grows = autoGrow && { ...over(DEFAULTS.storage.autoGrow, autoGrow), max: String(autoGrow.max) };
  return { size: String(size ?? DEFAULTS.storage.size), ...over({}, classes), ...optional('autoGrow', grows) };
}

function update(given: MarekvsClusterSpec['update']): EffectiveClusterSpec['update'] {
  const { minAvailablePercent: _noEffect, ...rest } = given ?? {};
  return over(DEFAULTS.update, rest);
}

/** A deadline that was stored before there was a grace may be too short for it. */
function removal(given: MarekvsClusterSpec['removal']): EffectiveClusterSpec['removal'] {
  const { deadlineSeconds, clientGraceSeconds } = over(DEFAULTS.removal, given);
  return { clientGraceSeconds, deadlineSeconds: Math.max(deadlineSeconds, clientGraceSeconds + REMOVAL_SECONDS) };
}

/** Hosts must also have the labels of `spec.nodeSelector`, which every Pod asks for. */
function onePerHost(spec: MarekvsClusterSpec): EffectiveOnePerHost | undefined {
  const given = spec.hosts?.onePerHost;
  if (given === undefined) return undefined;
  return {
    nodeSelector: { ...spec.nodeSelector, ...given.nodeSelector },
    minNodes: given.minNodes ?? 1,
    maxNodes: given.maxNodes ?? INTEGER_RANGES['hosts.onePerHost.maxNodes'].max,
  };
}

function retention(spec: MarekvsClusterSpec): EffectiveClusterSpec['volumeRetention'] {
  const given = spec.volumeRetention;
  const whenScaled = spec.reclaimPvcs === true ? 'Delete' : DEFAULTS.retention;
  return { whenScaled: given?.whenScaled ?? whenScaled, whenDeleted: given?.whenDeleted ?? DEFAULTS.retention };
}

/** Given fields replace their defaults; undefined or null counts as not given. */
function over<D extends object, T extends object>(defaults: D, given: T | undefined): WithDefaults<T, D> {
  const fields = Object.entries(given ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return { ...defaults, ...Object.fromEntries(fields) } as WithDefaults<T, D>;
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}
