// Answers: which template does each node run, and where does it stand in a rolling update? Pure.

import { ANNOTATIONS, type MarekvsNode } from '@marekvs/api';
import { templateHash } from '@marekvs/operator/projections';
import type { Pod } from '@marekvs/runtime';
import type { SeenParts } from '../../cluster/cluster-parts.ts';

export interface RolloutNode {
  readonly name: string;
  /** What its Pod was made from; undefined when it has none, or Pods may not be read. */
  readonly revision: string | undefined;
  readonly image: string | undefined;
  readonly isUpdated: boolean;
  readonly state: string;
}

/** In the order of the turns: the highest id first. */
export function rolloutNodes(parts: SeenParts): readonly RolloutNode[] {
  return parts.nodes.map((node) => rolloutNode(parts, node)).reverse();
}

function rolloutNode({ cluster: { status, spec }, pods }: SeenParts, node: MarekvsNode): RolloutNode {
  const { name, uid } = node.metadata;
  const wanted = status?.update?.revision;
  const stamped = templateHash(node.spec.template);
  const pod = pods?.find(({ metadata }) => metadata.name === name);
  // A Pod that was taken over has no such annotation: it runs the template of its node.
  const running = pod === undefined ? undefined : (pod.metadata.annotations?.[ANNOTATIONS.templateHash] ?? stamped);
  const isUpdated = running === wanted && stamped === wanted;
  const { operation, update } = status ?? {};
  return { name, revision: running, image: imageOf(pod), isUpdated, state: stateText() };

  function stateText(): string {
    if (operation?.roll?.uid === uid && operation.phase === 'Resizing') return 'its turn: resized where it runs';
    if (operation?.roll?.uid === uid) return `its turn: ${turnText(node, pods, pod, running)}`;
    if (node.metadata.deletionTimestamp !== undefined || node.spec.intent === 'Leaving') return 'has to go';
    if (isUpdated) return update?.stopped?.nodeUID === uid ? 'failed' : 'updated';
    if (pods === undefined && stamped === wanted) return 'updated, or with its next Pod';
    if (update?.stopped?.nodeUID === uid) return stamped === wanted ? 'failed' : 'failed, has what it had';
    if (stamped === wanted) return 'with its next Pod';
    return spec.update?.type === 'OnDelete' ? 'when its Pod is deleted' : 'waits';
  }
}

/** How far the turn is, read from the objects: its record is written only when it begins and when it ends. */
function turnText(
  { spec }: MarekvsNode,
  pods: SeenParts['pods'],
  pod: Pod | undefined,
  running: string | undefined,
): string {
  if (spec.intent === 'Leaving') return 'its clients move to the others';
  if (pods !== undefined && (pod === undefined || pod.metadata.deletionTimestamp !== undefined))
    return 'its Pod is made again';
  if (running !== undefined && running !== templateHash(spec.template)) return 'it is restarted';
  return spec.serving === true ? 'it gets what it has missed' : 'it joins the others';
}

function imageOf(pod: Pod | undefined): string | undefined {
  return pod?.spec?.containers[0]?.image;
}
