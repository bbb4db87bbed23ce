// Static rules both kinds share: environment, Pod labels, quantities, and what may change about a volume.

import { DEFAULTS } from './default-values.ts';
import { OWNED_LABEL_PREFIX, OWNED_LABELS } from './labels.ts';
import { ENV_NAME_PATTERN, LABEL_VALUE_PATTERN, MAX, OWNED_ENV } from './limits.ts';
import { envMessages, MESSAGES, podMetadataMessages } from './messages.ts';
import { type Quantity, tryParseQuantity } from './quantity.ts';

/** One broken rule. `path` is the field from the root of the object; `message` names it and says what would be
 *  right. */
export interface FieldProblem {
  readonly path: string;
  readonly message: string;
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
  const problems: FieldProblem[] = [];
  if (names.some((name) => OWNED_ENV.includes(name))) problems.push({ path, message: messages.owned });
  if (names.some((name) => name.length > MAX.envName || !ENV_NAME.test(name))) {
    problems.push({ path, message: messages.name });
  }
  return problems;
}

export function podMetadataProblems(
  path: string,
  metadata: { readonly labels?: Texts; readonly annotations?: Texts } | undefined,
): readonly FieldProblem[] {
  const messages = podMetadataMessages(path);
  const labels = Object.entries(metadata?.labels ?? {});
  const isOurs = (key: string) => key.startsWith(OWNED_LABEL_PREFIX);
  const problems: FieldProblem[] = [];
  if (labels.some(([key]) => isOurs(key) || OWNED_LABELS.includes(key))) {
    problems.push({ path: `${path}.labels`, message: messages.owned });
  }
  if (labels.some(([, value]) => !LABEL_VALUE.test(value))) {
    problems.push({ path: `${path}.labels`, message: messages.value });
  }
  if (Object.keys(metadata?.annotations ?? {}).some(isOurs)) {
    problems.push({ path: `${path}.annotations`, message: messages.annotations });
  }
  return problems;
}

/** A volume may grow; it may not shrink and not move to another class, also not from unset to set. The class of its
 *  attributes may change and not be taken away. */
export function storageChangeProblems(storage: Storage | undefined, old: Storage | undefined): readonly FieldProblem[] {
  const problems: FieldProblem[] = [];
  const before = sizeOf(old);
  const after = sizeOf(storage);
  if (before !== undefined && after !== undefined && after.millis < before.millis) {
    problems.push({ path: 'spec.storage.size', message: MESSAGES.storageShrink });
  }
  if (storage?.className !== old?.className) {
    problems.push({ path: 'spec.storage.className', message: MESSAGES.storageClass });
  }
  if (old?.volumeAttributesClassName !== undefined && storage?.volumeAttributesClassName === undefined) {
    problems.push({ path: 'spec.storage.volumeAttributesClassName', message: MESSAGES.volumeAttributesClass });
  }
  return problems;
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
