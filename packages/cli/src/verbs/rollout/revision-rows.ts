// Answers: which of the stored templates is asked for, which was before it, and which nodes run which? Pure.

import type { MarekvsCluster } from '@marekvs/api';
import type { RolloutNode } from './nodes.ts';
import type { Revision } from './revisions.ts';

export interface RevisionRow {
  readonly revision: Revision;
  /** Names of the nodes whose Pod was made from it. */
  readonly nodes: readonly string[];
  readonly states: readonly string[];
}

export function revisionRows(
  { status }: MarekvsCluster,
  revisions: readonly Revision[],
  nodes: readonly RolloutNode[],
): readonly RevisionRow[] {
  const update = status?.update;
  return revisions.map((revision) => {
    const { hash, template } = revision;
    const isWanted = hash === update?.revision;
    return {
      revision,
      nodes: nodes.filter((node) => node.revision === hash).map(({ name }) => name),
      states: [
        ...(isWanted ? ['wanted'] : []),
        ...(isWanted && update?.stopped !== undefined ? [`stopped at ${update.stopped.node}`] : []),
        ...(hash === update?.previous && !isWanted ? ['previous'] : []),
        ...(template === undefined ? ['altered'] : []),
      ],
    };
  });
}
