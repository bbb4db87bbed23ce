// The definitions for who installs or checks with them. An entry of its own: it loads the schema library, which
// the running operator does not.

export { CLUSTER_KIND } from './cluster-kind.ts';
export { customResourceDefinition, type KindDefinition, objectSchema } from './definition.ts';
export { NODE_KIND } from './node-kind.ts';
export type { Json, JsonObject } from './structural.ts';
