// Is this spec one we act on? The static rules of the schema once more, for objects stored before a rule existed
// (docs/design/faults.md#f16). Written by hand: the schema library stays out of the running operator.

import type { MarekvsClusterSpec } from './cluster.ts';
import { DEFAULTS } from './default-values.ts';
import { valueAt } from './is-record.ts';
import { ENUM_VALUES, INTEGER_RANGES, LABEL_VALUE_PATTERN, MAX } from './limits.ts';
import { enumMessage, MESSAGES, rangeMessage } from './messages.ts';
import { CLUSTER_NAME_PATTERN, HEADLESS_SUFFIX, MAX_CLUSTER_NAME_LENGTH } from './names.ts';
import { tryParseQuantity } from './quantity.ts';
import {
  environmentProblems,
  type FieldProblem,
  isPositiveQuantity,
  podMetadataProblems,
  storageChangeProblems,
} from './static-rules.ts';

type Check = (spec: MarekvsClusterSpec) => readonly FieldProblem[];

const CHECKS: readonly Check[] = [
  image,
  ranges,
  enums,
  quantities,
  autoGrow,
  reclaim,
  autoscale,
  drains,
  onePerHost,
  extraEnv,
  podMetadata,
];
const CLUSTER_NAME = new RegExp(CLUSTER_NAME_PATTERN);
const LABEL_VALUE = new RegExp(LABEL_VALUE_PATTERN);

/** Every static rule the spec breaks, in the order of the rules; with `oldSpec` also those about the change. Pure. */
export function validateClusterSpec(spec: MarekvsClusterSpec, oldSpec?: MarekvsClusterSpec): readonly FieldProblem[] {
  const problems = CHECKS.flatMap((check) => check(spec));
  if (oldSpec === undefined) return problems;
  return [
    ...problems,
    ...storageChangeProblems(spec.storage, oldSpec.storage),
    ...sizeChangeProblems(spec, oldSpec),
    ...sleepChangeProblems(spec, oldSpec),
  ];
}

/** Who sleeps is started only while deletions are remembered. */
function sleepChangeProblems(spec: MarekvsClusterSpec, oldSpec: MarekvsClusterSpec): readonly FieldProblem[] {
  const graceOf = ({ gcGraceSeconds = DEFAULTS.gcGraceSeconds }: MarekvsClusterSpec) => gcGraceSeconds;
  const isLowered = oldSpec.hibernated === true && graceOf(spec) < graceOf(oldSpec);
  return isLowered ? [problem('gcGraceSeconds', MESSAGES.rememberedAsleep)] : [];
}

/** A size that is decided by load or hosts is not edited beside it. */
function sizeChangeProblems(spec: MarekvsClusterSpec, oldSpec: MarekvsClusterSpec): readonly FieldProblem[] {
  const isByLoad = spec.autoscale !== undefined && oldSpec.autoscale !== undefined;
  const isSame = (spec.nodes ?? DEFAULTS.nodes) === (oldSpec.nodes ?? DEFAULTS.nodes);
  const isByHosts = spec.hosts?.onePerHost !== undefined && oldSpec.hosts?.onePerHost !== undefined;
  return [
    ...(isByLoad && !isSame ? [problem('nodes', MESSAGES.sizedByLoad)] : []),
    ...(isByHosts && !isSame ? [problem('nodes', MESSAGES.sizedByHosts)] : []),
  ];
}

/** Why no cluster may have this name, or undefined. */
export function validateClusterName(name: string): FieldProblem | undefined {
  const fits = name.length <= MAX_CLUSTER_NAME_LENGTH && CLUSTER_NAME.test(name) && !name.endsWith(HEADLESS_SUFFIX);
  return fits ? undefined : { path: 'metadata.name', message: MESSAGES.clusterName };
}

function image(spec: MarekvsClusterSpec): readonly FieldProblem[] {
  const given: unknown = spec.image;
  const fits = typeof given === 'string' && given.length > 0 && given.length <= MAX.image;
  return fits ? [] : [problem('image', MESSAGES.image)];
}

function ranges(spec: MarekvsClusterSpec): readonly FieldProblem[] {
  return Object.entries(INTEGER_RANGES).flatMap(([path, { min, max }]) => {
    const value = valueAt(spec, path);
    const fits = value === undefined || (Number.isInteger(value) && Number(value) >= min && Number(value) <= max);
    return fits ? [] : [problem(path, rangeMessage(path, min, max))];
  });
}

function enums(spec: MarekvsClusterSpec): readonly FieldProblem[] {
  return enumPaths().flatMap((path) => {
    const value = valueAt(spec, path);
    const allowed: readonly unknown[] = ENUM_VALUES[path];
    return value === undefined || allowed.includes(value) ? [] : [problem(path, enumMessage(path))];
  });
}

function quantities(spec: MarekvsClusterSpec): readonly FieldProblem[] {
  return [
    ...positiveQuantity(spec, 'storage.size', MESSAGES.storageSize),
    ...positiveQuantity(spec, 'storage.autoGrow.max', MESSAGES.autoGrowLimit),
    ...positiveQuantity(spec, 'resources.cpu', MESSAGES.cpu),
    ...positiveQuantity(spec, 'resources.memory', MESSAGES.memory),
  ];
}

function autoGrow({ storage }: MarekvsClusterSpec): readonly FieldProblem[] {
  if (storage?.autoGrow === undefined) return [];
  const { max } = storage.autoGrow as Partial<typeof storage.autoGrow>;
  if (max === undefined) return [problem('storage.autoGrow.max', MESSAGES.autoGrowLimit)];
  const [limit, size] = [tryParseQuantity(max), tryParseQuantity(storage.size ?? DEFAULTS.storage.size)];
  if (limit === undefined || size === undefined || limit.millis >= size.millis) return [];
  return [problem('storage.autoGrow.max', MESSAGES.autoGrowMax)];
}

/** Unset follows `reclaimPvcs`; only a written Retain says the opposite. */
function reclaim(spec: MarekvsClusterSpec): readonly FieldProblem[] {
  const isContradiction = spec.reclaimPvcs === true && spec.volumeRetention?.whenScaled === 'Retain';
  return isContradiction ? [problem('reclaimPvcs', MESSAGES.reclaim)] : [];
}

function autoscale(spec: MarekvsClusterSpec): readonly FieldProblem[] {
  const given = spec.autoscale;
  if (given === undefined) return [];
  const problems: FieldProblem[] = [];
  for (const path of ['autoscale.minNodes', 'autoscale.maxNodes'] as const) {
    const { min, max } = INTEGER_RANGES[path];
    if (valueAt(spec, path) === undefined) problems.push(problem(path, rangeMessage(path, min, max)));
  }
  if (given.minNodes > given.maxNodes) problems.push(problem('autoscale.minNodes', MESSAGES.minMax));
  const { targetOpsPerNode: target } = given;
  if (target !== undefined && !(target > 0)) problems.push(problem('autoscale.targetOpsPerNode', MESSAGES.targetOps));
  if (target === undefined && given.targetDiskPercent === undefined) {
    problems.push(problem('autoscale', MESSAGES.target));
  }
  return problems;
}

function drains({ hosts }: MarekvsClusterSpec): readonly FieldProblem[] {
  const isContradiction = hosts?.replaceOnDrain === true && hosts.moveOnDrain === false;
  return isContradiction ? [problem('hosts.replaceOnDrain', MESSAGES.replaceNeedsMove)] : [];
}

function onePerHost({ hosts, autoscale: byLoad }: MarekvsClusterSpec): readonly FieldProblem[] {
  if (hosts?.onePerHost === undefined) return [];
  const { nodeSelector = {}, minNodes, maxNodes } = hosts.onePerHost as Partial<typeof hosts.onePerHost>;
  const labels = Object.values(nodeSelector);
  const problems: FieldProblem[] = [];
  if (byLoad !== undefined) problems.push(problem('hosts', MESSAGES.onePerHostOrLoad));
  if (labels.length === 0) problems.push(problem('hosts.onePerHost.nodeSelector', MESSAGES.onePerHostSelector));
  if (labels.some((value) => !LABEL_VALUE.test(value)))
    problems.push(problem('hosts.onePerHost.nodeSelector', MESSAGES.onePerHostLabels));
  if (minNodes !== undefined && maxNodes !== undefined && minNodes > maxNodes)
    problems.push(problem('hosts.onePerHost.minNodes', MESSAGES.onePerHostMinMax));
  return problems;
}

function extraEnv(spec: MarekvsClusterSpec): readonly FieldProblem[] {
  return environmentProblems('spec.extraEnv', spec.extraEnv);
}

function podMetadata(spec: MarekvsClusterSpec): readonly FieldProblem[] {
  return podMetadataProblems('spec.podMetadata', spec.podMetadata);
}

function positiveQuantity(spec: MarekvsClusterSpec, path: string, message: string): readonly FieldProblem[] {
  const value = valueAt(spec, path);
  return value === undefined || isPositiveQuantity(value) ? [] : [problem(path, message)];
}

function problem(path: string, message: string): FieldProblem {
  return { path: `spec.${path}`, message };
}

function enumPaths(): readonly (keyof typeof ENUM_VALUES)[] {
  return Object.keys(ENUM_VALUES).filter((path): path is keyof typeof ENUM_VALUES => Object.hasOwn(ENUM_VALUES, path));
}
