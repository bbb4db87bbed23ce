// Several replicas that share slots, in one simulated time: clocks that run fast or slow, processes that stop and
// continue, requests that are lost on either way, a watch that lags, passes that take their time, and a judge that
// sees them all at every instant.

import { ApiError } from '../../src/errors/errors.ts';
import {
  createLeaseIdentity,
  type LeaseApi,
  type LeaseNotes,
  type LeaseRecord,
  type LeaseSpec,
} from '../../src/lease/lease-record.ts';
import { replicaLease } from '../../src/sharing/leases/lease-table.ts';
import type { ShareRules } from '../../src/sharing/ring/ring-plan.ts';
import {
  createSharedOwnership,
  type SharedOwnership,
  type SharedOwnershipOptions,
} from '../../src/sharing/shared-ownership.ts';
import { SLOTS } from '../../src/sharing/slots/slots.ts';
import { createSoleOwnership } from '../../src/sharing/sole-ownership.ts';
import { type Clock, delayOn } from '../../src/time/clock.ts';
import { createManualClock, type ManualClock } from './manual-clock.ts';
import type { Random } from './random.ts';
import { BASE, KEYS } from './share-keys.ts';

export interface LeaseEdit {
  readonly holder?: string;
  readonly annotations?: LeaseNotes;
  /** Everything else in its spec goes, as with a release. */
  readonly isWhole?: boolean;
}

export interface ShareServer {
  read(name: string): LeaseRecord | undefined;
  create(name: string, spec: LeaseSpec, annotations?: LeaseNotes): LeaseRecord;
  update(name: string, previous: LeaseRecord, spec: LeaseSpec, annotations?: LeaseNotes): LeaseRecord;
  /** What an administrator may do at any time, unconditionally. */
  edit(name: string, change: LeaseEdit): void;
  remove(name: string): void;
  all(): readonly LeaseRecord[];
  readonly watchers: Set<(name: string, record: LeaseRecord | undefined) => void>;
  writes: number;
}

export interface ShareNetwork {
  /** Milliseconds to the server, and back; Infinity: lost. */
  there: () => number;
  back: () => number;
  /** Milliseconds until a change is received. */
  watchLag: () => number;
}

export interface Replica {
  readonly name: string;
  readonly podUid: string;
  readonly ordinal: number;
  readonly ownership: Pick<SharedOwnership, 'run' | 'grant' | 'observe' | 'listed' | 'leftMs' | 'waiting' | 'slots'>;
  readonly network: ShareNetwork;
  pause(): void;
  resume(): void;
  /** Its watch was cut, and everything is read anew: what happened in between is never received. */
  relist(): void;
  crash(): void;
  /** SIGTERM; the process is dead when it has ended. */
  stop(): void;
  jumpWall(ms: number): void;
  readonly isDead: boolean;
  /** According to its hook, it has no part, since others share in another format. */
  readonly isRefused: boolean;
  /** Passes that were aborted. */
  readonly abortedPasses: number;
  /** Log lines of at least info. */
  readonly lines: readonly string[];
}

export interface StartReplica {
  /** `single`: it leads alone, and its number is only for its name. */
  readonly rules: ShareRules | { readonly kind: 'single' };
  readonly rate?: number;
  /** Another Pod under the same name. */
  readonly podUid?: string;
  /** Milliseconds until the caches hold what was gained. */
  readonly holdMs?: () => number;
  /** What it assumes about leases. By default, what all assume. */
  readonly timing?: NonNullable<SharedOwnershipOptions['timing']>;
  /** A version in which every cluster is in another slot. */
  readonly format?: string;
  /** Milliseconds a pass takes. Default: none runs. */
  readonly passMs?: () => number;
}

export interface ShareWorld {
  readonly time: ManualClock;
  readonly server: ShareServer;
  readonly replicas: readonly Replica[];
  start(ordinal: number, options: StartReplica): Replica;
  run(ms: number): Promise<void>;
  /** Runs until the condition holds. @returns the milliseconds it took @throws Error when it takes too long */
  until(isDone: () => boolean, limitMs: number, what: string): Promise<number>;
  /** SIGTERM, and the time until it has ended. */
  stopped(replica: Replica | undefined): Promise<void>;
  /** Slots that some replica works on. */
  owned(): number;
  partOf(replica: Replica): number;
}

/** Slots change hands by the dozen: an eighth of them shows that, at an eighth of the cost. */
const LOOKED_AT: readonly number[] = Array.from({ length: SLOTS / 8 }, (_, index) => index * 8);

const EVERY_SLOT: readonly number[] = Array.from({ length: SLOTS }, (_, slot) => slot);

const WALL_MS = Date.UTC(2026, 0, 1);

function createShareServer(): ShareServer {
  const stored = new Map<string, LeaseRecord>();
  let version = 1000;
  let uids = 0;
  const watchers: ShareServer['watchers'] = new Set();
  const tell = (name: string, record: LeaseRecord | undefined): void => {
    for (const watcher of watchers) watcher(name, record);
  };
  const refuse = (verb: 'create' | 'update', status: number, reason: string): ApiError =>
    new ApiError({ verb, subject: 'leases', path: '/leases', status, reason });
  function store(name: string, spec: LeaseSpec, uid: string, annotations: LeaseNotes | undefined): LeaseRecord {
    const record: LeaseRecord = {
      namespace: 'operators',
      name,
      uid,
      resourceVersion: String(++version),
      holder: spec.holderIdentity ?? '',
      acquireTime: spec.acquireTime,
      transitions: spec.leaseTransitions ?? 0,
      labels: undefined,
      annotations: annotations === undefined ? undefined : { ...annotations },
    };
    stored.set(name, record);
    tell(name, record);
    return record;
  }
  const server: ShareServer = {
    watchers,
    writes: 0,
    read: (name) => stored.get(name),
    create(name, spec, annotations) {
      server.writes += 1;
      if (stored.has(name)) throw refuse('create', 409, 'AlreadyExists');
      return store(name, spec, `lease-${++uids}`, annotations);
    },
    update(name, previous, spec, annotations) {
      server.writes += 1;
      const current = stored.get(name);
      if (current === undefined) throw refuse('update', 404, 'NotFound');
      if (current.uid !== previous.uid || current.resourceVersion !== previous.resourceVersion)
        throw refuse('update', 409, 'Conflict');
      return store(name, spec, current.uid, { ...previous.annotations, ...annotations });
    },
    edit(name, { holder, annotations, isWhole = false }) {
      const current = stored.get(name);
      if (current === undefined) return;
      const { acquireTime, transitions } = current;
      const spec = {
        holderIdentity: holder ?? current.holder,
        leaseTransitions: transitions,
        ...(acquireTime === undefined || isWhole ? {} : { acquireTime }),
      };
      store(name, spec, current.uid, { ...current.annotations, ...annotations });
    },
    remove(name) {
      if (!stored.delete(name)) return;
      version += 1;
      tell(name, undefined);
    },
    all: () => [...stored.values()],
  };
  return server;
}

/** @param onOverlap two processes work on one slot at this instant */
export function createShareWorld(onOverlap: (slot: number, names: readonly string[]) => void): ShareWorld {
  const time = createManualClock();
  const server = createShareServer();
  const replicas: Replica[] = [];
  const working = new Map<Replica, () => Iterable<number>>();
  let boots = 0;

  function judge(): void {
    const owner = new Map<number, string>();
    for (const [replica, slots] of working) {
      for (const slot of slots()) {
        const other = owner.get(slot);
        if (other !== undefined && other !== replica.name) onOverlap(slot, [other, replica.name]);
        owner.set(slot, replica.name);
      }
    }
  }

  function start(ordinal: number, options: StartReplica): Replica {
    const { rules, rate = 1, podUid = `uid-${ordinal}`, holdMs = () => 20, passMs } = options;
    let isPaused = false;
    let isDead = false;
    let isRefused = false;
    let wallMs = WALL_MS;
    const held: (() => void)[] = [];
    const lines: string[] = [];
    const network: ShareNetwork = { there: () => 1, back: () => 1, watchLag: () => 2 };
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
    const apiOf = (name: string): LeaseApi => ({
      read: () => call(() => server.read(name)),
      create: (spec, _signal, notes) => call(() => server.create(name, spec, notes)),
      update: (previous, spec, _signal, notes) => call(() => server.update(name, previous, spec, notes)),
    });

    /** Slots of passes under way, with the grant each began with. */
    const passes = new Map<number, { isOver(): boolean }>();
    const waiters = new Set<() => void>();
    let abortedPasses = 0;
    function beginPasses(): void {
      for (const slot of LOOKED_AT) {
        if (passes.has(slot) || passMs === undefined) continue;
        const grant = ownership.grant(String(slot));
        if (grant === undefined) continue;
        const end = (): void => {
          if (!passes.delete(slot)) return;
          for (const look of waiters) look();
        };
        passes.set(slot, { isOver: () => grant.left() <= 0 && grant.signal.aborted });
        after(passMs(), end);
        const abortPass = (): void => {
          if (passes.has(slot)) abortedPasses += 1;
          after(1, end);
        };
        grant.signal.addEventListener('abort', abortPass, { once: true });
      }
      after(500, beginPasses);
    }

    const identity = createLeaseIdentity(`replica-${ordinal}`, podUid, `boot-${++boots}`);
    const log = (level: string) => (msg: string, fields?: object) =>
      void lines.push(`${time.monotonicMs()} ${level} ${msg} ${JSON.stringify(fields)}`);
    const logger = {
      debug: () => {},
      info: log('info'),
      warn: log('warn'),
      error: log('error'),
      child: () => logger,
    };
    const ownership = rules.kind === 'single' ? sole() : shared(rules);

    function sole(): Replica['ownership'] {
      const alone = createSoleOwnership({
        baseName: BASE,
        keys: KEYS,
        api: apiOf(BASE),
        identity,
        ...options.timing,
        clock,
        random: () => 0.5,
        logger,
      });
      if (!server.all().some(({ name }) => name === BASE)) alone.observe(BASE, undefined);
      return {
        run: alone.run,
        grant: alone.grant,
        observe: alone.observe,
        listed: alone.listed,
        leftMs: alone.leftMs,
        get waiting() {
          return alone.waiting;
        },
        get slots() {
          return new Set(alone.grant('0') === undefined ? [] : EVERY_SLOT);
        },
      };
    }

    function shared(own: ShareRules): SharedOwnership {
      return createSharedOwnership({
        rules: own,
        ordinal,
        baseName: BASE,
        keys: KEYS,
        apiOf,
        identity,
        slotOf: (key) => (options.format === undefined ? Number(key) : (Number(key) + SLOTS / 2) % SLOTS),
        ...(options.format === undefined ? {} : { format: options.format }),
        ...(options.timing === undefined ? {} : { timing: options.timing }),
        clock,
        random: () => 0.5,
        logger,
        hooks: {
          refused(is) {
            isRefused = is;
          },
        },
        part: {
          hold: (_slots, signal) => clock.delay(holdMs(), signal),
          settled(slots) {
            const isOver = (): boolean => ![...passes.keys()].some((slot) => slots.has(slot));
            if (isOver()) return Promise.resolve();
            return new Promise((resolve) => {
              const look = (): void => {
                if (!isOver()) return;
                waiters.delete(look);
                resolve();
              };
              waiters.add(look);
            });
          },
          letGo: () => {},
        },
      });
    }
    let lastArrivalMs = 0;
    let lists = 0;
    const hear = (name: string, record: LeaseRecord | undefined): void => {
      const list = lists;
      const observe = (): void => (list === lists ? ownership.observe(name, record) : undefined);
      lastArrivalMs = Math.max(lastArrivalMs, time.monotonicMs() + network.watchLag());
      time.after(lastArrivalMs - time.monotonicMs(), () => deliver(observe));
    };
    for (const record of server.all()) ownership.observe(record.name, record);
    ownership.listed();
    server.watchers.add(hear);
    const abort = new AbortController();
    const ended = ownership.run(abort.signal);
    beginPasses();

    const replica: Replica = {
      name: `${identity.text}`,
      podUid,
      ordinal,
      ownership,
      network,
      lines,
      pause() {
        isPaused = true;
      },
      resume() {
        // Each in a turn of its own, and in order: what arrives meanwhile comes later.
        const next = held.shift();
        if (next === undefined) isPaused = false;
        else {
          if (!isDead) next();
          time.after(0.5, replica.resume);
        }
      },
      relist() {
        lists += 1;
        lastArrivalMs = 0;
        for (const record of server.all()) ownership.observe(record.name, record);
        ownership.listed();
      },
      crash() {
        if (isDead) return;
        isDead = true;
        server.watchers.delete(hear);
        working.delete(replica);
        replicas.splice(replicas.indexOf(replica), 1);
      },
      stop() {
        abort.abort(new Error('stop'));
        void ended.then(replica.crash);
      },
      jumpWall(ms) {
        wallMs += ms;
      },
      get isRefused() {
        return isRefused;
      },
      get isDead() {
        return isDead;
      },
      get abortedPasses() {
        return abortedPasses;
      },
    };
    working.set(replica, function* () {
      for (const slot of LOOKED_AT) if (ownership.grant(String(slot)) !== undefined) yield slot;
      // Without a valid lease of its own process, nothing under way counts: it cannot know, and its writes are refused.
      if (ownership.leftMs() > 0) for (const [slot, pass] of passes) if (!pass.isOver()) yield slot;
    });
    replicas.push(replica);
    return replica;
  }

  async function step(ms: number): Promise<void> {
    await time.run(ms);
    judge();
  }

  const world: ShareWorld = {
    time,
    server,
    replicas,
    start,
    async run(ms) {
      const untilMs = time.monotonicMs() + ms;
      await step(0);
      for (;;) {
        const nextMs = time.nextTimerInMs();
        if (nextMs === undefined || time.monotonicMs() + nextMs > untilMs) break;
        await step(nextMs);
      }
      await step(untilMs - time.monotonicMs());
    },
    async until(isDone, limitMs, what) {
      const startMs = time.monotonicMs();
      await step(0);
      while (!isDone()) {
        const nextMs = time.nextTimerInMs();
        if (nextMs === undefined || time.monotonicMs() + nextMs - startMs > limitMs)
          throw new Error(`${what}: not within ${limitMs} ms\n${replicas.map(describeReplica).join('\n')}`);
        await step(nextMs);
      }
      return time.monotonicMs() - startMs;
    },
    async stopped(replica) {
      if (replica === undefined) throw new Error('nobody to stop');
      replica.stop();
      await world.until(() => replica.isDead, 30_000, `${replica.name} ends`);
    },
    owned: () => new Set(replicas.flatMap((replica) => [...slotsOfReplica(replica)])).size,
    partOf: (replica) => [...slotsOfReplica(replica)].length,
  };
  return world;
}

function slotsOfReplica({ ownership }: Replica): readonly number[] {
  return [...ownership.slots].filter((slot) => ownership.grant(String(slot)) !== undefined);
}

function describeReplica(replica: Replica): string {
  const { name, ownership, lines } = replica;
  return `${name}: ${slotsOfReplica(replica).length} of ${SLOTS}, waits for ${ownership.waiting}\n  ${lines.slice(-8).join('\n  ')}`;
}

/** What the manifests install: the leases of this many replicas, and the leader's, free. */
export function installed(world: ShareWorld, replicas: number): void {
  world.server.create(BASE, {});
  for (let ordinal = 0; ordinal < replicas; ordinal += 1) world.server.create(replicaLease(BASE, ordinal), {});
}

export function slowNetwork(random: Random, replica: Replica): void {
  replica.network.there = () => random.between(1, 400);
  replica.network.back = () => random.between(1, 400);
  replica.network.watchLag = () => random.between(1, 1500);
}
