// What the API server makes of a cluster's spec: refused, or stored with its defaults. Rules that compare fields with
// each other or with the stored spec are those of validate-cluster.ts, which match the CEL rules of the schema.

import { type MarekvsClusterSpec, validateClusterSpec, validateNewClusterSpec } from '@marekvs/api';
import { filledIn, type JsonObject, schemaProblems } from './schema.ts';

export type Verdict =
  | { readonly kind: 'stored'; readonly spec: MarekvsClusterSpec }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

/** @param before what is stored now; undefined for a create */
export function admit(spec: JsonObject, before?: MarekvsClusterSpec): Verdict {
  const wrong = schemaProblems(spec);
  if (wrong.length > 0) return { kind: 'refused', problems: wrong };
  const filled = asSpec(filledIn(spec));
  const problems = before === undefined ? validateNewClusterSpec(filled) : validateClusterSpec(filled, before);
  const broken = problems.map(({ path, message }) => `${path}: ${message}`);
  return broken.length > 0 ? { kind: 'refused', problems: broken } : { kind: 'stored', spec: filled };
}

/** Taken as stored without checks: an object from before the schema's rules. */
export function asSpec(value: unknown): MarekvsClusterSpec {
  return value as MarekvsClusterSpec;
}
