// The evidence that a node may leave: what was seen, when, and the identities it is based on. Void after 30 s or when
// any identity changes (docs/design/contract.md#the-proof), which the planner checks.

import { z } from 'zod';
import { MAX } from '../rules/limits.ts';
import { count, describe, list, optional, text, textMap, time } from './field.ts';

const observedInput = z.object({
  name: describe(text(MAX.labelValue, 1), 'Name of the check.'),
  passed: describe(z.boolean(), 'Whether it passed.'),
  value: optional(text(256), 'The value that was seen.'),
});

export const removalProofSchema = z.object({
  operationId: describe(text(MAX.labelValue, 1), 'Operation the proof belongs to.'),
  stage: describe(z.enum(['Pre', 'Post']), 'Pre: before the removal. Post: among the survivors, after it.'),
  at: describe(time(), 'When the last input was seen.'),
  coveredAt: optional(
    time(),
    'Every record that the compared members held at this moment was found on all its other homes.',
  ),
  partitions: optional(count(), 'Partitions that were compared, summed over all compared members.'),
  records: optional(count(), 'Approximate number of records they hold, estimated from the digests.'),
  targetUid: describe(text(MAX.labelValue), 'UID of the MarekvsNode.'),
  podUID: optional(text(MAX.labelValue), 'UID of its Pod; unset if the proof was made without an answer from it.'),
  pvcUID: optional(text(MAX.labelValue), 'UID of its volume claim.'),
  topologyHash: describe(text(128), 'Hash of the members, their generations and the placement.'),
  generations: optional(textMap(MAX.members, 32), 'Generation of every member, by node id.'),
  inputs: optional(list(observedInput, 64), 'Every input of the proof.'),
});
