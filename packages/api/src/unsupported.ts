// Which accepted fields have no effect in this version. They are named in the condition UnsupportedFields, never
// silently ignored; each later capability takes its line out of the list.

import type { MarekvsClusterSpec } from './cluster.ts';
import { DEFAULTS } from './default-values.ts';
import { compareQuantities, tryParseQuantity } from './quantity.ts';

interface UnsupportedField {
  /** From the root of the object. */
  readonly path: string;
  /** True when the spec asks for something this version does not do. */
  readonly isAskedFor: (spec: MarekvsClusterSpec) => boolean;
}

/** Fields without behaviour today. A value equal to the default asks for nothing: the API server writes defaults into
 *  every stored object, so they cannot be told from a user's words. */
export const UNSUPPORTED_FIELDS: readonly UnsupportedField[] = [
  { path: 'spec.autoscale', isAskedFor: (spec) => spec.autoscale !== undefined },
];

/** What the cluster has now, where the spec alone cannot tell that something is asked for. */
export interface ExistingState {
  /** Size of the existing volumes as a quantity. */
  readonly storageSize?: string | undefined;
  /** What the members run with. */
  readonly replicationFactor?: number | undefined;
  readonly gcGraceSeconds?: number | undefined;
  /** With which password; undefined: with none. Only where `replicationFactor` says that members are there. */
  readonly auth?: { readonly secretRef: { readonly name: string; readonly key: string } } | undefined;
}

/** The paths of the fields the spec sets and this version does not act on, in a fixed order. With `existing`, a
 *  `spec.storage.size` above the existing volumes is among them, and what all members must share and run with otherwise. Pure. */
export function unsupportedFieldsUsed(spec: MarekvsClusterSpec, existing: ExistingState = {}): readonly string[] {
  const paths = UNSUPPORTED_FIELDS.filter((field) => field.isAskedFor(spec)).map((field) => field.path);
  return [
    ...paths,
    ...(isGrowth(spec.storage?.size, existing.storageSize) ? ['spec.storage.size'] : []),
    ...(isOther(spec.replicationFactor ?? DEFAULTS.replicationFactor, existing.replicationFactor)
      ? ['spec.replicationFactor']
      : []),
    ...(isOther(spec.gcGraceSeconds ?? DEFAULTS.gcGraceSeconds, existing.gcGraceSeconds)
      ? ['spec.gcGraceSeconds']
      : []),
    ...(existing.replicationFactor !== undefined && passwordText(spec.auth) !== passwordText(existing.auth)
      ? ['spec.auth']
      : []),
  ];
}

function passwordText(auth: ExistingState['auth']): string {
  return auth === undefined ? '' : `${auth.secretRef.name}/${auth.secretRef.key}`;
}

function isOther(wanted: number, present: number | undefined): boolean {
  return present !== undefined && present !== wanted;
}

function isGrowth(wanted: string | number | undefined, present: string | undefined): boolean {
  if (present === undefined || wanted === undefined) return false;
  if (tryParseQuantity(wanted) === undefined || tryParseQuantity(present) === undefined) return false;
  return compareQuantities(wanted, present) > 0;
}
