// Merge patches of a MarekvsNode. Fields that must be seen together are in one patch.

import { ANNOTATIONS } from '@marekvs/api';
import { type ClusterStep, type NodeRecord, permitFor, timeText } from '@marekvs/planner';

/** A merge patch of a MarekvsNode: null removes an annotation. */
export type NodePatch = {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string | null>>;
    readonly annotations?: Readonly<Record<string, string | null>>;
  };
  readonly spec?: object;
};

/** Sets or removes (null) the mark of an operation, puts the node into the client Service or out of it, and tells it to
 *  stay or to leave. One write, so that no half of it is ever seen. */
export function marked(
  operationId: string | null,
  serving: boolean,
  intent: 'Active' | 'Leaving' | 'Sealed' = 'Active',
): NodePatch {
  return { metadata: { annotations: { [ANNOTATIONS.removal]: operationId } }, spec: { serving, intent } };
}

/** The node stays. What only its running process has was compared, or nothing runs. */
export function takenBack(node: NodeRecord): NodePatch {
  const annotations = { [ANNOTATIONS.removal]: null, [ANNOTATIONS.mayRestart]: permitFor(node) ?? null };
  return { metadata: { annotations }, spec: { serving: true, intent: 'Active', stopped: null } };
}

export function withSpec(patch: NodePatch, spec: object): NodePatch {
  return { ...patch, spec: { ...patch.spec, ...spec } };
}

export function annotated(annotation: string, value: string | null): NodePatch {
  return { metadata: { annotations: { [annotation]: value } } };
}

/** Permits the running Pod to get the resources of this template. Written together with the template, so that neither
 *  is seen without the other. */
export function mayBeResized({ node, revision, operationId }: Extract<ClusterStep, { kind: 'resizeNode' }>): NodePatch {
  const permit = `${node.pod?.uid}/${revision}/${operationId}`;
  return { metadata: { annotations: { [ANNOTATIONS.resize]: permit } } };
}

/** The size and the time of the growth in one write: a replica that takes over must see that the volume has grown. */
export function storagePatch(
  { size, attributesClass, grown }: Extract<ClusterStep, { kind: 'setStorage' }>,
  nowMs: number,
): NodePatch {
  const storage = {
    ...(size === undefined ? {} : { size }),
    ...(attributesClass === undefined ? {} : { volumeAttributesClassName: attributesClass }),
  };
  const annotations = { [ANNOTATIONS.volumeGrownAt]: timeText(nowMs) };
  return { ...(grown === undefined ? {} : { metadata: { annotations } }), spec: { storage } };
}

export function withoutPermit({ metadata }: NodePatch): NodePatch['metadata'] {
  return { ...metadata, annotations: { [ANNOTATIONS.resize]: null, ...metadata?.annotations } };
}
