// Several candidates for one lease in one simulated time: clocks that run fast or slow, processes that stop and
// continue, requests that are slow, lost on the way there, or lost on the way back, watches that lag.

import {
  createLeaderElection,
  type LeaderElection,
  type LeaderElectionOptions,
} from '../../src/lease/leader-election.ts';
import { createLeaseFeed } from '../../src/lease/lease-feed.ts';
import { createLeaseIdentity, type LeaseApi } from '../../src/lease/lease-record.ts';
import { type Clock, delayOn } from '../../src/time/clock.ts';
import { createLeaseServer, type LeaseServer } from './lease-server.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';

/** Every candidate's wall clock at the start of the simulated time. */
export const START_WALL_MS = Date.UTC(2026, 0, 1);

export interface Network {
  /** Milliseconds from the candidate to the server; Infinity: lost. */
  there: () => number;
  /** Milliseconds back; Infinity: lost. */
  back: () => number;
  /** Milliseconds until a watch event arrives. */
  watchLag: () => number;
  /** Writes are refused with 503, reads work (F33). */
  isReadOnly: boolean;
}

export interface Candidate {
  readonly name: string;
  readonly election: LeaderElection;
  readonly network: Network;
  /** Real milliseconds at which the process was stopped; undefined while it runs. */
  pause(): void;
  resume(): void;
  /** kill -9: the process does nothing more, but its requests under way still arrive. */
  crash(): void;
  /** SIGTERM. Resolves when the election has ended. */
  stop(): Promise<void>;
  jumpWall(ms: number): void;
  readonly isDead: boolean;
  readonly requests: number;
}

export interface LeaseWorld {
  readonly time: ManualClock;
  readonly server: LeaseServer;
  readonly candidates: readonly Candidate[];
  start(name: string, options?: StartOptions): Candidate;
  /** Lets time pass, calling `check` after everything that happened at one instant. */
  run(ms: number, check?: () => void): Promise<void>;
  /** Candidates that hold a valid grant at this instant, by their own clocks, stopped ones included. */
  leaders(): string[];
}

export interface StartOptions {
  /** 1.03 runs 3 % fast. */
  readonly rate?: number;
  readonly podUid?: string;
  readonly election?: Partial<LeaderElectionOptions>;
}

export function createLeaseWorld(): LeaseWorld {
  const time = createManualClock();
  const server = createLeaseServer();
  const candidates: Candidate[] = [];
  const watchers = new Set<(record: ReturnType<LeaseServer['read']>) => void>();
  server.onChange = (record) => {
    for (const watcher of watchers) watcher(record);
  };
  let boots = 0;

  function start(name: string, options: StartOptions = {}): Candidate {
    const { rate = 1, podUid = `uid-${name}` } = options;
    let isPaused = false;
    let isDead = false;
    let requests = 0;
    let wallMs = START_WALL_MS;
    const held: (() => void)[] = [];
    const network: Network = { there: () => 1, back: () => 1, watchLag: () => 2, isReadOnly: false };

    /** What reaches the process: at once, after it continues, or never. */
    const deliver = (fn: () => void): void => {
      if (isDead) return;
      if (isPaused) held.push(fn);
      else fn();
    };
    const after: Clock['after'] = (ms, fn) => {
      let isCancelled = false;
      const timer = time.after(ms / rate, () => deliver(() => (isCancelled ? undefined : fn())));
      return {
        cancel() {
          isCancelled = true;
          timer.cancel();
        },
      };
    };
    const clock: Clock = {
      nowMs: () => wallMs + time.monotonicMs() * rate,
      monotonicMs: () => 1e6 + time.monotonicMs() * rate,
      steadyMs: () => time.monotonicMs() * rate,
      after,
      delay: (ms, signal) => delayOn(after, ms, signal),
    };

    function call<T>(act: () => T): Promise<T> {
      requests++;
      return new Promise((resolve, reject) => {
        const thereMs = network.there();
        if (thereMs === Number.POSITIVE_INFINITY) return;
        time.after(thereMs, () => {
          let answer: () => void;
          try {
            const result = act();
            answer = () => resolve(result);
          } catch (error) {
            answer = () => reject(error);
          }
          const backMs = network.back();
          if (backMs !== Number.POSITIVE_INFINITY) time.after(backMs, () => deliver(answer));
        });
      });
    }
    const write = <T>(act: () => T): Promise<T> =>
      call(() => {
        if (network.isReadOnly) throw new Error('503 etcdserver: no leader');
        return act();
      });
    const api: LeaseApi = {
      read: () => call(() => server.read()),
      create: (spec) => write(() => server.create(spec)),
      update: (previous, spec) => write(() => server.update(previous, spec)),
    };

    const feed = createLeaseFeed();
    let lastArrivalMs = 0;
    const watcher = (record: ReturnType<LeaseServer['read']>): void => {
      lastArrivalMs = Math.max(lastArrivalMs, time.monotonicMs() + network.watchLag());
      time.after(lastArrivalMs - time.monotonicMs(), () => deliver(() => feed.push(record)));
    };
    watchers.add(watcher);

    const identity = createLeaseIdentity(name, podUid, `boot-${++boots}`);
    const election = createLeaderElection({ api, feed, identity, clock, random: () => 0.5, ...options.election });
    const abort = new AbortController();
    const ended = election.run(abort.signal);
    const candidate: Candidate = {
      name: `${name}#${boots}`,
      election,
      network,
      pause() {
        isPaused = true;
      },
      resume() {
        isPaused = false;
        // Each in a turn of its own: an answer may be handled before the event that made it worthless.
        for (const [index, fn] of held.splice(0).entries()) time.after(index, () => deliver(fn));
      },
      crash() {
        isDead = true;
        watchers.delete(watcher);
        candidates.splice(candidates.indexOf(candidate), 1);
      },
      stop() {
        abort.abort(new Error('stop'));
        return ended;
      },
      jumpWall(ms) {
        wallMs += ms;
      },
      get isDead() {
        return isDead;
      },
      get requests() {
        return requests;
      },
    };
    candidates.push(candidate);
    return candidate;
  }

  return {
    time,
    server,
    candidates,
    start,
    async run(ms, check = () => {}) {
      const untilMs = time.monotonicMs() + ms;
      await time.run(0);
      check();
      for (;;) {
        const nextMs = time.nextTimerInMs();
        if (nextMs === undefined || time.monotonicMs() + nextMs > untilMs) break;
        await time.run(nextMs);
        check();
      }
      await time.run(untilMs - time.monotonicMs());
      check();
    },
    leaders: () => candidates.filter((one) => one.election.leftMs() > 0).map((one) => one.name),
  };
}
