// The record of the one operation a cluster may have under way (docs/design/contract.md#removing-a-node), and what is
// kept of the last one.

import { z } from 'zod';
import { MAX_NODE_ID } from '../members/placement.ts';
import { MAX } from '../rules/limits.ts';
import { OPERATION_PHASES, OPERATION_TYPES } from '../rules/operations.ts';
import { count, describe, integer, list, optional, text, time } from './field.ts';
import { removalProofSchema } from './removal-proof.ts';

/** Room for every phase once, and for some going back and forth. */
const MAX_PHASES = 24;

const uid = () => text(MAX.labelValue);
const type = describe(z.enum(OPERATION_TYPES), 'What is being done.');

const target = z.object({
  name: describe(text(MAX.name, 1), 'Name of the MarekvsNode.'),
  uid: describe(uid(), 'UID of the MarekvsNode.'),
  nodeId: describe(integer({ min: 0, max: MAX_NODE_ID }), 'Its node id.'),
  podUID: optional(uid(), 'UID of its Pod.'),
  pvcUID: optional(uid(), 'UID of its volume claim.'),
  sealedPodUID: optional(
    uid(),
    'UID of the Pod in which it ran with its door closed, once it was proven to hold nothing alone. Without it the volume is kept.',
  ),
});

const roll = z.object({
  name: describe(text(MAX.ownName, 1), 'Name of the MarekvsNode whose turn it is.'),
  uid: describe(uid(), 'UID of the MarekvsNode.'),
  nodeId: describe(integer({ min: 0, max: MAX_NODE_ID }), 'Its node id.'),
  podUID: describe(uid(), 'UID of the Pod that is to be recreated.'),
  pvcUID: optional(uid(), 'UID of its volume claim, which it keeps.'),
  previous: describe(text(MAX.revision, 1), 'Revision the Pod was made from, to go back to.'),
  cause: optional(
    z.enum(['Template', 'Volume', 'Suspend', 'Password', 'Drained']),
    'Why it is restarted. Template: the template has changed. Volume: its file system is resized when the Pod is restarted. ' +
      'Password: it accepts no known password, and restarts with the one in its Secret. Drained: somebody else has drained it, ' +
      'which only a restart undoes. Suspend: a person wants its Pod off the ' +
      'volume for a while. Default Template.',
  ),
  attempt: optional(
    integer({ min: 1, max: 1_000 }),
    'With cause Drained: how many such restarts have followed each other, this one included.',
  ),
  leaves: optional(
    text(MAX.name, 1),
    'Host that it is moved off because the host is being drained; its template stays the same.',
  ),
});

const proof = z.object({
  pre: optional(removalProofSchema, 'Proof before the removal.'),
  post: optional(removalProofSchema, 'Proof among the survivors.'),
});

const basis = describe(
  z.enum(['Proof', 'NeverJoined', 'Dead', 'Forced']),
  'Why the node may go. Proof: its data is proven to be elsewhere. NeverJoined: it never held any. Dead: it will never answer ' +
    'again, so only the survivors can prove anything. Forced: a person forced its removal by name.',
);

const phase = describe(
  z.enum(OPERATION_PHASES),
  'The step it is in. In Sealing the member is restarted with its door closed to clients. A removal can be undone up to Proving; ' +
    'its node is deleted after Deleting is stored. Restarting and ' +
    'CatchingUp are the second half of a member’s turn in a rolling update, and RollingBack takes the member back to the previous ' +
    'revision. In Resizing the running Pod gets other resources without a restart. In Stopping, Pods end and are not recreated; ' +
    'in Suspended and Hibernated they are not running; in Waking, the members of a hibernated cluster come back.',
);

export const blocked = describe(
  z.object({
    reason: describe(
      text(MAX.labelValue, 1),
      'A code from the reason catalogue; docs/errors.md has a paragraph for each.',
    ),
    message: describe(text(MAX.message), 'What it waits for, in one sentence.'),
    since: describe(time(), 'Since when it has been waiting.'),
    unblock: optional(text(MAX.message), 'What would let it proceed.'),
  }),
  'Why it does not proceed.',
);

export const operationSchema = z.object({
  id: describe(text(MAX.labelValue, 1), 'Id of the operation.'),
  type,
  basis: basis.optional(),
  target: optional(target, 'The node that it removes.'),
  roll: optional(roll, 'The node whose turn in a rolling update it is. Nothing is removed, so there is no target.'),
  chosen: optional(text(MAX.message), 'Why this node, in one sentence.'),
  specGeneration: describe(count(), 'The metadata.generation of the cluster that asked for it.'),
  phase,
  startedAt: describe(time(), 'When it was claimed.'),
  timeline: optional(
    list(z.object({ phase, at: describe(time(), 'When the phase was entered.') }), MAX_PHASES),
    'The phases so far, in order.',
  ),
  proof: optional(proof, 'The proofs of a removal.'),
  cancel: optional(
    z.object({
      reason: describe(text(MAX.labelValue, 1), 'A code from the reason catalogue.'),
      message: describe(text(MAX.message), 'Why it is being undone, in one sentence.'),
    }),
    'Set while it is being undone.',
  ),
  blocked: blocked.optional(),
});

export const lastOperationSchema = z.object({
  id: describe(text(MAX.labelValue, 1), 'Id of the operation.'),
  type,
  target: optional(target, 'The node it removed.'),
  roll: optional(roll, 'The node whose turn in a rolling update it was.'),
  basis: basis.optional(),
  chosen: optional(text(MAX.message), 'Why this node, in one sentence.'),
  outcome: describe(z.enum(['Succeeded', 'Cancelled', 'Failed']), 'How it ended.'),
  reason: describe(text(MAX.labelValue, 1), 'A code from the reason catalogue.'),
  startedAt: describe(time(), 'When it was claimed.'),
  finishedAt: describe(time(), 'When it was closed.'),
  specGeneration: optional(count(), 'The metadata.generation of the cluster that asked for it.'),
  message: optional(text(MAX.message), 'How it ended, in one sentence.'),
  phases: optional(
    list(z.object({ phase, seconds: describe(count(), 'How long it took, in whole seconds.') }), MAX_PHASES),
    'The phases it went through, and how long each took.',
  ),
  proof: optional(proof, 'The proofs it was based on.'),
});
