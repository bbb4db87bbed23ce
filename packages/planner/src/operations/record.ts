// The record of an operation in the cluster's status: how it begins, goes on and ends. Values only. Only the phase is
// read from it; what can be derived from the world (isolated yet? proven yet?) never is.

import type { LastOperation, Operation, OperationPhase, Reason } from '@marekvs/api';
import type { ComparisonRequest } from '../contents/request.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import type { Candidate } from '../size/candidate.ts';
import type { ClusterStep } from '../steps/cluster-step.ts';
import type { StoppedUpdate } from '../templates/stopped-update.ts';
import { type Hold, messageText, timeText } from '../values/hold.ts';

/** Longest history of phases that is kept (the schema's bound). */
const MAX_PHASES = 24;

/** The first state of every record.
 *  @param what what the operation is about
 *  @param phase its first phase */
export function begun(
  o: ClusterObservation,
  id: string,
  what: Pick<Operation, 'type' | 'basis' | 'chosen' | 'target' | 'roll'>,
  phase: OperationPhase = 'Claimed',
): Operation {
  const at = timeText(o.nowMs);
  return { id, ...what, specGeneration: o.cluster.generation, phase, startedAt: at, timeline: [{ phase, at }] };
}

/** The member that is restarted or stopped, with everything that tells it from a later one of the same name. */
export function rollOf(
  node: NodeRecord,
  previous: string,
  cause?: NonNullable<Operation['roll']>['cause'],
): NonNullable<Operation['roll']> {
  return {
    name: node.name,
    uid: node.uid,
    nodeId: node.id,
    podUID: node.pod?.uid ?? '',
    ...(node.recordedVolumeUid === undefined ? {} : { pvcUID: node.recordedVolumeUid }),
    previous,
    ...(cause === undefined ? {} : { cause }),
  };
}

export function newRecord(o: ClusterObservation, candidate: Candidate): Operation {
  const { node } = candidate;
  return begun(o, operationId(node, o), {
    type: candidate.type,
    basis: candidate.basis,
    chosen: candidate.chosen,
    target: {
      name: node.name,
      uid: node.uid,
      nodeId: node.id,
      ...(node.pod === undefined ? {} : { podUID: node.pod.uid }),
      ...(node.recordedVolumeUid === undefined ? {} : { pvcUID: node.recordedVolumeUid }),
    },
  });
}

/** The same record in another phase; the same object when it is in it already. */
export function inPhase(record: Operation, phase: OperationPhase, nowMs: number): Operation {
  if (record.phase === phase) return record;
  const timeline = record.timeline ?? [];
  // A phase may be in the timeline although it was never stored: it began when it was first seen.
  if (timeline.at(-1)?.phase === phase) return { ...record, phase };
  return { ...record, phase, timeline: [...timeline, { phase, at: timeText(nowMs) }].slice(-MAX_PHASES) };
}

/** Only the full proof lets the target go. A record of an earlier version has no basis. */
export function goesByProof({ basis = 'Proof' }: Pick<Operation, 'basis'>): boolean {
  return basis === 'Proof';
}

/** Takes the operation back, for the reason a person reads. Its proof is void. */
export function takeBack(
  { record, o }: { readonly record: Operation; readonly o: ClusterObservation },
  why: Pick<Hold, 'reason' | 'message'>,
): OperationPlan {
  const { blocked: _over, proof: _void, ...rest } = record;
  return store(turnedBack(rest, 'Cancelling', why, o.nowMs));
}

/** The record in a phase that undoes what was done, with the cause, cut to what the status can hold. */
export function turnedBack(
  record: Operation,
  phase: 'Cancelling' | 'RollingBack' | 'Waking',
  { reason, message }: Pick<Hold, 'reason' | 'message'>,
  nowMs: number,
): Operation {
  return { ...inPhase(record, phase, nowMs), cancel: { reason, message: messageText(message) } };
}

/** What is kept of a record that is over. */
export function closed(
  record: Operation,
  end: { readonly outcome: LastOperation['outcome']; readonly reason: Reason; readonly message: string },
  nowMs: number,
): LastOperation {
  const { id, type, basis, chosen, target, roll, startedAt, specGeneration, proof } = record;
  return {
    id,
    type,
    ...(basis === undefined ? {} : { basis }),
    ...(chosen === undefined ? {} : { chosen }),
    ...(target === undefined ? {} : { target }),
    ...(roll === undefined ? {} : { roll }),
    ...end,
    message: messageText(end.message),
    startedAt,
    finishedAt: timeText(nowMs),
    specGeneration,
    phases: durations(record, nowMs),
    ...(proof === undefined ? {} : { proof }),
  };
}

/** When the record entered the phase last, wall clock; undefined when it never did. */
export function enteredMs(record: Operation, phase: OperationPhase): number | undefined {
  const at = record.timeline?.findLast((entry) => entry.phase === phase)?.at;
  return at === undefined ? undefined : Date.parse(at);
}

/** Records what the operation waits for; undefined takes it off. `since` stays while the reason does. */
export function blockedBy(record: Operation, hold: Hold | undefined, sinceMs: number, unblock: string): Operation {
  const { blocked: before, ...rest } = record;
  if (hold === undefined) return before === undefined ? record : rest;
  const since = before?.reason === hold.reason ? before.since : timeText(sinceMs);
  return { ...rest, blocked: { reason: hold.reason, message: messageText(hold.message), since, unblock } };
}

/** Unique for every attempt, since the same node may be tried twice. The first part tells nodes apart, the second
 *  attempts. */
export function operationId(node: NodeRecord, o: ClusterObservation): string {
  return `${node.id}-${Math.floor(o.nowMs).toString(36)}`;
}

function durations(record: Operation, nowMs: number): NonNullable<LastOperation['phases']> {
  const timeline = record.timeline ?? [];
  return timeline.map(({ phase, at }, index) => {
    const endMs = Date.parse(timeline[index + 1]?.at ?? timeText(nowMs));
    return { phase, seconds: Math.max(0, Math.round((endMs - Date.parse(at)) / 1000)) };
  });
}

// What one pass decides about an operation: the record as it should be, what to do, what it waits for.
export interface OperationPlan {
  /** The operation under way from now on; undefined when there is none, or it has just ended. */
  readonly operation: Operation | undefined;
  /** Set in the pass that ends an operation. */
  readonly ended: LastOperation | undefined;
  /** The record must be stored at once, before anything further is done. Otherwise storing it only serves display. */
  readonly isUrgent: boolean;
  readonly steps: readonly ClusterStep[];
  /** Why it does not go on right now. */
  readonly waits: Hold | undefined;
  /** Contents to be compared now. */
  readonly contents: ComparisonRequest | undefined;
  /** Reported whether or not it begins. */
  readonly holds?: readonly Hold[];
  /** Set when the update of the members has stopped at this one. */
  readonly stopped?: StoppedUpdate | undefined;
}

const NOTHING = { ended: undefined, isUrgent: false, steps: [], waits: undefined, contents: undefined } as const;

/** Nothing to store: do these steps, or wait. */
export function proceed(
  operation: Operation,
  more: Partial<Omit<OperationPlan, 'operation' | 'ended' | 'isUrgent'>>,
): OperationPlan {
  return { ...NOTHING, operation, ...more };
}

/** Store this record; the next pass acts on it. */
export function store(operation: Operation, contents?: ComparisonRequest): OperationPlan {
  return { ...NOTHING, operation, isUrgent: true, contents };
}

/** The operation is over. */
export function end(ended: LastOperation): OperationPlan {
  return { ...NOTHING, operation: undefined, ended, isUrgent: true };
}

export function none(waits?: Hold): OperationPlan {
  return { ...NOTHING, operation: undefined, waits };
}

/** Whatever is stored stays as it is: nothing is decided in this pass. */
export function unchanged(operation: Operation | undefined): OperationPlan {
  return { ...NOTHING, operation };
}
