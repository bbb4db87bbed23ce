// Keeps asking every member of every cluster and remembers the answers: a cache of the data plane, as the reflectors
// are of the API server. It never uses the API server, and decides nothing. Timing is in probing-pace.ts and
// due-probes.ts, the meaning of answers in member-answer.ts, what is kept for proofs in facts-keeper.ts.

import type { MemberAnswer, MemberFacts } from '@marekvs/planner';
import type { Clock } from '@marekvs/runtime';
import type { MemberMetrics } from '@marekvs/store-client';
import type { MemberPasswords } from '../secrets/member-passwords.ts';
import { askMember, NO_PASSWORDS } from './ask-member.ts';
import { createDueProbes } from './due-probes.ts';
import type { WatchedProbe } from './facts-keeper.ts';
import { createFollowedClusters } from './followed-clusters.ts';
import {
  createFollowed,
  type Followed,
  forgetProcess,
  nextKnown,
  nextMarks,
  type PodProcess,
  type SampleTarget,
} from './followed-member.ts';
import { failed, nextAnswer, ownAnswer, reportedState } from './member-answer.ts';
import { nextRate, type OpRate } from './op-rate.ts';
import type { Probe, ProbeOptions, ProbeResult } from './probe.ts';
import { isAtRest, type Pace, RESTING_READING_MS, SETTLED_INTERVAL_MS } from './probing-pace.ts';

export type { SampleTarget } from './followed-member.ts';
export type { Pace } from './probing-pace.ts';

/** What is known of one member's process. */
export interface MemberSample {
  readonly answer: MemberAnswer;
  /** From the last reading; undefined before the first. */
  readonly metrics: MemberMetrics | undefined;
  /** Commands of clients per second, with the readings it comes from; undefined before the first. */
  readonly rate: OpRate | undefined;
}

/** A member and its last answer. */
export interface FollowedMember {
  readonly clusterKey: string;
  readonly name: string;
  readonly answer: MemberAnswer;
  readonly metrics: MemberMetrics | undefined;
}

export interface Sampler {
  /** Sets the members to ask for a cluster and their pace; forgets its other members. Idempotent and cheap. */
  follow(clusterKey: string, targets: readonly SampleTarget[], pace: Pace): void;
  /** Stops asking for a cluster. */
  forget(clusterKey: string): void;
  /** Asks every member of a cluster again now, with a whole probe. */
  poke(clusterKey: string): void;
  /** The last answer of this very process; `notAsked` when it is not followed, or without a Pod. */
  sample(pod: PodProcess | undefined): MemberSample;
  /** What every followed member of the cluster has shown so far, in the order they are followed. A snapshot. A Pod
   *  whose name has no node id of this cluster has no facts. */
  facts(clusterKey: string): readonly MemberFacts[];
  /** All followed members with their last answers. */
  followed(): Iterable<FollowedMember>;
  /** We are connected to the mesh port at this address as an observer from now on, until the returned function is
   *  called: the member counts us among its peers. */
  observe(ip: string): () => void;
  /** Runs until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

/** Commands per second. */
export interface ClusterRates {
  /** Sum over all members of the cluster; undefined unless every rate is known and recent. */
  readonly total: number | undefined;
  /** By how much the rate of the member just asked has risen since its last answer; 0 while that is unknown. */
  readonly risen: number;
}

export interface SamplerOptions {
  readonly probe: Probe;
  /** The passwords to try at a node's member. @default members that require none */
  readonly passwords?: MemberPasswords;
  /** Called when the meaning of an answer has changed, or a figure that an operation waits for: reconcile the cluster
   *  again. */
  readonly onChange: (clusterKey: string) => void;
  /** Called after every answer, changed or not. */
  readonly onRate?: (clusterKey: string, rates: ClusterRates) => void;
  readonly clock: Clock;
  readonly random: () => number;
  /** Questions under way at once, over all clusters. @default 64 */
  readonly maxInFlight?: number;
}

const NOT_ASKED: MemberSample = { answer: { kind: 'notAsked' }, metrics: undefined, rate: undefined };

/** Most members that a list may name: members that replace others, and those that are gone, come on top of the nodes.
 *  Never fewer than 256: members may be there whose MarekvsNodes are not, and are to be seen. */
function maxMembersOf(nodes: number): number {
  return Math.max(256, 4 * nodes);
}

export function createSampler(options: SamplerOptions): Sampler {
  const { clock, maxInFlight = 64, passwords = NO_PASSWORDS } = options;
  const members = createFollowedClusters(clock, options.random);
  const due = createDueProbes<Followed>({ clock, maxInFlight, isWanted: members.has, ask });

  async function ask(entry: Followed, signal: AbortSignal): Promise<void> {
    const startedAtMs = clock.steadyMs();
    const { restartCount } = entry.target;
    const probing = entry.keeper.probe();
    let result: ProbeResult;
    try {
      result = await askMember({ probe: options.probe, passwords }, entry, () => askedOf(entry, probing), signal);
    } catch (error) {
      signal.throwIfAborted();
      result = failed(error);
    }
    // After a restart of its container, the answer may be that of the process before.
    if (members.has(entry) && entry.target.restartCount === restartCount) take(entry, probing, result, startedAtMs);
  }

  function askedOf(entry: Followed, watch: WatchedProbe): ProbeOptions {
    if (entry.target.isSealed) return { onlyFigures: true, watch };
    const maxMembers = maxMembersOf(members.of(entry.clusterKey).length);
    return { known: nextKnown(entry, members.restingOf(entry.clusterKey)), maxMembers, watch };
  }

  function take(entry: Followed, probing: WatchedProbe, answered: ProbeResult, startedAtMs: number): void {
    const before = reportedState(entry);
    const result = ownAnswer(answered, entry.target);
    entry.failures = result.kind === 'silent' ? entry.failures + 1 : 0;
    entry.isUnauthorized = result.kind === 'silent' && result.isUnauthorized;
    if (result.kind === 'silent') entry.isIdentified = false;
    entry.answer = nextAnswer(entry.answer, entry.failures, result, {
      nowMs: clock.nowMs(),
      viewAtMs: probing.viewAtMs(),
    });
    entry.marks = nextMarks(entry.marks, result);
    const wasIdle = members.isIdle(entry.clusterKey);
    const intervalMs = members.intervalOf(entry);
    const ratedBefore = entry.rate;
    if (result.kind !== 'silent') remember(entry, probing, result, intervalMs);
    // Another member answers here: what is known of this one proves nothing any more.
    else if (result !== answered) entry.keeper.restart();
    else if (result.metrics !== undefined) entry.keeper.add(probing, result.metrics, undefined, intervalMs);
    if (entry.answer.kind === 'silent') entry.rate = undefined;
    // While an operation runs, a slow answer must not stretch the distance between two samples.
    const tookMs = entry.pace === 'operation' ? clock.steadyMs() - startedAtMs : 0;
    const nextMs = wasIdle && !members.isIdle(entry.clusterKey) ? hastened(entry) : intervalMs;
    due.schedule(entry, Math.max(nextMs - tookMs, nextMs / 4));
    if (reportedState(entry) !== before && !members.isAnyUnasked(entry.clusterKey)) options.onChange(entry.clusterKey);
    const risen = entry.rate === ratedBefore ? 0 : (entry.rate?.risen ?? 0);
    options.onRate?.(entry.clusterKey, { total: members.totalRate(entry.clusterKey), risen });
  }

  function askWholly(entry: Followed): void {
    entry.briefProbes = Number.POSITIVE_INFINITY;
    due.schedule(entry, 0);
  }

  function remember(
    entry: Followed,
    probing: WatchedProbe,
    result: Exclude<ProbeResult, { readonly kind: 'silent' }>,
    intervalMs: number,
  ): void {
    if (result.kind === 'serving') entry.keeper.shown(result.view);
    if (result.metrics === undefined) return;
    entry.metrics = result.metrics;
    entry.rate = nextRate(entry.rate, result.metrics, clock.monotonicMs());
    const { answer } = entry;
    const shown =
      answer.kind === 'serving' ? { view: answer.view, digest: answer.digest, atMs: answer.viewAtMs } : undefined;
    entry.keeper.add(probing, result.metrics, shown, Math.min(intervalMs, RESTING_READING_MS));
  }

  /** The cluster is no longer idle, or a member is silent: without this, the others would not be asked for minutes.
   *  @returns when the member itself is asked again */
  function hastened(entry: Followed): number {
    for (const other of members.of(entry.clusterKey)) {
      if (other === entry || !isAtRest(other.pace)) continue;
      const isWatched = other.pace === 'watched';
      due.schedule(other, isWatched ? members.intervalOf(other) : options.random() * SETTLED_INTERVAL_MS);
    }
    return members.intervalOf(entry);
  }

  function followOne(clusterKey: string, target: SampleTarget, pace: Pace): void {
    const entry = members.get(target.podUid);
    if (entry === undefined) {
      const fresh = createFollowed(clusterKey, target, pace, () => clock.monotonicMs());
      members.put(fresh);
      due.schedule(fresh, 0);
      return;
    }
    const isRestarted = entry.target.restartCount !== target.restartCount;
    if (isRestarted) forgetProcess(entry);
    const isPoked = isRestarted || entry.target.isPodReady !== target.isPodReady || entry.target.ip !== target.ip;
    const isFaster = !isAtRest(pace) && isAtRest(entry.pace);
    // A probe that an event causes is a whole one.
    if (isPoked || (isFaster && pace !== 'measuring')) entry.briefProbes = Number.POSITIVE_INFINITY;
    const before = entry.pace;
    if (entry.target.ip !== target.ip) entry.isIdentified = false;
    entry.target = target;
    entry.pace = pace;
    if (isPoked || isFaster) due.schedule(entry, 0);
    // From now on it is asked at the times of all clusters that are sized by load.
    else if (before === 'settled' && pace === 'watched') due.schedule(entry, members.intervalOf(entry));
  }

  return {
    follow(clusterKey, targets, pace) {
      const podUids = targets.map(({ podUid }) => podUid);
      for (const entry of members.want(clusterKey, podUids)) due.cancel(entry);
      for (const target of targets) followOne(clusterKey, target, pace);
    },
    forget(clusterKey) {
      for (const entry of members.forget(clusterKey)) due.cancel(entry);
    },
    poke(clusterKey) {
      for (const entry of members.of(clusterKey)) askWholly(entry);
    },
    sample(pod) {
      const entry = pod === undefined ? undefined : members.get(pod.uid);
      if (entry === undefined || entry.target.restartCount !== pod?.restartCount) return NOT_ASKED;
      return { answer: entry.answer, metrics: entry.metrics, rate: entry.rate };
    },
    facts: (clusterKey) => members.of(clusterKey).flatMap(({ keeper }) => keeper.facts() ?? []),
    *followed() {
      for (const { clusterKey, target, answer, metrics } of members.all())
        yield { clusterKey, name: target.name, answer, metrics };
    },
    observe(ip) {
      const observed = [...members.all()].filter(({ target }) => target.ip === ip);
      const ends = observed.map(({ keeper }) => keeper.observe());
      return () => {
        for (const end of ends) end();
      };
    },
    async run(signal) {
      await due.run(signal);
      for (const entry of members.clear()) due.cancel(entry);
    },
  };
}
