// One member's turn of a rolling update when only its resources change: its running Pod gets them in place, and nothing
// is restarted (docs/decisions/resize-in-place.md). What cannot be done in place within a minute is left to an
// ordinary turn (turn.ts).

import type { LastOperation, Operation, Reason } from '@marekvs/api';
import { needsReplacement } from '../../members/replacement.ts';
import type { NodeRecord, PodRecord } from '../../observation/node-record.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import { isUpdated } from '../../templates/revisions.ts';
import { type Hold, hold } from '../../values/hold.ts';
import { closed, end, enteredMs, type OperationPlan, proceed } from '../record.ts';
import { isAttempted, wayOfTurn } from './way-of-turn.ts';

/** A host resizes within seconds, or has no room: room that another member makes is waited for no longer than this. */
export const RESIZE_PATIENCE_MS = 60_000;

type Roll = NonNullable<Operation['roll']>;

/** The next step of the stored turn in place. */
export function planResize(o: ClusterObservation, record: Operation, roll: Roll): OperationPlan {
  const finished = (outcome: LastOperation['outcome'], reason: Reason, what: string): OperationPlan =>
    end(closed(record, { outcome, reason, message: `${roll.name} ${what}` }, o.nowMs));
  const { templateHash: revision, rollout } = o.cluster;
  const node = o.nodes.find(({ uid }) => uid === roll.uid);
  if (node === undefined || needsReplacement(node)) return finished('Cancelled', 'Repairing', 'is replaced');
  const { pod } = node;
  if (pod?.uid !== roll.podUID || pod.isTerminating)
    return finished('Cancelled', 'Repairing', 'is started anew, with the template of its node');
  if (isUpdated(node, revision))
    return finished('Succeeded', 'ResizedInPlace', `has revision ${revision}: resized in place, and not restarted`);
  if (isAttempted(node, revision)) {
    const problem = whyNot(o, record, node, pod);
    if (problem !== undefined)
      return finished('Failed', 'ResizeImpossible', `is not resized in place, and restarted in its turn: ${problem}`);
    return proceed(record, { waits: pending(node, pod) });
  }
  // The permit is used up, and a second one of the same turn would have no effect.
  if (pod.resizedBy === record.id)
    return finished('Cancelled', 'CancelledByUser', 'is asked to have other resources than those it has just got');
  if (rollout.isPaused) return finished('Cancelled', 'RolloutPaused', 'stays as it is for now');
  if (wayOfTurn(o, node) !== 'resize')
    return finished('Cancelled', 'CancelledByUser', 'is asked to have more than other resources');
  return proceed(record, { steps: [{ kind: 'resizeNode', node, revision, operationId: record.id }] });
}

/** Why the resize will not happen in place; undefined while it may. */
function whyNot(
  o: ClusterObservation,
  record: Operation,
  node: NodeRecord,
  { resources }: PodRecord,
): string | undefined {
  if (node.resizeRefused !== undefined) return node.resizeRefused;
  const { change, isObserved } = resources;
  if (change?.state === 'Infeasible' && isObserved) return change.message;
  const sinceMs = enteredMs(record, 'Resizing') ?? Date.parse(record.startedAt);
  if (o.nowMs - sinceMs <= RESIZE_PATIENCE_MS) return undefined;
  return `${stateText(resources.change)} for ${RESIZE_PATIENCE_MS / 1000} s`;
}

function pending({ name }: NodeRecord, { resources }: PodRecord): Hold {
  return hold('ResizePending', `Pod ${name} is being resized where it runs: ${stateText(resources.change)}`);
}

function stateText(change: PodRecord['resources']['change']): string {
  if (change === undefined) return 'its host has not said yet that it has the resources';
  return change.state === 'Deferred'
    ? `its host has no room for it now (${change.message})`
    : `its host is still at it${change.message === '' ? '' : ` (${change.message})`}`;
}
