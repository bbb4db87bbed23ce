// The record of an operation that stops members for a while: all of them, or one.

import type { Operation } from '@marekvs/api';
import { NOW_MS } from './builders.ts';

/** Phases that are entered only after Pods have begun to end. */
const AFTER_STOPPING: ReadonlySet<Operation['phase']> = new Set(['Hibernated', 'Waking', 'Suspended', 'Restarting']);

/** A record that began `agoMs` before now and entered `phase` at once. */
export function stoppingRecord(
  phase: Operation['phase'],
  agoMs: number,
  change: Pick<Operation, 'id' | 'type'> & Partial<Operation>,
): Operation {
  const at = new Date(NOW_MS - agoMs).toISOString();
  const before = AFTER_STOPPING.has(phase) ? [{ phase: 'Stopping' as const, at }] : [];
  return {
    specGeneration: 1,
    phase,
    startedAt: at,
    timeline: [{ phase: 'Claimed', at }, ...before, { phase, at }],
    ...change,
  };
}
