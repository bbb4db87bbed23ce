// Which fields of a spec do not take effect for every member the moment they are written, and what this version does
// with each. The only such table: conditions and `kubectl mkv` are built from it.

import type { NodeTemplate } from '../objects/node.ts';
import { shortened } from '../values/cut-text.ts';
import { isRecord } from '../values/is-record.ts';

/** A field that reaches a member with the template its Pod is made from. */
export interface TemplateField {
  readonly path: string;
  readonly read: (template: NodeTemplate) => unknown;
  /** A value as a person reads it, next to the one it differs from. Never the value of a variable or an annotation:
   *  it may be a secret. */
  readonly text: (value: unknown, other: unknown) => string;
  /** `member`: members may have different values for a while. `auth`: different values mean that only some members
   *  require a password. */
  readonly group: 'member' | 'auth';
}

export const TEMPLATE_FIELDS: readonly TemplateField[] = [
  member('spec.replicationFactor', (one) => one.replicationFactor),
  member('spec.gcGraceSeconds', (one) => one.gcGraceSeconds),
  { path: 'spec.auth', read: (one) => one.authSecretRef, text: secret, group: 'auth' },
  member('spec.image', (one) => one.image),
  member('spec.imagePullPolicy', (one) => one.imagePullPolicy),
  member('spec.imagePullSecrets', (one) => one.imagePullSecrets?.map(({ name }) => name).join(', ')),
  member('spec.resources.cpu', (one) => one.resources.cpu),
  member('spec.resources.memory', (one) => one.resources.memory),
  member('spec.extraEnv', (one) => one.env, names),
  member('spec.nodeSelector', (one) => one.scheduling?.nodeSelector, pairs),
  member('spec.tolerations', (one) => one.scheduling?.tolerations),
  member('spec.affinity', (one) => one.scheduling?.affinity),
  member('spec.topologySpreadConstraints', (one) => one.scheduling?.topologySpreadConstraints),
  member('spec.hostnameSpreadWhenUnsatisfiable', (one) => one.scheduling?.hostnameSpreadWhenUnsatisfiable),
  member('spec.priorityClassName', (one) => one.scheduling?.priorityClassName),
  member('spec.podMetadata.labels', (one) => one.podMetadata?.labels, pairs),
  member('spec.podMetadata.annotations', (one) => one.podMetadata?.annotations, names),
];

function member(path: string, read: TemplateField['read'], text: TemplateField['text'] = plain): TemplateField {
  return { path, read, text, group: 'member' };
}

/** Longer texts, such as structures, are cut. */
const MAX_TEXT = 80;

function plain(value: unknown): string {
  if (value === undefined || value === '') return 'none';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return shortened(text, MAX_TEXT);
}

function secret(value: unknown): string {
  if (!isRecord(value)) return 'no password';
  return plain(`Secret ${String(value.name)}, key ${String(value.key)}`);
}

/** `disk=ssd, zone=a`. */
function pairs(value: unknown): string {
  if (!isRecord(value) || Object.keys(value).length === 0) return 'none';
  return plain(
    Object.keys(value)
      .sort()
      .map((key) => `${key}=${String(value[key])}`)
      .join(', '),
  );
}

/** The names of the entries that `other` lacks or has with another value; without any, those that only `other` has. */
function names(value: unknown, other: unknown): string {
  const own = isRecord(value) ? value : {};
  const theirs = isRecord(other) ? other : {};
  const changed = Object.keys(own).filter((key) => own[key] !== theirs[key]);
  if (changed.length > 0)
    return plain(
      changed
        .sort()
        .map((key) => (Object.hasOwn(theirs, key) ? `${key} (another value)` : key))
        .join(', '),
    );
  const missing = Object.keys(theirs).filter((key) => !Object.hasOwn(own, key));
  return missing.length === 0 ? 'none' : plain(`without ${missing.sort().join(', ')}`);
}
