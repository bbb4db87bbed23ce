// Answers: what is a member's current answer after one more probe, and has its meaning changed? Pure.

import { type MemberAnswer, viewKey } from '@marekvs/planner';
import { errorText } from '@marekvs/runtime';
import type { MemberMetrics } from '@marekvs/store-client';
import type { Followed, SampleTarget } from './followed-member.ts';
import type { ProbeResult } from './probe.ts';

export interface AnsweredAt {
  /** Wall clock. */
  readonly nowMs: number;
  /** Monotonic: when the list of members was asked for, or the probe began. */
  readonly viewAtMs: number;
}

/** A member that answered before keeps its last answer through one failure, until it is asked again. A list that has
 *  not changed stays the same array. `failures` includes this one. */
export function nextAnswer(
  before: MemberAnswer,
  failures: number,
  result: ProbeResult,
  { nowMs, viewAtMs: askedAtMs }: AnsweredAt,
): MemberAnswer {
  if (result.kind === 'serving') {
    const { view, digest } = before.kind === 'serving' && isSameList(before, result) ? before : result;
    const viewAtMs = result.isBrief === true && before.kind === 'serving' ? before.viewAtMs : askedAtMs;
    const isWriteStopped = stoppedWrites(before, result.metrics);
    const isAsked = result.isBrief !== true || result.isGuarded !== undefined;
    const { isGuarded, wants, hasOldPassword } = isAsked || before.kind !== 'serving' ? result : before;
    return {
      kind: 'serving',
      atMs: nowMs,
      viewAtMs,
      view,
      digest,
      ...(isWriteStopped ? { isWriteStopped } : {}),
      ...(isGuarded === true ? { isGuarded } : {}),
      ...(isGuarded === true && wants !== undefined ? { wants } : {}),
      ...(hasOldPassword === true ? { hasOldPassword } : {}),
    };
  }
  if (result.kind === 'joining') {
    return before.kind === 'joining' ? before : { kind: 'joining', sinceMs: nowMs };
  }
  if (result.kind === 'figures') return before.kind === 'sealed' ? before : { kind: 'sealed', sinceMs: nowMs };
  const { error, isInvalid } = result;
  const locked = result.isUnauthorized ? ({ isLocked: true } as const) : {};
  if (before.kind === 'silent') return { kind: 'silent', sinceMs: before.sinceMs, error, isInvalid, ...locked };
  const hadAnswer = before.kind === 'serving' || before.kind === 'joining' || before.kind === 'sealed';
  if (hadAnswer && failures < 2) return before;
  return { kind: 'silent', sinceMs: nowMs, error, isInvalid, ...locked };
}

/** A probe without figures keeps the state of the last one. */
function stoppedWrites(before: MemberAnswer, metrics: MemberMetrics | undefined): boolean {
  if (metrics?.diskWriteStopped !== undefined) return metrics.diskWriteStopped > 0;
  return before.kind === 'serving' && before.isWriteStopped === true;
}

type Serving = Extract<MemberAnswer, { kind: 'serving' }>;
type List = Pick<Serving, 'view' | 'digest'>;

function isSameList(before: List, now: List): boolean {
  return before.view === now.view || (before.digest === now.digest && viewKey(before.view) === viewKey(now.view));
}

/** The answer, if it is that of the intended member: an address may belong to another member by now. */
export function ownAnswer(result: ProbeResult, { nodeId, ip }: Pick<SampleTarget, 'nodeId' | 'ip'>): ProbeResult {
  const answering = [result.metrics?.nodeId, listedAs(result)].find((id) => id !== undefined && id !== nodeId);
  if (answering === undefined) return result;
  return { kind: 'silent', error: `member ${answering} answers at ${ip}`, isUnauthorized: false, isInvalid: true };
}

function listedAs(result: ProbeResult): number | undefined {
  return result.kind === 'serving' ? (result.marks?.nodeId ?? result.listOf) : undefined;
}

/** The result when the question could not even be asked, for instance because the password could not be read. */
export function failed(error: unknown): ProbeResult {
  return { kind: 'silent', error: errorText(error), isUnauthorized: false, isInvalid: false };
}

/** A text that changes with the figures that an operation waits for: owned partitions and peers. */
function waitedFigures(metrics: MemberMetrics | undefined): string {
  if (metrics === undefined) return '';
  const { isFresh, clusterMembers, ownedPartitions, meshPeers } = metrics;
  return [isFresh, clusterMembers, ownedPartitions, meshPeers].join();
}

function passwordText({ isGuarded, wants = '', hasOldPassword }: Serving): string {
  if (isGuarded !== true) return '';
  return ` guarded ${wants}${hasOldPassword ? ' of before' : ''}`;
}

/** A text that changes exactly when the meaning of the answer does. */
function meaning(answer: MemberAnswer): string {
  if (answer.kind === 'serving')
    return `serving ${viewKey(answer.view)} ${answer.digest}${answer.isWriteStopped ? ' full' : ''}${passwordText(answer)}`;
  if (answer.kind === 'silent') return `silent ${answer.error}`;
  return answer.kind;
}

/** The part of the state that a pass may wait for. */
export function reportedState({ answer, pace, metrics }: Pick<Followed, 'answer' | 'pace' | 'metrics'>): string {
  return pace === 'operation' ? `${meaning(answer)} ${waitedFigures(metrics)}` : meaning(answer);
}
