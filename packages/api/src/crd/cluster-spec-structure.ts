// The structural schema of a MarekvsCluster's spec as plain JSON, for code that walks it field by field. Separate from
// the package's main entry, which needs no schema library at run time.

import { clusterSpecSchema } from '../schema/cluster-spec.ts';
import { type JsonObject, structuralSchema } from './structural.ts';

export type { Json, JsonObject } from './structural.ts';

export const CLUSTER_SPEC_STRUCTURE: JsonObject = structuralSchema(clusterSpecSchema);
