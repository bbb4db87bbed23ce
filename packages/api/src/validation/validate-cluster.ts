// Whether a spec may be acted on: the static rules of the schema again, for objects stored before a rule existed
// (docs/design/faults.md#f16). Written by hand, because the schema library stays out of the running operator.

import { CLUSTER_NAME_PATTERN, HEADLESS_SUFFIX, MAX_CLUSTER_NAME_LENGTH } from '../names/names.ts';
import type { MarekvsClusterSpec } from '../objects/cluster.ts';
import {
  DEFAULTS,
  ENUM_VALUES,
  INTEGER_RANGES,
  MAX,
  MIN_GC_GRACE_SECONDS,
  REFUSED_ENV,
  REMOVAL_SECONDS,
} from '../rules/limits.ts';
import { enumMessage, MESSAGES, rangeMessage } from '../rules/messages.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { valueAt } from '../values/is-record.ts';
import { tryParseQuantity } from '../values/quantity.ts';
import { clientProblems } from './client-peers.ts';
import {
  areLabelValues,
  broken,
  environmentProblems,
  type FieldProblem,
  isPositiveQuantity,
  podMetadataProblems,
  type Rule,
  storageChangeProblems,
} from './static-rules.ts';

const CLUSTER_NAME = new RegExp(CLUSTER_NAME_PATTERN);

/** Every static rule the spec breaks, in the order of the rules; with `oldSpec` also those about the change. Pure. */
export function validateClusterSpec(spec: MarekvsClusterSpec, oldSpec?: MarekvsClusterSpec): readonly FieldProblem[] {
  const problems = [
    ...broken(rulesOf(spec)),
    ...environmentProblems('spec.extraEnv', spec.extraEnv),
    ...podMetadataProblems('spec.podMetadata', spec.podMetadata),
    ...clientProblems(spec.clients),
  ];
  if (oldSpec === undefined) return problems;
  return [...problems, ...storageChangeProblems(spec.storage, oldSpec.storage), ...broken(changeRules(spec, oldSpec))];
}

/** Every static rule a new spec breaks: also those that spare what was stored before they existed. Pure. */
export function validateNewClusterSpec(spec: MarekvsClusterSpec): readonly FieldProblem[] {
  return [...validateClusterSpec(spec), ...broken([gcGraceFloor(spec), clientGraceFits(spec), upstream(spec)])];
}

function rulesOf(spec: MarekvsClusterSpec): readonly Rule[] {
  const { reclaimPvcs, volumeRetention, hosts } = spec;
  return [
    ['spec.image', MESSAGES.image, !isText(spec.image, MAX.image) || spec.image !== spec.image.trim()],
    ['spec.nodeSelector', MESSAGES.nodeSelector, !areLabelValues(spec.nodeSelector)],
    ...ranges(spec),
    ...enums(spec),
    ...quantities(spec),
    ...autoGrow(spec),
    // An unset whenScaled follows `reclaimPvcs`; only an explicit Retain contradicts it.
    ['spec.reclaimPvcs', MESSAGES.reclaim, reclaimPvcs === true && volumeRetention?.whenScaled === 'Retain'],
    ...autoscale(spec),
    [
      'spec.hosts.replaceOnDrain',
      MESSAGES.replaceNeedsMove,
      hosts?.replaceOnDrain === true && hosts.moveOnDrain === false,
    ],
    ...onePerHost(spec),
  ];
}

function changeRules(spec: MarekvsClusterSpec, oldSpec: MarekvsClusterSpec): readonly Rule[] {
  const graceOf = ({ gcGraceSeconds = DEFAULTS.gcGraceSeconds }: MarekvsClusterSpec) => gcGraceSeconds;
  const isByLoad = spec.autoscale !== undefined && oldSpec.autoscale !== undefined;
  const isByHosts = spec.hosts?.onePerHost !== undefined && oldSpec.hosts?.onePerHost !== undefined;
  const isAnother = (spec.nodes ?? DEFAULTS.nodes) !== (oldSpec.nodes ?? DEFAULTS.nodes);
  return [
    // While load or hosts decide the size, it cannot be edited.
    ['spec.nodes', MESSAGES.sizedByLoad, isByLoad && isAnother],
    ['spec.nodes', MESSAGES.sizedByHosts, isByHosts && isAnother],
    // Hibernated members are started only while deletions are remembered.
    ['spec.gcGraceSeconds', MESSAGES.rememberedAsleep, oldSpec.hibernated === true && graceOf(spec) < graceOf(oldSpec)],
    gcGraceFloor(spec, oldSpec),
    clientGraceFits(spec, oldSpec),
    upstream(spec, oldSpec),
  ];
}

/** A stored value below the floor is no problem as long as it stays the same. */
function gcGraceFloor({ gcGraceSeconds }: MarekvsClusterSpec, oldSpec?: MarekvsClusterSpec): Rule {
  const isBelow = gcGraceSeconds !== undefined && gcGraceSeconds < MIN_GC_GRACE_SECONDS;
  return ['spec.gcGraceSeconds', MESSAGES.gcGraceFloor, isBelow && gcGraceSeconds !== oldSpec?.gcGraceSeconds];
}

/** A deadline that was stored before there was a grace counts as long enough (defaults.ts). */
function clientGraceFits({ removal }: MarekvsClusterSpec, oldSpec?: MarekvsClusterSpec): Rule {
  const deadlineSeconds = removal?.deadlineSeconds ?? DEFAULTS.removal.deadlineSeconds;
  const clientGraceSeconds = removal?.clientGraceSeconds ?? DEFAULTS.removal.clientGraceSeconds;
  const isStored = oldSpec !== undefined && canonicalJson(removal) === canonicalJson(oldSpec.removal);
  const fits = deadlineSeconds >= clientGraceSeconds + REMOVAL_SECONDS;
  return ['spec.removal.deadlineSeconds', MESSAGES.graceFits, !fits && !isStored];
}

/** As with the API server, an edit of another variable counts as a change of all. */
function upstream({ extraEnv }: MarekvsClusterSpec, oldSpec?: MarekvsClusterSpec): Rule {
  const isSet = REFUSED_ENV.some((name) => Object.hasOwn(extraEnv ?? {}, name));
  const isStored = oldSpec !== undefined && canonicalJson(extraEnv) === canonicalJson(oldSpec.extraEnv);
  return ['spec.extraEnv', MESSAGES.upstream, isSet && !isStored];
}

/** Why no cluster may have this name, or undefined. */
export function validateClusterName(name: string): FieldProblem | undefined {
  const fits = name.length <= MAX_CLUSTER_NAME_LENGTH && CLUSTER_NAME.test(name) && !name.endsWith(HEADLESS_SUFFIX);
  return fits ? undefined : { path: 'metadata.name', message: MESSAGES.clusterName };
}

function ranges(spec: MarekvsClusterSpec): readonly Rule[] {
  return Object.entries(INTEGER_RANGES).map(([path, { min, max }]) => {
    const value = valueAt(spec, path);
    const fits = value === undefined || (Number.isInteger(value) && Number(value) >= min && Number(value) <= max);
    return [`spec.${path}`, rangeMessage(path, min, max), !fits];
  });
}

function enums(spec: MarekvsClusterSpec): readonly Rule[] {
  return Object.entries(ENUM_VALUES).map(([path, values]) => {
    const value = valueAt(spec, path);
    const fits = value === undefined || values.some((one) => one === value);
    return [`spec.${path}`, enumMessage(path, values), !fits];
  });
}

const QUANTITIES: Readonly<Record<string, string>> = {
  'storage.size': MESSAGES.storageSize,
  'storage.autoGrow.max': MESSAGES.autoGrowLimit,
  'resources.cpu': MESSAGES.cpu,
  'resources.memory': MESSAGES.memory,
};

function quantities(spec: MarekvsClusterSpec): readonly Rule[] {
  return Object.entries(QUANTITIES).map(([path, message]) => {
    const value = valueAt(spec, path);
    return [`spec.${path}`, message, value !== undefined && !isPositiveQuantity(value)];
  });
}

function autoGrow({ storage }: MarekvsClusterSpec): readonly Rule[] {
  if (storage?.autoGrow === undefined) return [];
  const { max } = storage.autoGrow as Partial<typeof storage.autoGrow>;
  const limit = max === undefined ? undefined : tryParseQuantity(max);
  const size = tryParseQuantity(storage.size ?? DEFAULTS.storage.size);
  const isBelow = limit !== undefined && size !== undefined && limit.millis < size.millis;
  return [
    ['spec.storage.autoGrow.max', MESSAGES.autoGrowLimit, max === undefined],
    ['spec.storage.autoGrow.max', MESSAGES.autoGrowMax, isBelow],
  ];
}

function autoscale(spec: MarekvsClusterSpec): readonly Rule[] {
  if (spec.autoscale === undefined) return [];
  const { minNodes, maxNodes, targetOpsPerNode: target, targetDiskPercent } = spec.autoscale;
  const bounds = (['autoscale.minNodes', 'autoscale.maxNodes'] as const).map((path): Rule => {
    const { min, max } = INTEGER_RANGES[path];
    return [`spec.${path}`, rangeMessage(path, min, max), valueAt(spec, path) === undefined];
  });
  return [
    ...bounds,
    ['spec.autoscale.minNodes', MESSAGES.minMax, minNodes > maxNodes],
    ['spec.autoscale.targetOpsPerNode', MESSAGES.targetOps, target !== undefined && !(target > 0)],
    ['spec.autoscale', MESSAGES.target, target === undefined && targetDiskPercent === undefined],
  ];
}

function onePerHost({ hosts, autoscale: byLoad }: MarekvsClusterSpec): readonly Rule[] {
  if (hosts?.onePerHost === undefined) return [];
  const { nodeSelector = {}, minNodes, maxNodes } = hosts.onePerHost as Partial<typeof hosts.onePerHost>;
  const isUpsideDown = minNodes !== undefined && maxNodes !== undefined && minNodes > maxNodes;
  return [
    ['spec.hosts', MESSAGES.onePerHostOrLoad, byLoad !== undefined],
    ['spec.hosts.onePerHost.nodeSelector', MESSAGES.onePerHostSelector, Object.keys(nodeSelector).length === 0],
    ['spec.hosts.onePerHost.nodeSelector', MESSAGES.onePerHostLabels, !areLabelValues(nodeSelector)],
    ['spec.hosts.onePerHost.minNodes', MESSAGES.onePerHostMinMax, isUpsideDown],
  ];
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= most;
}
