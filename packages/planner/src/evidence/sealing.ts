// Answers: is the door of the target closed, so that nothing can be written to it any more? This server closes no
// connection and refuses no client: a pool that stays connected writes until the process ends, and what it was told is
// stored is only on that volume (docs/design/server.md#closed-door). So the process is ended and started again on the
// same volume, with its commands on an address that nobody reaches, and told to leave from its first moment.

import { isWithoutVolume } from '../members/member-state.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import { hold } from '../values/hold.ts';
import { shownSinceMs, type Witness } from './answers.ts';
import { type Check, failed, passed } from './checks.ts';
import { type Isolation, type IsolationInput, isolationOf, noPrimaries } from './isolation.ts';

/** The new process may still be shown with primaries for a moment after it was shown without: it counts as told to
 *  leave when all have shown it so for this long (docs/design/server.md#closed-door). */
const SHOWN_MS = 3_000;

/** True when its door is open and may be closed. A process that nothing would bring back is never ended for that. */
export function mayBeSealed(node: NodeRecord): boolean {
  return node.pod?.isSealed !== true && !isWithoutVolume(node);
}

/** noPrimaries, doorClosed, in this order. A process that cannot be sealed has lost its volume: it goes once clients
 *  have had time to move. */
export function sealingOf(witnesses: readonly Witness[], input: IsolationInput): Isolation {
  const { target, monotonicMs } = input;
  if (target.pod?.isSealed !== true && !mayBeSealed(target)) return openUntilTheEnd(isolationOf(witnesses, input));
  const primaries = noPrimaries(witnesses, target);
  const sinceMs = primaries.passed && isNewProcess(witnesses, target) ? shownSinceMs(witnesses) : undefined;
  return { checks: [primaries, doorClosed(target, sinceMs, monotonicMs)], sinceMs };
}

function openUntilTheEnd({ checks, sinceMs }: Isolation): Isolation {
  return {
    sinceMs,
    checks: checks.map((check) => (check.name === 'graceOver' ? { ...check, name: 'doorClosed' } : check)),
  };
}

/** All others list the process behind the closed door, and none the one before it. */
function isNewProcess(witnesses: readonly Witness[], { id, pod, ran }: NodeRecord): boolean {
  if (pod?.isSealed !== true || ran?.generation === undefined || pod.uid === ran.podUid) return false;
  const lines = witnesses.flatMap(({ view }) => view?.filter((line) => line.id === id) ?? []);
  return lines.length > 0 && lines.every(({ generation }) => generation !== ran.generation);
}

function doorClosed({ name, pod }: NodeRecord, sinceMs: number | undefined, monotonicMs: number): Check {
  const open = (message: string) => failed('doorClosed', message, hold('MemberSealing', message));
  if (pod?.isSealed !== true) return open(`${name} is being restarted with its door closed`);
  if (sinceMs === undefined) return open(`not every member shows ${name} behind its closed door yet`);
  if (monotonicMs - sinceMs < SHOWN_MS)
    return open(`every member has to show ${name} behind its closed door for ${SHOWN_MS / 1000} s`);
  return passed('doorClosed', `no client reaches ${name}`);
}
