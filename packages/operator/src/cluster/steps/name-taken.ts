// A create was refused because the name is taken: by our own earlier create whose answer was lost, or by somebody
// else's object.

import { controllerOf, isNodeOf, isOlder, type MarekvsNode, ownerOfNode } from '@marekvs/api';
import { hold } from '@marekvs/planner';
import { blocked, DONE, type StepOutcome } from '../../pass/fence.ts';
import type { LiveContext } from './live-context.ts';

interface Named {
  readonly metadata: Parameters<typeof controllerOf>[0] & {
    readonly name: string;
    readonly deletionTimestamp?: unknown;
  };
}

/** Done when the node is ours. Otherwise blocked, with a hold that names the other owner. */
export function ifOurNode(node: MarekvsNode, { cluster }: Pick<LiveContext, 'cluster'>): StepOutcome {
  if (isNodeOf(node, cluster.metadata)) return DONE;
  const owner = ownerOfNode(node);
  const isLeftOver = owner.kind === 'cluster' && isOlder(node, cluster);
  return isLeftOver
    ? taken('MarekvsNode', node.metadata, AN_EARLIER_ONE, false)
    : takenByAnother('MarekvsNode', node.metadata);
}

/** Done when the object is ours. Otherwise blocked, with a hold that names the other owner. */
export function ifOurs(kind: string, { metadata }: Named, { cluster }: Pick<LiveContext, 'cluster'>): StepOutcome {
  const owner = controllerOf(metadata);
  if (owner?.uid === cluster.metadata.uid) return DONE;
  // An earlier cluster of this name is gone: the garbage collector removes its objects (F43).
  const isTemporary = owner?.kind === 'MarekvsCluster' && owner.name === cluster.metadata.name;
  return isTemporary ? taken(kind, metadata, AN_EARLIER_ONE, false) : takenByAnother(kind, metadata);
}

const AN_EARLIER_ONE = 'an earlier cluster of this name: waiting until it is gone';

function takenByAnother(kind: string, metadata: Named['metadata']): StepOutcome {
  const whose = 'another owner: this cluster cannot have its name';
  return taken(kind, metadata, whose, metadata.deletionTimestamp === undefined);
}

function taken(kind: string, { name }: Named['metadata'], whose: string, needsPerson: boolean): StepOutcome {
  return blocked(hold('NameTaken', `${kind} ${name} belongs to ${whose}`, needsPerson));
}
