// The record of the one operation a cluster may have under way (design 4), and what is kept of the last one.

import { z } from 'zod';
import { MAX } from '../limits.ts';
import { MAX_NODE_ID } from '../placement.ts';
import { count, describe, integer, text, textMap, time } from './field.ts';
import { removalProofSchema } from './removal-proof.ts';

const uid = () => text(MAX.labelValue);
const type = describe(z.enum(['Remove', 'Replace', 'Roll', 'Resize']), 'What is being done.');

const target = z.object({
  name: describe(text(MAX.name, 1), 'Name of the MarekvsNode.'),
  uid: describe(uid(), 'UID of the MarekvsNode.'),
  nodeId: describe(integer({ min: 0, max: MAX_NODE_ID }), 'Its node id.'),
  podUID: describe(uid(), 'UID of its Pod.').optional(),
  pvcUID: describe(uid(), 'UID of its volume claim.').optional(),
});

const proof = z.object({
  pre: describe(removalProofSchema, 'Proof before the removal.').optional(),
  post: describe(removalProofSchema, 'Proof among the survivors.').optional(),
});

export const blocked = describe(
  z.object({
    reason: describe(text(MAX.labelValue, 1), 'One code of the reason catalogue.'),
    message: describe(text(MAX.message), 'What it waits for, in one sentence.'),
    since: describe(time(), 'Since when.'),
  }),
  'Why it does not go on.',
);

export const operationSchema = z.object({
  id: describe(text(MAX.labelValue, 1), 'Identity of the operation.'),
  type,
  target: describe(target, 'The node it is about.').optional(),
  specGeneration: describe(count(), 'metadata.generation of the cluster that asked for it.'),
  phase: describe(
    z.enum([
      'Claimed',
      'Isolating',
      'Proving',
      'Deleting',
      'Departing',
      'Settling',
      'Reclaiming',
      'Closed',
      'Cancelling',
    ]),
    'The last step that is durable.',
  ),
  startedAt: describe(time(), 'When it was claimed.'),
  baselines: describe(textMap(MAX.nodes, 64), 'Values measured while healthy, by name.').optional(),
  proof: describe(proof, 'The proofs of a removal.').optional(),
  blocked: blocked.optional(),
});

export const lastOperationSchema = z.object({
  id: describe(text(MAX.labelValue, 1), 'Identity of the operation.'),
  type,
  target: describe(target, 'The node it was about.').optional(),
  outcome: describe(z.enum(['Succeeded', 'Cancelled', 'Failed']), 'How it ended.'),
  reason: describe(text(MAX.labelValue, 1), 'One code of the reason catalogue.'),
  startedAt: describe(time(), 'When it was claimed.'),
  finishedAt: describe(time(), 'When it was closed.'),
});
