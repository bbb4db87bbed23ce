// Remembers what is not worth a write of its own. Of the operation under way: phases that were never stored, and since
// when it has waited for one reason, its target has been isolated and members have lacked mesh connections. Also when
// the contents were last compared. A cache: after a restart it starts from the stored record.

import type { Operation, Reason } from '@marekvs/api';
import { isReason, REASONS } from '@marekvs/api';
import { blockedBy, type Hold, hold } from '@marekvs/planner';

/** An operation that has waited for less than this is on its way, not blocked. */
export const BLOCKED_AFTER_MS = 10_000;

/** A short phase is stored only once it has lasted this long: an operation can go on from the stored phase just as
 *  well. A member gives up its primaries in 2-4 s, its contents are compared within seconds, and it is gone from every
 *  list 4-6 s after the DELETE. A restart takes 2-9 s. */
const SHOWN_AFTER_MS: Readonly<Partial<Record<Operation['phase'], number>>> = {
  Isolating: 15_000,
  Sealing: 30_000,
  Proving: 15_000,
  Departing: 15_000,
  Restarting: 15_000,
  CatchingUp: 15_000,
};

/** What every healthy removal waits for is reported once it has lasted this long. */
const SLOW_AFTER_MS = 120_000;

export interface OperationMemory {
  /** The stored record with every phase this process has seen it in. */
  recall(key: string, stored: Operation | undefined): Operation | undefined;
  /** Records the operation after a pass, and returns it as it is to be shown: with what has blocked it for a while.
   *  @param isUrgent the record is about to be stored, so that it is returned even in a phase that has only just
   *  begun */
  note(
    key: string,
    record: Operation | undefined,
    waits: Hold | undefined,
    now: Moment,
    isUrgent: boolean,
  ): Operation | undefined;
  /** When this process last knew the contents to be covered, or first saw the cluster; monotonic. */
  verifiedAtMs(key: string, monotonicMs: number): number;
  /** The contents were covered at this moment. */
  verified(key: string, monotonicMs: number): void;
  /** Since when the target has been isolated without a break, monotonic; undefined while it is not, or nothing is
   *  under way. */
  isolatedSince(key: string, isIsolated: boolean, monotonicMs: number): number | undefined;
  /** Since when members have lacked mesh connections without a break, monotonic; undefined while none does, or nothing
   *  is under way. */
  unmeshedSince(key: string, isUnmeshed: boolean, monotonicMs: number): number | undefined;
  forget(key: string): void;
}

export interface Moment {
  readonly nowMs: number;
  readonly monotonicMs: number;
}

/** What is remembered of one operation. */
interface Memory {
  /** As it was stored when it was last recalled. */
  stored: Operation;
  /** As it was after the last pass, with every phase it has been in, most of them never stored. */
  record: Operation;
  /** Since when this process has seen it in the phase of `record`. */
  phaseSinceMonotonicMs: number;
  isolatedSinceMs: number | undefined;
  unmeshedSinceMs: number | undefined;
  waits: Waiting | undefined;
}

/** A wait for one reason without a break. */
interface Waiting {
  readonly reason: Reason;
  readonly sinceMs: number;
  readonly sinceMonotonicMs: number;
}

export function createOperationMemory(): OperationMemory {
  const known = new Map<string, Memory>();
  const verifiedMs = new Map<string, number>();

  function memoryOf(key: string, record: Operation): Memory {
    const memory = known.get(key);
    if (memory?.record.id === record.id) return memory;
    const fresh: Memory = {
      stored: record,
      record,
      phaseSinceMonotonicMs: Number.POSITIVE_INFINITY,
      isolatedSinceMs: undefined,
      unmeshedSinceMs: undefined,
      waits: undefined,
    };
    known.set(key, fresh);
    return fresh;
  }

  /** Since when a state holds without a break; undefined while it does not, or no operation is known. */
  function lasting(key: string, field: 'isolatedSinceMs' | 'unmeshedSinceMs', holds: boolean, monotonicMs: number) {
    const memory = known.get(key);
    if (memory === undefined) return undefined;
    memory[field] = holds ? (memory[field] ?? monotonicMs) : undefined;
    return memory[field];
  }

  return {
    recall(key, stored) {
      if (stored === undefined) return undefined;
      const memory = memoryOf(key, stored);
      const { timeline = [] } = memory.record;
      memory.stored = stored;
      return timeline.length > (stored.timeline?.length ?? 0) ? { ...stored, timeline } : stored;
    },
    note(key, record, waits, now, isUrgent) {
      if (record === undefined) {
        known.delete(key);
        return undefined;
      }
      const memory = memoryOf(key, record);
      if (record.phase !== memory.record.phase) memory.phaseSinceMonotonicMs = now.monotonicMs;
      memory.record = record.timeline === undefined ? { ...record, timeline: memory.record.timeline } : record;
      memory.waits = waitingSince(memory.waits, waits, now);
      return shown(isUrgent ? record : worthShowing(record, memory, now), waits, memory, now);
    },
    verifiedAtMs(key, monotonicMs) {
      const atMs = verifiedMs.get(key) ?? monotonicMs;
      verifiedMs.set(key, atMs);
      return atMs;
    },
    verified: (key, monotonicMs) => void verifiedMs.set(key, monotonicMs),
    isolatedSince(key, isIsolated, monotonicMs) {
      return lasting(key, 'isolatedSinceMs', isIsolated, monotonicMs);
    },
    unmeshedSince(key, isUnmeshed, monotonicMs) {
      return lasting(key, 'unmeshedSinceMs', isUnmeshed, monotonicMs);
    },
    forget(key) {
      known.delete(key);
      verifiedMs.delete(key);
    },
  };
}

function waitingSince(before: Waiting | undefined, waits: Hold | undefined, now: Moment): Waiting | undefined {
  if (waits === undefined || before?.reason === waits.reason) return waits === undefined ? undefined : before;
  return { reason: waits.reason, sinceMs: now.nowMs, sinceMonotonicMs: now.monotonicMs };
}

/** The stored record while a short phase has only just begun, otherwise the record itself. */
function worthShowing(record: Operation, { stored, phaseSinceMonotonicMs }: Memory, now: Moment): Operation {
  const afterMs = SHOWN_AFTER_MS[record.phase];
  if (afterMs === undefined || stored.phase === record.phase) return record;
  return now.monotonicMs - phaseSinceMonotonicMs < afterMs ? stored : record;
}

/** The record with its `blocked` as it should be read now. */
function shown(record: Operation, waits: Hold | undefined, memory: Memory, now: Moment): Operation {
  const since = memory.waits;
  if (waits === undefined || since === undefined) return blockedBy(record, undefined, now.nowMs, '');
  const isStored = record.blocked?.reason === waits.reason;
  const { progressOf, remedy } = REASONS[waits.reason];
  const afterMs = progressOf !== undefined ? SLOW_AFTER_MS : BLOCKED_AFTER_MS;
  const stoodMs = now.monotonicMs - since.sinceMonotonicMs;
  if (!isStored && stoodMs < afterMs && !waits.needsPerson) return blockedBy(record, undefined, now.nowMs, '');
  // The details of mere progress may change with every pass: those of the first report stay.
  const reported = isStored && progressOf !== undefined ? { ...waits, message: record.blocked?.message ?? '' } : waits;
  return blockedBy(record, reported, since.sinceMs, remedy);
}

/** What blocks an operation, as one sentence that names its target; undefined while nothing does. */
export function blockedHold(operation: Operation | undefined, waits: Hold | undefined): Hold | undefined {
  const { blocked, target } = operation ?? {};
  if (blocked === undefined || !isReason(blocked.reason)) return undefined;
  const message = `removing ${target?.name ?? 'a node'} waits: ${blocked.message}`;
  return hold(blocked.reason, message, waits?.reason === blocked.reason && waits.needsPerson);
}
