// Keeps what is known of the hosts of members that do not answer: asked about only while they do not, again and
// again, and counted by our own clock. At rest it asks nothing. What a probe is: host-probe.ts. What follows from
// it is decided by the planner.

import { type HostFinding, isAway } from '@marekvs/planner';
import type { Clock } from '@marekvs/runtime';
import { createBoundedWork } from './bounded-work.ts';
import { type HostProbe, type HostQuestion, type HostReader, probeHost } from './host-probe.ts';

export type { HostQuestion } from './host-probe.ts';

export interface HostFindings {
  /** What is known of the hosts of these nodes now, by UID. Asks in the background; a host that is not asked about any
   *  more is forgotten. Cheap. */
  ask(clusterKey: string, questions: readonly HostQuestion[]): ReadonlyMap<string, HostFinding>;
  /** The same of one node that is asked about. */
  known(nodeUid: string): HostFinding | undefined;
  /** A live probe, for whoever is about to act on it. */
  probe(question: HostQuestion, signal: AbortSignal): Promise<HostProbe>;
  /** Runs until aborted. Until then, questions only wait. */
  run(signal: AbortSignal): Promise<void>;
}

export interface HostFindingsOptions {
  readonly client: HostReader;
  readonly clock: Clock;
  /** Keys of taints that say that a host is drained, beside a cordon. @default none */
  readonly taints?: ReadonlySet<string>;
  /** Something new is known of the hosts of a cluster. */
  readonly onAnswer: (clusterKey: string) => void;
}

/** A host that is away is probed again after this time; one that is not, ever more rarely: its member
 *  fails for another reason. */
export const RECHECK_MS = 30_000;
const LONGEST_MS = 300_000;
const FORBIDDEN_MS = 600_000;
const FAILED_MS = 5_000;
/** Between two Pods of a node nobody asks about its host, which is away all the same. */
export const FORGET_MS = 60_000;
/** Hosts that go within this time of each other went together: their nodes count as one storm. */
export const STORM_MS = 600_000;
const GET_LIMIT_MS = 5_000;
const MAX_IN_FLIGHT = 4;

interface Entry {
  readonly nodeUid: string;
  readonly clusterKey: string;
  question: HostQuestion;
  probe: HostProbe | undefined;
  /** Steady: when the last probe ended, and for how long it is fresh. */
  atMs: number;
  freshMs: number;
  isAsking: boolean;
  /** Steady: when somebody wanted to know last. */
  askedAtMs: number;
  /** Steady: since when every probe has found it away. */
  awaySinceMs: number | undefined;
}

export function createHostFindings({ client, clock, taints, onAnswer }: HostFindingsOptions): HostFindings {
  const limits = { timeoutMs: GET_LIMIT_MS, ...(taints === undefined ? {} : { taints }) };
  const entries = new Map<string, Entry>();
  const due = createBoundedWork<Entry>(MAX_IN_FLIGHT, (entry, signal) =>
    entries.get(entry.nodeUid) === entry ? readEntry(entry, signal) : undefined,
  );

  async function readEntry(entry: Entry, signal: AbortSignal): Promise<void> {
    const before = summaryOf(entry);
    const probe = await probeHost(client, entry.question, clock.nowMs(), { signal, ...limits });
    entry.isAsking = false;
    take(entry, probe, clock.steadyMs());
    if (before !== summaryOf(entry)) onAnswer(entry.clusterKey);
  }

  function entryOf(clusterKey: string, question: HostQuestion): Entry {
    const known = entries.get(question.nodeUid);
    if (known !== undefined && known.clusterKey === clusterKey) {
      if (known.question.podState !== question.podState) known.freshMs = 0;
      known.question = question;
      return known;
    }
    const fresh: Entry = {
      nodeUid: question.nodeUid,
      clusterKey,
      question,
      probe: undefined,
      atMs: Number.NEGATIVE_INFINITY,
      freshMs: 0,
      isAsking: false,
      askedAtMs: 0,
      awaySinceMs: undefined,
    };
    entries.set(question.nodeUid, fresh);
    return fresh;
  }

  function findingOf(entry: Entry): HostFinding {
    const { probe, awaySinceMs } = entry;
    if (probe === undefined) return NOT_ASKED;
    const ownMs = awaySinceMs === undefined ? 0 : clock.steadyMs() - awaySinceMs;
    return {
      host: probe.host,
      state: probe.state,
      // A Node that has only just been marked not ready was so before for another reason.
      awayForMs: Math.min(ownMs, probe.awayMs === undefined ? ownMs : probe.awayMs + sinceProbeMs(entry)),
      volume: probe.volume,
      unknown: probe.unknown,
      otherHosts: othersOf(entry),
    };
  }

  function sinceProbeMs({ atMs }: Entry): number {
    return clock.steadyMs() - atMs;
  }

  /** Other hosts that went away at about the same time. */
  function othersOf({ probe, awaySinceMs, clusterKey }: Entry): number {
    if (probe === undefined || awaySinceMs === undefined) return 0;
    const others = [...entries.values()].filter(
      (other) =>
        other.clusterKey !== clusterKey &&
        other.awaySinceMs !== undefined &&
        Math.abs(other.awaySinceMs - awaySinceMs) < STORM_MS &&
        other.probe?.host !== probe.host,
    );
    return new Set(others.map((other) => other.probe?.host)).size;
  }

  return {
    ask(clusterKey, questions) {
      const nowMs = clock.steadyMs();
      for (const entry of entries.values()) if (nowMs - entry.askedAtMs > FORGET_MS) entries.delete(entry.nodeUid);
      const findings = new Map<string, HostFinding>();
      for (const question of questions) {
        const entry = entryOf(clusterKey, question);
        entry.askedAtMs = nowMs;
        findings.set(entry.nodeUid, findingOf(entry));
        if (entry.isAsking || nowMs - entry.atMs < entry.freshMs) continue;
        entry.isAsking = true;
        due.add(entry);
      }
      return findings;
    },
    known(nodeUid) {
      const entry = entries.get(nodeUid);
      return entry === undefined ? undefined : findingOf(entry);
    },
    probe: (question, signal) => probeHost(client, question, clock.nowMs(), { signal, ...limits }),
    run: due.run,
  };
}

const NOT_ASKED: HostFinding = {
  host: '',
  state: 'notAsked',
  awayForMs: 0,
  volume: 'unknown',
  unknown: undefined,
  otherHosts: 0,
};

/** A failed probe keeps the one before for a while; then nothing is known, and time counts anew. */
function take(entry: Entry, probe: HostProbe, nowMs: number): void {
  const isFailed = probe.state === 'unknown' && !probe.isForbidden;
  const isKept = isFailed && entry.probe !== undefined && nowMs - entry.atMs < 2 * RECHECK_MS;
  if (isKept) {
    entry.freshMs = nowMs - entry.atMs + FAILED_MS;
    return;
  }
  const found = isAway(probe);
  const isSame = entry.probe?.state === probe.state;
  entry.awaySinceMs = found ? (entry.awaySinceMs ?? nowMs) : undefined;
  entry.freshMs = freshMsOf(probe, found, isSame ? entry.freshMs : 0);
  entry.probe = probe;
  entry.atMs = nowMs;
}

function freshMsOf({ state, isForbidden }: HostProbe, isFoundAway: boolean, beforeMs: number): number {
  if (isForbidden) return FORBIDDEN_MS;
  if (state === 'unknown') return FAILED_MS;
  return isFoundAway ? RECHECK_MS : Math.min(LONGEST_MS, Math.max(RECHECK_MS, 2 * beforeMs));
}

function summaryOf({ probe }: Entry): string {
  return probe === undefined ? '' : [probe.state, probe.volume, probe.host].join();
}
