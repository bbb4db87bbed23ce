// Remembers what one Pod's member said over time, for the proofs of a removal: one history for each life of its process.
// Knows when our own connections may show in its figures. Judges nothing; whose turn it is to be asked is the sampler's business.

import type { MemberHistory, MemberSample as Reading, ViewLine } from '@marekvs/planner';
import type { MemberMetrics } from '@marekvs/store-client';
import type { LookWatch } from './probe.ts';

/** One look under way, and what the history has to know of it. */
export interface WatchedLook extends LookWatch {
  /** Monotonic time at which the list of members was asked for; when the look began, unless the probe said better. */
  viewAtMs(): number;
}

/** What a member shows of its cluster, and since when we know. */
export interface ShownView {
  readonly view: readonly ViewLine[];
  readonly digest: string;
  /** Monotonic. */
  readonly atMs: number;
}

export interface SampleHistory {
  /** Begins a look at the member. */
  look(): WatchedLook;
  /** Somebody of ours speaks RESP to the member from now on, until the returned function is called. */
  disturb(): () => void;
  /** Somebody else has answered at its address: what came before proves nothing now. */
  restart(): void;
  /** Its list was seen, with or without figures: another generation of itself in it is another life. */
  shown(view: readonly ViewLine[]): void;
  /** Figures have come.
   *  @param view what it shows; undefined while it serves no commands @param plannedMs until the next look, as planned now */
  add(look: WatchedLook, metrics: MemberMetrics, view: ShownView | undefined, plannedMs: number): void;
  /** How many samples to keep from now on. What is too many is thinned out over the whole time. */
  keep(limit: number): void;
  /** A snapshot: what comes later does not change it. Undefined for a Pod whose name carries no node id. */
  read(intervalMs: number): MemberHistory | undefined;
}

interface Marks extends WatchedLook {
  atMs: number;
  /** No exchange of ours was under way when the figures were asked for. */
  isQuiet: boolean;
  /** Exchanges ever started, when the figures were asked for and when they were read. */
  startedAtAsk: number;
  startedAtRead: number;
}

/** @param nowMs monotonic */
export function createSampleHistory(
  nodeId: number | undefined,
  podUid: string,
  limit: number,
  nowMs: () => number,
): SampleHistory {
  let samples: readonly Reading[] = [];
  let generation: number | undefined;
  let kept = limit;
  /** Of the newest sample. */
  let startedBefore: number | undefined;
  let plannedBeforeMs = 0;
  let started = 0;
  let underWay = 0;

  function restart(): void {
    samples = [];
    generation = undefined;
    startedBefore = undefined;
  }

  function disturb(): () => void {
    started += 1;
    underWay += 1;
    let isOver = false;
    return () => {
      if (!isOver) underWay -= 1;
      isOver = true;
    };
  }

  function shown(view: readonly ViewLine[]): void {
    const own = view.find((line) => line.id === nodeId)?.generation;
    if (own === undefined) return;
    if (generation !== undefined && generation !== own) restart();
    generation = own;
  }

  return {
    disturb,
    restart,
    shown,
    look() {
      let viewAtMs = nowMs();
      // Until the probe says when it asks for figures, nothing is known of who disturbed them.
      const marks: Marks = {
        atMs: viewAtMs,
        isQuiet: false,
        startedAtAsk: started,
        startedAtRead: -1,
        viewAtMs: () => viewAtMs,
        figuresAsked() {
          marks.atMs = nowMs();
          marks.isQuiet = underWay === 0;
          marks.startedAtAsk = started;
        },
        figuresRead() {
          marks.startedAtRead = started;
        },
        respAsked() {
          viewAtMs = nowMs();
          return disturb();
        },
      };
      return marks;
    },
    add(look, metrics, view, plannedMs) {
      const marks = look as Marks;
      const last = samples.at(-1);
      if (isYounger(metrics.upSeconds, last?.upSeconds)) restart();
      if (view !== undefined) shown(view.view);
      const before = samples.at(-1);
      const isContinuous = before !== undefined && marks.atMs - before.atMs <= 2 * plannedBeforeMs;
      const isUndisturbed = marks.isQuiet && startedBefore !== undefined && marks.startedAtRead === startedBefore;
      const sample = toSample(marks.atMs, isContinuous, isUndisturbed, metrics, view);
      samples = [...samples.slice(Math.max(0, samples.length + 1 - kept)), sample];
      startedBefore = marks.startedAtAsk;
      plannedBeforeMs = plannedMs;
    },
    keep(next) {
      kept = next;
      samples = thin(samples, next);
    },
    read(intervalMs) {
      return nodeId === undefined ? undefined : { nodeId, podUid, generation, intervalMs, samples };
    },
  };
}

function isYounger(now: number | undefined, before: number | undefined): boolean {
  return now !== undefined && before !== undefined && now < before;
}

/** At most `limit` of them, the first and the last among these. What stood between two that stay is counted to the later one. */
function thin(samples: readonly Reading[], limit: number): readonly Reading[] {
  if (samples.length <= limit) return samples;
  const thinned: Reading[] = [];
  let from = 0;
  for (let n = 0; n < limit; n += 1) {
    const at = Math.round((n * (samples.length - 1)) / (limit - 1));
    const merged = samples.slice(from, at + 1);
    const sample = samples[at];
    if (sample !== undefined)
      thinned.push({
        ...sample,
        isContinuous: merged.every((each) => each.isContinuous),
        isUndisturbed: merged.every((each) => each.isUndisturbed),
      });
    from = at + 1;
  }
  return thinned;
}

/** A whole number that fits into 31 bits as what V8 stores in place: parsed figures are boxed, 16 bytes each, also when they are 0. */
function small(figure: number | undefined): number | undefined {
  return figure !== undefined && figure === (figure | 0) ? figure | 0 : figure;
}

/** Always the same fields in the same order: with that a sample takes about 370 bytes. */
function toSample(
  atMs: number,
  isContinuous: boolean,
  isUndisturbed: boolean,
  metrics: MemberMetrics,
  shown: ShownView | undefined,
): Reading {
  return {
    atMs,
    isContinuous,
    isFresh: metrics.isFresh,
    isUndisturbed,
    upSeconds: small(metrics.upSeconds),
    rounds: small(metrics.aeRounds),
    repairs: small(metrics.aeRepairOps),
    digestScans: small(metrics.aeDigestScans),
    bootstraps: small(metrics.bootstrapsCompleted),
    bootstrapBytes: small(metrics.bootstrapBytesSent),
    gatePartitions: small(metrics.joinGatePendingPids),
    rejoinActive: small(metrics.rejoinActive),
    droppedRecords: small(metrics.rejoinDroppedRecords),
    inflightBytes: small(metrics.replInflightBytes),
    meshPeers: small(metrics.meshPeers),
    connTimeouts: small(metrics.meshConnTimeouts),
    members: small(metrics.clusterMembers),
    ownedPartitions: small(metrics.ownedPartitions),
    clients: small(metrics.connectedClients),
    inputBytes: small(metrics.netInputBytes),
    diskTotalBytes: small(metrics.diskTotalBytes),
    diskAvailBytes: small(metrics.diskAvailBytes),
    dbBytes: small(metrics.dbTotalBytes),
    writeStopped: small(metrics.diskWriteStopped),
    view: shown?.view,
    viewDigest: shown?.digest,
    viewAtMs: shown?.atMs,
  };
}
