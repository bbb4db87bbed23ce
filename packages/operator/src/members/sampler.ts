// Keeps asking every member of every cluster and remembers the last answer: a cache of the data plane, as the reflectors are
// of the API server. Nothing here goes through the API server, and nothing decides.

import { type MemberAnswer, viewKey } from '@marekvs/planner';
import type { Clock, Timer } from '@marekvs/runtime';
import type { MemberAddress, MemberMetrics } from '@marekvs/store-client';
import { nextRate, type OpRate } from './op-rate.ts';
import type { KnownMember, Probe, ProbeResult } from './probe.ts';

/** One member's process to ask. A Pod UID is one life at one address. */
export interface SampleTarget {
  readonly podUid: string;
  readonly name: string;
  readonly ip: string;
  readonly isPodReady: boolean;
}

/** `settled`: nothing is expected to change, ask rarely. `moving`: ask about every second. */
export type Pace = 'settled' | 'moving';

/** What is known of one member's process. */
export interface MemberSample {
  readonly answer: MemberAnswer;
  /** Of the last reading that came, undefined before the first. */
  readonly metrics: MemberMetrics | undefined;
  readonly opsPerSecond: number | undefined;
}

export interface Sampler {
  /** Sets whom to ask for a cluster and how often; forgets everybody else of it. Idempotent and cheap. */
  follow(clusterKey: string, targets: readonly SampleTarget[], pace: Pace): void;
  /** Stops asking for a cluster. */
  forget(clusterKey: string): void;
  /** The last answer of the process in that Pod. */
  sample(podUid: string): MemberSample;
  /** Runs until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

export interface SamplerOptions {
  readonly probe: Probe;
  /** Password of the cluster's members, undefined when none is set. May read the API server on first use. */
  readonly passwordOf: (clusterKey: string, isStale: boolean, signal: AbortSignal) => Promise<string | undefined>;
  /** Called when an answer changed in meaning: look at the cluster again. */
  readonly onChange: (clusterKey: string) => void;
  /** Called after every answer, changed or not, with the commands per second of all members of the cluster;
   *  undefined unless every one is known. */
  readonly onRate?: (clusterKey: string, opsPerSecond: number | undefined) => void;
  readonly clock: Clock;
  readonly random: () => number;
  /** Questions under way at once, over all clusters. @default 64 */
  readonly maxInFlight?: number;
}

/** Between two looks at a settled member; jittered by a third (issue: 30 s jittered). */
export const SETTLED_INTERVAL_MS = 30_000;
export const MOVING_INTERVAL_MS = 1_000;
/** A first failure is asked again soon; only a second one in a row counts as silence. */
const RETRY_INTERVAL_MS = 1_000;
const SILENT_INTERVAL_MS = 2_000;

interface Entry {
  clusterKey: string;
  target: SampleTarget;
  pace: Pace;
  answer: MemberAnswer;
  metrics: MemberMetrics | undefined;
  rate: OpRate | undefined;
  failures: number;
  isUnauthorized: boolean;
  timer: Timer | undefined;
  isAsking: boolean;
  isWantedAgain: boolean;
  /** Brief questions since the last whole one. */
  briefLooks: number;
}

export function createSampler(options: SamplerOptions): Sampler {
  const { clock, maxInFlight = 64 } = options;
  const entries = new Map<string, Entry>();
  const clusters = new Map<string, Set<string>>();
  const due: Entry[] = [];
  let inFlight = 0;
  let stop: AbortSignal | undefined;
  const pending = new Set<Promise<void>>();

  function schedule(entry: Entry, afterMs: number): void {
    entry.timer?.cancel();
    entry.timer = clock.after(afterMs, () => {
      entry.timer = undefined;
      due.push(entry);
      startDue();
    });
  }

  function startDue(): void {
    while (stop !== undefined && !stop.aborted && inFlight < maxInFlight) {
      const entry = due.shift();
      if (entry === undefined) return;
      // What changed while the question was under way may not be in its answer.
      if (entry.isAsking) entry.isWantedAgain = true;
      if (entry.isAsking || !isFollowed(entry)) continue;
      inFlight += 1;
      const work = ask(entry, stop).finally(() => {
        inFlight -= 1;
        pending.delete(work);
        startDue();
      });
      pending.add(work);
    }
  }

  async function ask(entry: Entry, signal: AbortSignal): Promise<void> {
    entry.isAsking = true;
    try {
      const result = await askMember(entry, signal);
      if (isFollowed(entry)) take(entry, result);
    } catch (error) {
      signal.throwIfAborted();
      if (isFollowed(entry)) take(entry, failed(error));
    } finally {
      entry.isAsking = false;
      if (entry.isWantedAgain && isFollowed(entry)) schedule(entry, 0);
      entry.isWantedAgain = false;
    }
  }

  async function askMember(entry: Entry, signal: AbortSignal): Promise<ProbeResult> {
    const password = await options.passwordOf(entry.clusterKey, entry.isUnauthorized, signal);
    const address: MemberAddress = { host: entry.target.ip, ...(password === undefined ? {} : { password }) };
    return options.probe(address, signal, knownOf(entry));
  }

  function take(entry: Entry, result: ProbeResult): void {
    const nowMs = clock.nowMs();
    const before = meaning(entry.answer);
    entry.failures = result.kind === 'silent' ? entry.failures + 1 : 0;
    entry.isUnauthorized = result.kind === 'silent' && result.isUnauthorized;
    entry.answer = nextAnswer(entry, result, nowMs);
    if (result.kind !== 'silent' && result.metrics !== undefined) {
      entry.metrics = result.metrics;
      entry.rate = nextRate(entry.rate, result.metrics, clock.steadyMs());
    } else if (entry.answer.kind === 'silent') {
      entry.rate = undefined;
    }
    schedule(entry, intervalOf(entry, options.random));
    if (meaning(entry.answer) !== before && !isAnyUnasked(entry.clusterKey)) options.onChange(entry.clusterKey);
    options.onRate?.(entry.clusterKey, totalRate(entry.clusterKey));
  }

  function isFollowed(entry: Entry): boolean {
    return entries.get(entry.target.podUid) === entry;
  }

  function totalRate(clusterKey: string): number | undefined {
    let total = 0;
    for (const podUid of clusters.get(clusterKey) ?? []) {
      const rate = entries.get(podUid)?.rate?.perSecond;
      if (rate === undefined) return undefined;
      total += rate;
    }
    return total;
  }

  /** First answers are told together: after a start, a look at a cluster of which one member has answered would be in vain. */
  function isAnyUnasked(clusterKey: string): boolean {
    for (const podUid of clusters.get(clusterKey) ?? [])
      if (entries.get(podUid)?.answer.kind === 'notAsked') return true;
    return false;
  }

  function drop(podUid: string): void {
    entries.get(podUid)?.timer?.cancel();
    entries.delete(podUid);
  }

  function followOne(clusterKey: string, target: SampleTarget, pace: Pace): void {
    const entry = entries.get(target.podUid);
    if (entry === undefined) {
      const fresh = newEntry(clusterKey, target, pace);
      entries.set(target.podUid, fresh);
      schedule(fresh, 0);
      return;
    }
    const isPoked = entry.target.isPodReady !== target.isPodReady || entry.target.ip !== target.ip;
    const isFaster = pace === 'moving' && entry.pace === 'settled';
    entry.target = target;
    entry.pace = pace;
    if (isPoked || isFaster) schedule(entry, 0);
  }

  return {
    follow(clusterKey, targets, pace) {
      const wanted = new Set(targets.map((target) => target.podUid));
      for (const podUid of clusters.get(clusterKey) ?? []) if (!wanted.has(podUid)) drop(podUid);
      clusters.set(clusterKey, wanted);
      for (const target of targets) followOne(clusterKey, target, pace);
    },
    forget(clusterKey) {
      for (const podUid of clusters.get(clusterKey) ?? []) drop(podUid);
      clusters.delete(clusterKey);
    },
    sample(podUid) {
      const entry = entries.get(podUid);
      if (entry === undefined) return { answer: { kind: 'notAsked' }, metrics: undefined, opsPerSecond: undefined };
      return { answer: entry.answer, metrics: entry.metrics, opsPerSecond: entry.rate?.perSecond };
    },
    async run(signal) {
      stop = signal;
      startDue();
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      });
      for (const podUid of [...entries.keys()]) drop(podUid);
      await Promise.allSettled(pending);
    },
  };
}

function newEntry(clusterKey: string, target: SampleTarget, pace: Pace): Entry {
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
    briefLooks: 0,
  };
}

/** So many looks at a settled member are brief ones before a whole one: half of what an idle fleet costs is asking for lists that
 *  do not change, and the figures say when they do. */
const BRIEF_LOOKS = 3;

function knownOf(entry: Entry): KnownMember | undefined {
  const { answer, metrics } = entry;
  const mayBeBrief = entry.pace === 'settled' && entry.briefLooks < BRIEF_LOOKS && entry.failures === 0;
  const known =
    mayBeBrief && answer.kind === 'serving' && metrics !== undefined
      ? { view: answer.view, digest: answer.digest, metrics }
      : undefined;
  entry.briefLooks = known === undefined ? 0 : entry.briefLooks + 1;
  return known;
}

/** One failure of a member that answered before leaves its last answer standing until it is asked again. */
function nextAnswer(entry: Entry, result: ProbeResult, nowMs: number): MemberAnswer {
  if (result.kind === 'serving') return { kind: 'serving', atMs: nowMs, view: result.view, digest: result.digest };
  if (result.kind === 'joining') {
    return entry.answer.kind === 'joining' ? entry.answer : { kind: 'joining', sinceMs: nowMs };
  }
  const { error, isInvalid } = result;
  if (entry.answer.kind === 'silent') return { ...entry.answer, error, isInvalid };
  const hadAnswer = entry.answer.kind === 'serving' || entry.answer.kind === 'joining';
  if (hadAnswer && entry.failures < 2) return entry.answer;
  return { kind: 'silent', sinceMs: nowMs, error, isInvalid };
}

function intervalOf(entry: Entry, random: () => number): number {
  if (entry.failures === 1) return RETRY_INTERVAL_MS;
  if (entry.answer.kind === 'silent') return SILENT_INTERVAL_MS;
  if (entry.pace === 'moving' || entry.answer.kind === 'joining') return MOVING_INTERVAL_MS;
  return SETTLED_INTERVAL_MS * (1 + (random() - 0.5) / 1.5);
}

/** A question that could not even be asked, for want of the password for instance. */
function failed(error: unknown): ProbeResult {
  const text = error instanceof Error ? error.message : String(error);
  return { kind: 'silent', error: text, isUnauthorized: false, isInvalid: false };
}

/** A text that changes exactly when the answer changes in meaning. */
function meaning(answer: MemberAnswer): string {
  if (answer.kind === 'serving') return `serving ${viewKey(answer.view)}`;
  if (answer.kind === 'silent') return `silent ${answer.error}`;
  return answer.kind;
}
