// What one member's process said over time: the raw material of every proof. Plain values, newest last.
// A figure that was missing or NaN is undefined, never 0. Times are monotonic milliseconds of the operator.

import type { ViewLine } from '../observation.ts';

/** One reading of a member. Counters restart with the process, gauges of the statistics task are up to 2 s old (marekvs.md 4). */
export interface MemberSample {
  readonly atMs: number;
  /** It came no later after the one before than two of its intervals: counters between the two are accounted for. */
  readonly isContinuous: boolean;
  /** False before the member's first statistics: its gauges mean nothing then. */
  readonly isFresh: boolean;
  /** Nobody of ours spoke RESP to it since the sample before, so its client figures are the clients' alone. */
  readonly isUndisturbed: boolean;
  readonly upSeconds: number | undefined;

  readonly rounds: number | undefined;
  readonly repairs: number | undefined;
  readonly digestScans: number | undefined;
  readonly bootstraps: number | undefined;
  readonly bootstrapBytes: number | undefined;
  /** May stand above 0 for ever; only *unchanged* means anything (marekvs.md 11). */
  readonly gatePartitions: number | undefined;
  readonly rejoinActive: number | undefined;
  readonly droppedRecords: number | undefined;
  readonly inflightBytes: number | undefined;
  readonly meshPeers: number | undefined;
  readonly connTimeouts: number | undefined;
  readonly members: number | undefined;
  readonly ownedPartitions: number | undefined;

  readonly clients: number | undefined;
  readonly inputBytes: number | undefined;

  readonly diskTotalBytes: number | undefined;
  readonly diskAvailBytes: number | undefined;
  readonly dbBytes: number | undefined;
  readonly writeStopped: number | undefined;

  /** The list of members it showed last, with the digest of its whole answer, and when that was; undefined while it serves no commands. */
  readonly view: readonly ViewLine[] | undefined;
  readonly viewDigest: string | undefined;
  readonly viewAtMs: number | undefined;
}

/** The samples of one life of one member. Another Pod, or a generation that changed, is another history. */
export interface MemberHistory {
  readonly nodeId: number;
  readonly podUid: string;
  /** Boot time as gossip has it, unix seconds; undefined until a view showed it. */
  readonly generation: number | undefined;
  /** Milliseconds between two samples at the present pace. */
  readonly intervalMs: number;
  /** Oldest first. Bounded by the sampler. */
  readonly samples: readonly MemberSample[];
}
