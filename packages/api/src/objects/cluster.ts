// The types of a MarekvsCluster, inferred from its schema. Only types: nothing here loads the schema library.

import type { z } from 'zod';
import type { API_VERSION } from '../names/labels.ts';
import type { ClusterCondition } from '../reasons/conditions.ts';
import type { clusterSpecSchema } from '../schema/cluster-spec.ts';
import type { clusterStatusSchema } from '../schema/cluster-status.ts';
import type { lastOperationSchema, operationSchema } from '../schema/operation.ts';
import type { DeepReadonly, Frozen } from '../values/frozen.ts';
import type { ObjectMeta } from './metadata.ts';

/** As a user writes it: everything with a default may be absent (see withDefaults). */
export type MarekvsClusterSpec = Frozen<z.infer<typeof clusterSpecSchema>>;

/** Absent fields are not known yet. Conditions are narrowed to the closed lists of types and reasons. */
export type MarekvsClusterStatus = Omit<DeepReadonly<z.infer<typeof clusterStatusSchema>>, 'conditions'> & {
  readonly conditions?: readonly ClusterCondition[];
};

export type ClusterPhase = NonNullable<MarekvsClusterStatus['phase']>;
export type Operation = DeepReadonly<z.infer<typeof operationSchema>>;
export type LastOperation = DeepReadonly<z.infer<typeof lastOperationSchema>>;
export type OperationPhase = Operation['phase'];
/** How far the members are handed to a StatefulSet. */
export type ReleaseState = NonNullable<MarekvsClusterStatus['release']>;
export type ReleasePhase = ReleaseState['phase'];
export type OperationType = Operation['type'];

export interface MarekvsCluster {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'MarekvsCluster';
  readonly metadata: ObjectMeta;
  readonly spec: MarekvsClusterSpec;
  readonly status?: MarekvsClusterStatus;
}
