// The types of a MarekvsNode, inferred from its schema. Only types: nothing here loads the schema library.

import type { z } from 'zod';
import type { API_VERSION } from '../names/labels.ts';
import type { NodeCondition } from '../reasons/conditions.ts';
import type { nodeSpecSchema } from '../schema/node-spec.ts';
import type { nodeStatusSchema } from '../schema/node-status.ts';
import type { removalProofSchema } from '../schema/removal-proof.ts';
import type { DeepReadonly, Frozen } from '../values/frozen.ts';
import type { ObjectMeta } from './metadata.ts';

export type MarekvsNodeSpec = Frozen<z.infer<typeof nodeSpecSchema>>;
export type NodeTemplate = MarekvsNodeSpec['template'];
export type NodeScheduling = NonNullable<NodeTemplate['scheduling']>;
export type NodeStorage = MarekvsNodeSpec['storage'];
export type NodeIntent = NonNullable<MarekvsNodeSpec['intent']>;

/** Absent fields are not known yet. Conditions are narrowed to the closed lists of types and reasons. */
export type MarekvsNodeStatus = Omit<DeepReadonly<z.infer<typeof nodeStatusSchema>>, 'conditions'> & {
  readonly conditions?: readonly NodeCondition[];
};

export type NodePhase = NonNullable<MarekvsNodeStatus['phase']>;
export type RemovalProof = DeepReadonly<z.infer<typeof removalProofSchema>>;

export interface MarekvsNode {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'MarekvsNode';
  readonly metadata: ObjectMeta;
  readonly spec: MarekvsNodeSpec;
  readonly status?: MarekvsNodeStatus;
}
