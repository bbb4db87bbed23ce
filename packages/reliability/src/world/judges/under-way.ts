// What is under way on a node, or on a Pod of it, by what is stored now?

import { ANNOTATIONS, type MarekvsCluster, type MarekvsNode, type Operation } from '@marekvs/api';
import type { ApiObject } from '@marekvs/simulator';

/** The cluster now, and its states of a moment ago. */
export type Lately = (cluster: MarekvsCluster) => readonly MarekvsCluster[];

/** A restart that takes a removal back, also of a node that was deleted by hand and still has its finalizer. */
export function isBroughtBack({ spec }: MarekvsNode, pod: ApiObject): boolean {
  return pod.metadata.annotations?.[ANNOTATIONS.leaving] === 'true' && (spec.intent ?? 'Active') === 'Active';
}

/** Such a restart was permitted, and may be under way while the node is told to leave again. */
export function mayBeBroughtBack({ metadata }: MarekvsNode, pod: ApiObject): boolean {
  return metadata.annotations?.[ANNOTATIONS.mayRestart] === pod.metadata.uid;
}

/** The Pod with the open door is ended for one with a closed one. */
export function isOpenOneOf({ spec }: MarekvsNode, { metadata }: ApiObject): boolean {
  return spec.intent === 'Sealed' && spec.ran?.podUID === metadata.uid;
}

export function isLeaving({ metadata }: MarekvsCluster): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Whether it is this node's turn of a rolling update. */
export function isTurnOf({ status }: MarekvsCluster, { metadata }: MarekvsNode): boolean {
  return status?.operation?.roll?.uid === metadata.uid;
}

/** The current operation, if this very node is its target. */
export function operationOn({ status }: MarekvsCluster, { metadata }: MarekvsNode): Operation | undefined {
  const operation = status?.operation;
  return operation?.target?.uid === metadata.uid ? operation : undefined;
}
