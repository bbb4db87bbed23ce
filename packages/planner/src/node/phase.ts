// Answers: in which phase is a node, and how many members see it? For people; nothing decides by the phase.

import { isActiveMember, shows } from '../members/member-state.ts';
import type { NodeRecord } from '../observation/node-record.ts';

export type NodePhase =
  | 'Pending'
  | 'Starting'
  | 'Joining'
  | 'Active'
  | 'Leaving'
  | 'Departed'
  | 'Failed'
  | 'Unknown'
  | 'Suspended'
  | 'Hibernated';

/** The phase of a node, from its Pod and what its member answers (docs/design/server.md#phases-seen-from-outside). */
export function nodePhase(node: NodeRecord, hasTrouble: boolean): NodePhase {
  const { pod, answer } = node;
  if (pod === undefined) return node.isDeleting ? 'Departed' : (node.stopped ?? 'Pending');
  if (answer.kind === 'serving') {
    if (node.intent !== 'Active') return 'Leaving';
    return isActiveMember(node) ? 'Active' : 'Joining';
  }
  if (hasTrouble && !pod.isReady) return pod.hostName === undefined ? 'Pending' : 'Failed';
  if (pod.hostName === undefined || pod.ip === undefined) return 'Pending';
  if (answer.kind === 'sealed') return 'Leaving';
  if (answer.kind === 'joining') return 'Joining';
  if (answer.kind === 'silent' && pod.isReady) return 'Unknown';
  return 'Starting';
}

/** "2/3": how many of the cluster's nodes have a member that shows this node, of how many nodes there are. */
export function seenBy(node: NodeRecord, siblings: readonly NodeRecord[]): string {
  const seeing = siblings.filter((sibling) => shows(sibling, node.id));
  return `${seeing.length}/${siblings.length}`;
}
