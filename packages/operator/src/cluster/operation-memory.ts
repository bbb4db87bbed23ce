// Remembers two things about the operation under way that are not worth a write each: when each phase was entered, and since when it
// waits for the same thing. A cache: after a restart the stored record is where it starts again.

import type { Operation, Reason } from '@marekvs/api';
import { isReason, REASONS } from '@marekvs/api';
import { blockedBy, type Hold } from '@marekvs/planner';

/** What stands for less than this is on its way, not blocked. */
export const BLOCKED_AFTER_MS = 10_000;

/** What a healthy removal waits for all the time. */
const PROGRESS: ReadonlySet<Reason> = new Set<Reason>(['WaitingForProof', 'MemberLeaving', 'Repairing', 'Deleting']);

export interface OperationMemory {
  /** The stored record with every phase this process has seen it in. */
  recall(key: string, stored: Operation | undefined): Operation | undefined;
  /** Takes in the record as it is after a look, and says how it is to be shown: with what has been in its way for a while. */
  note(key: string, record: Operation | undefined, waits: Hold | undefined, now: Moment): Operation | undefined;
  forget(key: string): void;
}

export interface Moment {
  readonly nowMs: number;
  readonly monotonicMs: number;
}

interface Memory {
  readonly id: string;
  timeline: NonNullable<Operation['timeline']>;
  waits:
    | { readonly reason: Reason; readonly message: string; readonly sinceMs: number; readonly sinceMonotonicMs: number }
    | undefined;
}

export function createOperationMemory(): OperationMemory {
  const known = new Map<string, Memory>();

  function memoryOf(key: string, record: Operation): Memory {
    const memory = known.get(key);
    if (memory?.id === record.id) return memory;
    const fresh: Memory = { id: record.id, timeline: record.timeline ?? [], waits: undefined };
    known.set(key, fresh);
    return fresh;
  }

  return {
    recall(key, stored) {
      if (stored === undefined) return undefined;
      const { timeline } = memoryOf(key, stored);
      return timeline.length > (stored.timeline?.length ?? 0) ? { ...stored, timeline } : stored;
    },
    note(key, record, waits, now) {
      if (record === undefined) {
        known.delete(key);
        return undefined;
      }
      const memory = memoryOf(key, record);
      if (record.timeline !== undefined) memory.timeline = record.timeline;
      const isSame = waits !== undefined && memory.waits?.reason === waits.reason;
      if (waits === undefined) memory.waits = undefined;
      else if (!isSame || memory.waits?.message !== waits.message)
        memory.waits = {
          reason: waits.reason,
          message: waits.message,
          sinceMs: isSame && memory.waits ? memory.waits.sinceMs : now.nowMs,
          sinceMonotonicMs: isSame && memory.waits ? memory.waits.sinceMonotonicMs : now.monotonicMs,
        };
      return shown(record, waits, memory, now);
    },
    forget: (key) => void known.delete(key),
  };
}

/** The record with its `blocked` as it should be read now. */
function shown(record: Operation, waits: Hold | undefined, memory: Memory, now: Moment): Operation {
  const since = memory.waits;
  if (waits === undefined || since === undefined || PROGRESS.has(waits.reason))
    return blockedBy(record, undefined, now.nowMs, '');
  const isStored = record.blocked?.reason === waits.reason;
  const stoodMs = now.monotonicMs - since.sinceMonotonicMs;
  if (!isStored && stoodMs < BLOCKED_AFTER_MS && !waits.needsPerson) return blockedBy(record, undefined, now.nowMs, '');
  return blockedBy(record, waits, since.sinceMs, REASONS[waits.reason].remedy);
}

/** What stands in the way of an operation, as one sentence that names its target. */
export function blockedHold(operation: Operation | undefined, waits: Hold | undefined): Hold | undefined {
  const { blocked, target } = operation ?? {};
  if (blocked === undefined || !isReason(blocked.reason)) return undefined;
  const message = `removing ${target?.name ?? 'a node'} waits: ${blocked.message}`;
  return { reason: blocked.reason, message, needsPerson: waits?.reason === blocked.reason && waits.needsPerson };
}
