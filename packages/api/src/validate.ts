// Is this spec one we act on? The static rules of the schema once more, for objects stored before a rule existed
// (`failures.md` F16). Written by hand: the schema library stays out of the running operator.

import type { MarekvsClusterSpec } from './cluster.ts';
import { OWNED_LABEL_PREFIX, OWNED_LABELS } from './labels.ts';
import { ENUM_VALUES, ENV_NAME_PATTERN, INTEGER_RANGES, MAX, OWNED_ENV } from './limits.ts';
import { enumMessage, MESSAGES, rangeMessage } from './messages.ts';
import { CLUSTER_NAME_PATTERN, HEADLESS_SUFFIX, MAX_CLUSTER_NAME_LENGTH } from './names.ts';
import { tryParseQuantity } from './quantity.ts';

/** One broken rule. `path` is the field from the root of the object; `message` names it and says what would be right. */
export interface FieldProblem {
  readonly path: string;
  readonly message: string;
}

type Check = (spec: MarekvsClusterSpec) => readonly FieldProblem[];

const CHECKS: readonly Check[] = [image, ranges, enums, quantities, autoscale, extraEnv, podMetadata];
const ENV_NAME = new RegExp(ENV_NAME_PATTERN);
const CLUSTER_NAME = new RegExp(CLUSTER_NAME_PATTERN);

/** Every static rule the spec breaks, in the order of the rules; with `oldSpec` also those about the change. Pure. */
export function validateClusterSpec(spec: MarekvsClusterSpec, oldSpec?: MarekvsClusterSpec): readonly FieldProblem[] {
  const problems = CHECKS.flatMap((check) => check(spec));
  return oldSpec === undefined ? problems : [...problems, ...storageChange(spec, oldSpec)];
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
    ...positiveQuantity(spec, 'resources.cpu', MESSAGES.cpu),
    ...positiveQuantity(spec, 'resources.memory', MESSAGES.memory),
  ];
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

function extraEnv(spec: MarekvsClusterSpec): readonly FieldProblem[] {
  const names = Object.keys(spec.extraEnv ?? {});
  const problems: FieldProblem[] = [];
  if (names.some((name) => OWNED_ENV.includes(name))) problems.push(problem('extraEnv', MESSAGES.envOwned));
  if (names.some((name) => name.length > MAX.envName || !ENV_NAME.test(name))) {
    problems.push(problem('extraEnv', MESSAGES.envName));
  }
  return problems;
}

function podMetadata(spec: MarekvsClusterSpec): readonly FieldProblem[] {
  const isOurs = (key: string) => key.startsWith(OWNED_LABEL_PREFIX);
  const labels = Object.keys(spec.podMetadata?.labels ?? {});
  const annotations = Object.keys(spec.podMetadata?.annotations ?? {});
  const problems: FieldProblem[] = [];
  if (labels.some((key) => isOurs(key) || OWNED_LABELS.includes(key))) {
    problems.push(problem('podMetadata.labels', MESSAGES.podLabels));
  }
  if (annotations.some(isOurs)) problems.push(problem('podMetadata.annotations', MESSAGES.podAnnotations));
  return problems;
}

function storageChange(spec: MarekvsClusterSpec, old: MarekvsClusterSpec): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const before = old.storage?.size === undefined ? undefined : tryParseQuantity(old.storage.size);
  const after = spec.storage?.size === undefined ? undefined : tryParseQuantity(spec.storage.size);
  if (before !== undefined && after !== undefined && after.nanos < before.nanos) {
    problems.push(problem('storage.size', MESSAGES.storageShrink));
  }
  if (spec.storage?.className !== old.storage?.className) {
    problems.push(problem('storage.className', MESSAGES.storageClass));
  }
  return problems;
}

function positiveQuantity(spec: MarekvsClusterSpec, path: string, message: string): readonly FieldProblem[] {
  const value = valueAt(spec, path);
  if (value === undefined) return [];
  const parsed = typeof value === 'string' || Number.isInteger(value) ? tryParseQuantity(String(value)) : undefined;
  return parsed !== undefined && parsed.nanos > 0n ? [] : [problem(path, message)];
}

function problem(path: string, message: string): FieldProblem {
  return { path: `spec.${path}`, message };
}

/** The value at a dotted path below the spec; undefined when any part is missing. */
function valueAt(spec: MarekvsClusterSpec, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), spec);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function enumPaths(): readonly (keyof typeof ENUM_VALUES)[] {
  return Object.keys(ENUM_VALUES).filter((path): path is keyof typeof ENUM_VALUES => Object.hasOwn(ENUM_VALUES, path));
}
