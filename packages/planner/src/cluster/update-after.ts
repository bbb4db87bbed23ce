// What is left of an update after the operation of this pass.

import { kindOf } from '@marekvs/api';
import type { OperationPlan } from '../operations/record.ts';
import type { Update } from '../templates/revisions.ts';

/** With the member that has its turn, and where the update has stopped. */
export function updateAfter(update: Update, removal: OperationPlan | undefined): Update {
  const operation = removal?.operation;
  const node = kindOf(operation) === 'turn' ? operation?.roll?.name : undefined;
  // Only a stop that is stored with the record counts: it has been confirmed by a live read.
  const stopped = (removal?.isUrgent === true ? removal.stopped : undefined) ?? update.stopped;
  return { ...update, ...(node === undefined ? {} : { node }), ...(stopped === undefined ? {} : { stopped }) };
}
