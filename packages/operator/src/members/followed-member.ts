// What the sampler knows of one member's process, and whether the next probe at it may be brief.

import { parseNodeId } from '@marekvs/api';
import type { MemberAnswer } from '@marekvs/planner';
import type { MemberMetrics } from '@marekvs/store-client';
import type { Asked } from './due-probes.ts';
import { createFactsKeeper, type FactsKeeper } from './facts-keeper.ts';
import type { OpRate } from './op-rate.ts';
import { briefProbes, type Pace } from './pace.ts';
import type { KnownMember } from './probe.ts';

/** One member's process to ask. A Pod UID is one life at one address. */
export interface SampleTarget {
  readonly podUid: string;
  readonly name: string;
  readonly nodeId: number;
  readonly ip: string;
  readonly isPodReady: boolean;
}

/** Everything the sampler knows of one member's process. */
export interface Followed extends Asked {
  readonly clusterKey: string;
  target: SampleTarget;
  pace: Pace;
  answer: MemberAnswer;
  metrics: MemberMetrics | undefined;
  rate: OpRate | undefined;
  failures: number;
  isUnauthorized: boolean;
  /** Brief questions since the last whole one. */
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
    failures: 0,
    isUnauthorized: false,
    timer: undefined,
    isAsking: false,
    isWantedAgain: false,
    briefProbes: 0,
    keeper: createFactsKeeper(nodeId, target.podUid, nowMs),
  };
}

/** What the next probe may take for granted; undefined when it has to be a whole one. */
export function nextKnown(entry: Followed): KnownMember | undefined {
  const { answer, metrics } = entry;
  const mayBeBrief = entry.briefProbes < briefProbes(entry.pace) && entry.failures === 0;
  const known =
    mayBeBrief && answer.kind === 'serving' && metrics !== undefined
      ? { view: answer.view, digest: answer.digest, metrics }
      : undefined;
  entry.briefProbes = known === undefined ? 0 : entry.briefProbes + 1;
  return known;
}
