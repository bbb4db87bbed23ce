// What the sampler knows of one member's process, and whether the next probe at it may be brief.

import { parseNodeId } from '@marekvs/api';
import type { MemberAnswer, PodRecord } from '@marekvs/planner';
import type { MemberMetrics } from '@marekvs/store-client';
import type { DueMember } from './due-probes.ts';
import { createFactsKeeper, type FactsKeeper } from './facts-keeper.ts';
import type { OpRate } from './op-rate.ts';
import type { KnownMember, ListMarks, ProbeResult } from './probe.ts';
import { depthOf, type Pace, type Resting } from './probing-pace.ts';

/** Identifies one process of a member: a container that restarts runs another one in the same Pod, at the same
 *  address. */
export type PodProcess = Pick<PodRecord, 'uid' | 'restartCount'>;

/** One member's process to ask. */
export interface SampleTarget {
  readonly podUid: string;
  readonly restartCount: number;
  readonly name: string;
  readonly nodeId: number;
  readonly ip: string;
  readonly isPodReady: boolean;
  /** It shows only its figures: nobody reaches its port for commands. */
  readonly isSealed: boolean;
}

/** Everything the sampler knows of one member's process. */
export interface Followed extends DueMember {
  readonly clusterKey: string;
  target: SampleTarget;
  pace: Pace;
  answer: MemberAnswer;
  metrics: MemberMetrics | undefined;
  rate: OpRate | undefined;
  /** Marks by which the next probe can tell that the list in `answer` is unchanged; undefined when that was asked for
   *  without them. */
  marks: ListMarks | undefined;
  failures: number;
  isUnauthorized: boolean;
  /** Its figures have said that it is the member it should be, at this address and since it was last silent: only then
   *  is it sent a password. */
  isIdentified: boolean;
  /** Brief probes since the last whole one. */
  briefProbes: number;
  readonly keeper: FactsKeeper;
}

/** @param nowMs monotonic */
export function createFollowed(clusterKey: string, target: SampleTarget, pace: Pace, nowMs: () => number): Followed {
  const clusterName = clusterKey.slice(clusterKey.indexOf('/') + 1);
  const nodeId = parseNodeId(clusterName, target.name);
  return {
    clusterKey,
    target,
    pace,
    answer: { kind: 'notAsked' },
    metrics: undefined,
    rate: undefined,
    marks: undefined,
    failures: 0,
    isUnauthorized: false,
    isIdentified: false,
    timer: undefined,
    isAsking: false,
    isWantedAgain: false,
    briefProbes: 0,
    keeper: createFactsKeeper(nodeId, target.podUid, nowMs),
  };
}

/** Nothing that the earlier process in the Pod has shown holds for the present one. A silent member stays silent: it
 *  has shown nothing since. */
export function forgetProcess(entry: Followed): void {
  if (entry.answer.kind !== 'silent') entry.answer = { kind: 'notAsked' };
  entry.metrics = undefined;
  entry.rate = undefined;
  entry.marks = undefined;
  entry.isIdentified = false;
  entry.keeper.restart();
}

/** What the next probe may take as known; undefined when it has to be a whole one. */
export function nextKnown(entry: Followed, of: Resting): KnownMember | undefined {
  const { answer, metrics, marks } = entry;
  const depth = entry.failures === 0 ? depthOf(entry.pace, entry.briefProbes, of) : 'whole';
  const isKnown = answer.kind === 'serving' && metrics !== undefined && (marks !== undefined || depth === 'figures');
  if (depth === 'whole' || !isKnown) {
    entry.briefProbes = 0;
    return undefined;
  }
  entry.briefProbes += 1;
  return { depth, view: answer.view, digest: answer.digest, metrics, marks };
}

/** The marks to compare the next list with; undefined for a list that came without marks. */
export function nextMarks(before: ListMarks | undefined, result: ProbeResult): ListMarks | undefined {
  if (result.kind !== 'serving') return undefined;
  return result.marks ?? (result.isBrief === true ? before : undefined);
}
