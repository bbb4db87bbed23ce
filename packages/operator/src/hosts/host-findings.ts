// Keeps what is known of the hosts of members that do not answer. Hosts are probed again and again, only while their
// members are silent, and times are counted by our own clock; at rest nothing is asked. The probe is in host-probe.ts,
// and the planner decides what follows.

import { type HostFinding, isAway } from '@marekvs/planner';
import type { Clock } from '@marekvs/runtime';
import { createBoundedWork } from '../background/bounded-work.ts';
import { ASK_LIMIT_MS, FAILED_MS, FORBIDDEN_MS } from '../pacing/paces.ts';
import { type HostProbe, type HostQuestion, type HostReader, probeHost } from './host-probe.ts';

export type { HostQuestion } from './host-probe.ts';

export interface HostFindings {
  /** The present findings about the hosts of these nodes, by node UID. Asks in the background, and forgets a host that
   *  is not asked about any more. Cheap. */
  ask(clusterKey: string, questions: readonly HostQuestion[]): ReadonlyMap<string, HostFinding>;
  /** The finding for one node; undefined unless its host is being asked about. */
  known(nodeUid: string): HostFinding | undefined;
  /** A live probe, for use right before an action. */
  probe(question: HostQuestion, signal: AbortSignal): Promise<HostProbe>;
  /** Asks until aborted. Before it runs, questions only wait. */
  run(signal: AbortSignal): Promise<void>;
}

export interface HostFindingsOptions {
  readonly client: HostReader;
  readonly clock: Clock;
  /** Keys of taints that mean, like a cordon, that a host is drained. @default none */
  readonly taints?: ReadonlySet<string>;
  /** A finding about a host of this cluster has changed. */
  readonly onAnswer: (clusterKey: string) => void;
}

/** A host that is away is probed again after this time. One that is not is probed ever more rarely, since its member
 *  fails for another reason. */
export const RECHECK_MS = 30_000;
const LONGEST_MS = 300_000;
/** Between two Pods of a node nobody asks about the host, which may still be away. */
export const FORGET_MS = 60_000;
/** Hosts that fail within this time of each other failed together: their nodes count as one storm. */
export const STORM_MS = 600_000;
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
  /** Steady: when the host was last asked about. */
  askedAtMs: number;
  /** Steady: since when every probe has found the host away. */
  awaySinceMs: number | undefined;
  /** The host of the last Pod that had one. */
  hostName: string | undefined;
}

export function createHostFindings({ client, clock, taints, onAnswer }: HostFindingsOptions): HostFindings {
  const limits = { timeoutMs: ASK_LIMIT_MS, ...(taints === undefined ? {} : { taints }) };
  const entries = new Map<string, Entry>();
  const due = createBoundedWork<Entry>(MAX_IN_FLIGHT, (entry, signal) =>
    entries.get(entry.nodeUid) === entry ? readEntry(entry, signal) : undefined,
  );

  async function readEntry(entry: Entry, signal: AbortSignal): Promise<void> {
    const before = summaryOf(entry);
    const { question } = entry;
    const probe = await probeHost(client, question, clock.nowMs(), { signal, ...limits });
    entry.isAsking = false;
    // There is another Pod by now, perhaps on another host: the next pass asks about that one.
    const isOutdated = entry.question.podState !== question.podState;
    if (!isOutdated) take(entry, probe, clock.steadyMs());
    if (isOutdated || before !== summaryOf(entry)) onAnswer(entry.clusterKey);
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
      hostName: question.hostName,
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
      // A Node that was only just marked not ready was away before for another reason.
      awayForMs: Math.min(ownMs, probe.awayMs === undefined ? ownMs : probe.awayMs + sinceProbeMs(entry)),
      volume: probe.volume,
      unknown: probe.unknown,
      otherHosts: othersOf(entry),
    };
  }

  function sinceProbeMs({ atMs }: Entry): number {
    return clock.steadyMs() - atMs;
  }

  /** The number of other hosts that went away at about the same time. */
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

/** After a failed probe the one before stays for a while. Then nothing is known, and time counts anew. */
function take(entry: Entry, probe: HostProbe, nowMs: number): void {
  const isFailed = probe.state === 'unknown' && !probe.isForbidden;
  const isKept = isFailed && entry.probe !== undefined && nowMs - entry.atMs < 2 * RECHECK_MS;
  if (isKept) {
    entry.freshMs = nowMs - entry.atMs + FAILED_MS;
    return;
  }
  const found = isAway(probe);
  const isSame = entry.probe?.state === probe.state;
  const { hostName = entry.hostName } = entry.question;
  // A Pod without a host counts as one on the previous host.
  const beforeMs = hostName === entry.hostName ? entry.awaySinceMs : undefined;
  entry.awaySinceMs = found ? (beforeMs ?? nowMs) : undefined;
  entry.hostName = hostName;
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
