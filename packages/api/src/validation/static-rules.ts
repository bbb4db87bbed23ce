// Static rules both kinds share: environment, Pod labels, quantities, and what may change about a volume.

import { OWNED_LABEL_PREFIX, OWNED_LABELS } from '../names/labels.ts';
import { DEFAULTS, ENV_NAME_PATTERN, LABEL_VALUE_PATTERN, MAX, OWNED_ENV } from '../rules/limits.ts';
import { envMessages, MESSAGES, podMetadataMessages } from '../rules/messages.ts';
import { type Quantity, tryParseQuantity } from '../values/quantity.ts';

/** One broken rule. `path` is the field from the root of the object; `message` names it and says what would be
 *  right. */
export interface FieldProblem {
  readonly path: string;
  readonly message: string;
}

/** A rule evaluated for one object: its field, what would be right, and whether it is broken. */
export type Rule = readonly [path: string, message: string, isBroken: boolean];

export function broken(rules: readonly Rule[]): readonly FieldProblem[] {
  return rules.flatMap(([path, message, isBroken]) => (isBroken ? [{ path, message }] : []));
}

type Texts = Readonly<Record<string, string>> | undefined;

interface Storage {
  readonly size?: string | number | undefined;
  readonly className?: string | undefined;
  readonly volumeAttributesClassName?: string | undefined;
}

const ENV_NAME = new RegExp(ENV_NAME_PATTERN);
const LABEL_VALUE = new RegExp(LABEL_VALUE_PATTERN);

export function environmentProblems(path: string, env: Texts): readonly FieldProblem[] {
  const names = Object.keys(env ?? {});
  const messages = envMessages(path);
  return broken([
    [path, messages.owned, names.some((name) => OWNED_ENV.includes(name))],
    [path, messages.name, !names.every(isEnvName)],
  ]);
}

function isEnvName(name: string): boolean {
  return name.length <= MAX.envName && ENV_NAME.test(name) && name !== '.' && !name.startsWith('..');
}

export function podMetadataProblems(
  path: string,
  metadata: { readonly labels?: Texts; readonly annotations?: Texts } | undefined,
): readonly FieldProblem[] {
  const messages = podMetadataMessages(path);
  const labels = Object.keys(metadata?.labels ?? {});
  const isOurs = (key: string) => key.startsWith(OWNED_LABEL_PREFIX);
  return broken([
    [`${path}.labels`, messages.owned, labels.some((key) => isOurs(key) || OWNED_LABELS.includes(key))],
    [`${path}.labels`, messages.value, !areLabelValues(metadata?.labels)],
    [`${path}.annotations`, messages.annotations, Object.keys(metadata?.annotations ?? {}).some(isOurs)],
  ]);
}

export function areLabelValues(labels: Texts): boolean {
  return Object.values(labels ?? {}).every((value) => LABEL_VALUE.test(value));
}

/** A volume may grow but not shrink, and its StorageClass may not change, not even from unset to set. Its
 *  VolumeAttributesClass may change but not be removed. */
export function storageChangeProblems(storage: Storage | undefined, old: Storage | undefined): readonly FieldProblem[] {
  const before = sizeOf(old);
  const after = sizeOf(storage);
  const isSmaller = before !== undefined && after !== undefined && after.millis < before.millis;
  const isTakenOut = old?.volumeAttributesClassName !== undefined && storage?.volumeAttributesClassName === undefined;
  return broken([
    ['spec.storage.size', MESSAGES.storageShrink, isSmaller],
    ['spec.storage.className', MESSAGES.storageClass, storage?.className !== old?.className],
    ['spec.storage.volumeAttributesClassName', MESSAGES.volumeAttributesClass, isTakenOut],
  ]);
}

export function isPositiveQuantity(value: unknown): boolean {
  const text = typeof value === 'string' ? value : Number.isInteger(value) ? String(value) : undefined;
  const parsed = text === undefined ? undefined : tryParseQuantity(text);
  return parsed !== undefined && parsed.millis > 0n;
}

/** Unset is compared as the default: a stored object always carries it. */
function sizeOf(storage: Storage | undefined): Quantity | undefined {
  return tryParseQuantity(storage?.size ?? DEFAULTS.storage.size);
}
