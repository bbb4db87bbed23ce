// What is written on a MarekvsNode, as merge patches: each step that has to be seen whole is one of them.

import { ANNOTATIONS } from '@marekvs/api';
import { type ClusterStep, timeText } from '@marekvs/planner';

/** A merge patch of a MarekvsNode: null takes an annotation off. */
export type NodePatch = {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string | null>>;
    readonly annotations?: Readonly<Record<string, string | null>>;
  };
  readonly spec?: object;
};

/** Marked with an operation or not, in the client Service or out of it, told to leave or to stay: one write, so
 *  that no half of it is ever seen. */
export function marked(
  operationId: string | null,
  serving: boolean,
  intent: 'Active' | 'Leaving' = 'Active',
): NodePatch {
  return { metadata: { annotations: { [ANNOTATIONS.removal]: operationId } }, spec: { serving, intent } };
}

export function withSpec(patch: NodePatch, spec: object): NodePatch {
  return { ...patch, spec: { ...patch.spec, ...spec } };
}

export function annotated(annotation: string, value: string | null): NodePatch {
  return { metadata: { annotations: { [annotation]: value } } };
}

/** Its Pod that runs may get the resources of this template: one write with the template, so that neither
 *  is seen without the other. */
export function mayBeResized({ node, revision, operationId }: Extract<ClusterStep, { kind: 'resizeNode' }>): NodePatch {
  const permit = `${node.pod?.uid}/${revision}/${operationId}`;
  return { metadata: { annotations: { [ANNOTATIONS.resize]: permit } } };
}

/** The size and the time of it in one write, so that nobody who takes over takes a volume for one that has not
 *  grown. */
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
