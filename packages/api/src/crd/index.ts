// The definitions of the CRDs, for code that validates with them. A separate entry, because it loads the schema
// library, which the running operator does not.

export { CLUSTER_KIND } from './cluster-kind.ts';
export { type KindDefinition, objectSchema } from './definition.ts';
export { NODE_KIND } from './node-kind.ts';
export type { Json, JsonObject } from './structural.ts';
