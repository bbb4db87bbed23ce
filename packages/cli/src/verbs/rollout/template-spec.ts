// Answers: what has to be written into spec so that the members get a stored template again? Maps a template back to
// the spec fields it was made from. Settings that all members of a cluster share for ever are never changed. Pure.

import {
  type EffectiveClusterSpec,
  isRecord,
  type MarekvsCluster,
  type NodeTemplate,
  withDefaults,
} from '@marekvs/api';
import { nodeStamp } from '@marekvs/operator/projections';
import { sameValue } from '@marekvs/planner';

/** A spec field that a template may hold in another place, and how to read it from the template. */
interface UndoneField {
  readonly field: Extract<keyof EffectiveClusterSpec, string>;
  readonly of: (template: NodeTemplate) => unknown;
}

const FIELDS: readonly UndoneField[] = [
  { field: 'replicationFactor', of: ({ replicationFactor }) => replicationFactor },
  { field: 'gcGraceSeconds', of: ({ gcGraceSeconds }) => gcGraceSeconds },
  { field: 'image', of: ({ image }) => image },
  { field: 'imagePullPolicy', of: ({ imagePullPolicy }) => imagePullPolicy },
  { field: 'imagePullSecrets', of: ({ imagePullSecrets }) => imagePullSecrets },
  { field: 'resources', of: ({ resources }) => resources },
  { field: 'extraEnv', of: ({ env }) => env },
  { field: 'nodeSelector', of: ({ scheduling }) => scheduling?.nodeSelector },
  { field: 'tolerations', of: ({ scheduling }) => scheduling?.tolerations },
  { field: 'affinity', of: ({ scheduling }) => scheduling?.affinity },
  {
    field: 'hostnameSpreadWhenUnsatisfiable',
    of: ({ scheduling }) => scheduling?.hostnameSpreadWhenUnsatisfiable,
  },
  { field: 'topologySpreadConstraints', of: ({ scheduling }) => scheduling?.topologySpreadConstraints },
  { field: 'priorityClassName', of: ({ scheduling }) => scheduling?.priorityClassName },
  { field: 'podMetadata', of: ({ podMetadata }) => podMetadata },
];

/** A merge patch of spec; empty when spec says the same already. */
export type SpecPatch = Readonly<Record<string, unknown>>;

export function specOf(cluster: MarekvsCluster, template: NodeTemplate): SpecPatch {
  const now = templateAskedFor(cluster);
  const { spec } = cluster;
  const changed = FIELDS.filter(({ of }) => !sameValue(of(now), of(template)));
  return Object.fromEntries(changed.map(({ field, of }) => [field, mergePatchTo(spec[field], of(template))]));
}

/** The template that spec results in, without regard to the settings that the members share. */
export function templateAskedFor(cluster: MarekvsCluster): NodeTemplate {
  return nodeStamp(cluster, withDefaults(cluster.spec)).template;
}

/** The settings shared by all members in which the two templates differ. An undo leaves them as they are. */
export function keptApart(template: NodeTemplate, running: NodeTemplate): readonly string[] {
  const shared = ['clusterIdentity', 'authSecretRef'] as const;
  return shared.filter((field) => !sameValue(template[field], running[field]));
}

/** The RFC 7386 merge patch that turns `from` into `to`. What is undefined in `to` is removed. */
function mergePatchTo(from: unknown, to: unknown): unknown {
  if (to === undefined) return null;
  if (!isRecord(from) || !isRecord(to)) return to;
  const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  const changed = keys.filter((key) => !sameValue(from[key], to[key]));
  return Object.fromEntries(changed.map((key) => [key, mergePatchTo(from[key], to[key])]));
}

/** One field that differs, with its value on either side as text; undefined where it is not set. */
export interface FieldDifference {
  readonly path: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Field by field, in the order of the names; lists are compared as a whole. */
export function differences(from: unknown, to: unknown, path = ''): readonly FieldDifference[] {
  if (sameValue(from, to)) return [];
  if (!isRecord(from) && !isRecord(to)) return [{ path, from: valueText(from), to: valueText(to) }];
  if ((from !== undefined && !isRecord(from)) || (to !== undefined && !isRecord(to)))
    return [{ path, from: valueText(from), to: valueText(to) }];
  const [before, after] = [from ?? {}, to ?? {}];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return keys.flatMap((key) => differences(before[key], after[key], path === '' ? key : `${path}.${key}`));
}

function valueText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
