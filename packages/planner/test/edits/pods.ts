// One Pod of a sequence of edits, and the process in it: plain state, and what is seen of it at a moment. Times are
// wall clock; a delay of 0 is the shortest possible.

import { LABELS, nodeName } from '@marekvs/api';
import type { PodRecord } from '../../src/index.ts';
import { CLUSTER, pod, podResources } from '../support/builders.ts';
import { fateOf, resourcesOf } from './templates.ts';

/** One life of a member. */
export interface Life {
  readonly generation: number;
  readonly bornMs: number;
  /** Infinite for one that nobody lets in. */
  activeAtMs: number;
  /** When it has what it missed, if somebody is there who has that. */
  readonly caughtUpAtMs: number;
  isLeaving: boolean;
  /** Records that were written while it was away are not on it. */
  lacks: boolean;
  /** It takes no connection of ours until then, and is listed by the others all the same. */
  silentUntilMs: number;
  silentSinceMs: number;
}

export interface PodState {
  readonly id: number;
  readonly uid: string;
  readonly ownerUid: string;
  readonly createdAtMs: number;
  readonly startsAtMs: number;
  readonly seeds: readonly string[];
  readonly labels: Record<string, string>;
  templateHash: string;
  /** Its process runs with its door closed. */
  readonly isSealed: boolean;
  isLeaving: boolean;
  /** Undefined while it is not ending. */
  endsAtMs: number | undefined;
  restarts: number;
  life: Life | undefined;
  resizing: { readonly hash: string; readonly doneAtMs: number } | undefined;
  resizedBy: string | undefined;
}

/** Between two of them a container that crashes is started again. */
const CRASH_MS = 12_000;
const BACK_OFF_MS = 10_000;
/** From then on it is waited for minutes. */
const LAST_TRY_MS = 60_000;

export function isActive(life: Life | undefined, nowMs: number): life is Life {
  return life !== undefined && life.activeAtMs <= nowMs;
}

/** What the API server shows of it. */
export function podAt(state: PodState, nowMs: number): PodRecord {
  const { id, uid, life, endsAtMs } = state;
  const ageMs = nowMs - state.createdAtMs;
  const fate = fateOf(state.templateHash);
  const hasStarted = nowMs >= state.startsAtMs && fate !== 'noImage';
  const resources = podResources(resourcesOf(state.templateHash));
  const asked = state.resizing === undefined ? undefined : podResources(resourcesOf(state.resizing.hash));
  const isResized = state.resizing !== undefined && state.resizing.doneAtMs <= nowMs;
  return pod(id, {
    name: nodeName(CLUSTER, id),
    uid,
    ownerUid: state.ownerUid,
    isTerminating: endsAtMs !== undefined,
    terminationDueMs: endsAtMs === undefined ? undefined : Math.max(endsAtMs, nowMs) + 30_000,
    createdAtMs: state.createdAtMs,
    phase: hasStarted ? 'Running' : 'Pending',
    ip: nowMs >= state.startsAtMs ? `10.0.0.${id + 1}` : undefined,
    isReady: isActive(life, nowMs),
    waiting: waitingOf(fate, ageMs),
    restartCount: state.restarts + (fate === 'crashes' ? Math.floor(ageMs / CRASH_MS) : 0),
    labels: { ...state.labels },
    seeds: state.seeds,
    templateHash: state.templateHash,
    isLeaving: state.isLeaving || state.isSealed,
    isSealed: state.isSealed,
    resources: asked === undefined ? resources : isResized ? asked : { ...asked, effective: resources.effective },
    resizedBy: state.resizedBy,
  });
}

function waitingOf(fate: ReturnType<typeof fateOf>, ageMs: number): PodRecord['waiting'] {
  if (fate === 'noImage')
    return { reason: ageMs < BACK_OFF_MS ? 'ErrImagePull' : 'ImagePullBackOff', message: 'no such image' };
  const isCrashed = fate === 'crashes' && (ageMs % CRASH_MS > CRASH_MS / 2 || ageMs > LAST_TRY_MS);
  return isCrashed ? { reason: 'CrashLoopBackOff', message: 'it ends' } : undefined;
}

/** As far as its Pod says, no client is sent to it. */
export function isOutOfService({ labels }: PodState): boolean {
  return labels[LABELS.serving] === undefined;
}
