// API servers that are behind, in one life: which version a stream is served from, for how long, and when streams
// break. The rules for a server are in the simulator's watch-cache.ts. Half of the lives keep to them; in the others a
// stream with initial events may begin with an older state too, as if it were a list at resourceVersion=0.

import { WatchCache } from '@marekvs/simulator';
import type { MemberWorld } from '../world/member-world.ts';
import type { Fate } from './fate.ts';

export interface PastOptions {
  /** Which processes may get streams from the past; default all. */
  readonly isConcerned?: (process: string) => boolean;
  /** Whether servers and operators die. Default true. */
  readonly isRestless?: boolean;
}

/** How long after `begin` streams may be in the past, in virtual milliseconds. */
export const PAST_MS = 150_000;
/** No server is further behind: etcd's history is compacted every five minutes. */
const MAX_AGE_MS = 300_000;
/** A server catches up within this time. */
const LONGEST_HOLD_MS = 120_000;

export class Past {
  readonly #world: MemberWorld;
  readonly #fate: Fate;
  readonly #keepsPromise: boolean;
  /** The time of every version, of every kind. */
  readonly #moments: { readonly version: number; readonly resource: string; readonly atMs: number }[] = [];
  #endsAtMs = 0;

  /** Must be created before the cluster, to know its whole history. */
  constructor(world: MemberWorld, fate: Fate) {
    this.#world = world;
    this.#fate = fate;
    this.#keepsPromise = fate.chance(0.5);
    world.kube.server.onEvent(({ version, resource }) => {
      this.#moments.push({ version, resource, atMs: world.nowMs });
    });
  }

  /** For PAST_MS, streams that open may be in the past. */
  begin({ isConcerned = () => true, isRestless = true }: PastOptions = {}): void {
    const { kube } = this.#world;
    this.#endsAtMs = this.#world.nowMs + PAST_MS;
    kube.transcript.add('world', `API servers may be behind${this.#keepsPromise ? '' : ', and list their past'}`);
    this.#world.cacheOf = (process, resource) =>
      this.#isOver || !isConcerned(process) ? undefined : this.#cacheFor(resource);
    if (isRestless) this.#strikeSoon();
  }

  /** Virtual milliseconds until streams are current again. */
  get leftMs(): number {
    return Math.max(0, this.#endsAtMs - this.#world.nowMs);
  }

  get #isOver(): boolean {
    return this.#fate.isOver || this.leftMs === 0;
  }

  /** Breaks the streams of every operator now. By chance their server also loses its history. */
  cut(): void {
    const fate = this.#fate;
    if (fate.chance(0.5)) this.#world.oldestVersion = this.#world.kube.server.version;
    for (const operator of this.#world.livingOperators()) {
      if (operator.cutStreams() === 0) continue;
      fate.count('streamsCut');
      this.#world.kube.transcript.add('world', `cuts the streams of ${operator.name}`);
    }
  }

  #strikeSoon(): void {
    const fate = this.#fate;
    this.#world.kube.clock.after(fate.between(3_000, 40_000), () => {
      if (this.#isOver) return;
      if (fate.chance(0.5)) this.cut();
      else if (this.#world.operator.isAlive) {
        fate.count('operatorKilled');
        this.#world.operator.crash();
      }
      this.#strikeSoon();
    });
  }

  /** One connection to one server. */
  #cacheFor(resource: string): WatchCache | undefined {
    const fate = this.#fate;
    if (fate.chance(0.3)) return undefined;
    const cache = new WatchCache({ server: this.#world.kube.server, resource, keepsPromise: this.#keepsPromise });
    const isBehindAtOnce = fate.chance(this.#keepsPromise ? 0.3 : 0.7);
    if (isBehindAtOnce) this.#hold(cache, this.#versionBefore(resource));
    else this.#holdLater(cache);
    return cache;
  }

  /** Lets the cache keep up for a while and then holds it. */
  #holdLater(cache: WatchCache): void {
    this.#world.kube.clock.after(this.#fate.between(0, 40_000), () => {
      if (!this.#isOver) this.#hold(cache, this.#world.kube.server.version);
    });
  }

  /** Holds the cache until it catches up, at once or in steps; it may be held again later. */
  #hold(cache: WatchCache, version: number): void {
    const fate = this.#fate;
    const { server, transcript } = this.#world.kube;
    fate.count(version < server.version && !this.#keepsPromise ? 'timeTravel' : 'serverBehind');
    transcript.add('world', `a server of ${cache.resource} stays at ${server.version - version} versions ago`);
    cache.holdAt(version);
    const endsAtMs = this.#world.nowMs + Math.min(this.leftMs, fate.between(1_000, LONGEST_HOLD_MS));
    if (fate.chance(0.3)) this.#creep(cache, endsAtMs);
    fate.undoAfter(endsAtMs - this.#world.nowMs, () => {
      transcript.add('world', `a server of ${cache.resource} has caught up`);
      cache.release();
      if (!this.#isOver) this.#holdLater(cache);
    });
  }

  /** Moves the cache towards the present in random steps. */
  #creep(cache: WatchCache, endsAtMs: number): void {
    const fate = this.#fate;
    this.#world.kube.clock.after(fate.between(1_000, 20_000), () => {
      if (this.#isOver || this.#world.nowMs >= endsAtMs) return;
      cache.holdAt(fate.whole(cache.version, this.#world.kube.server.version));
      this.#creep(cache, endsAtMs);
    });
  }

  /** Mostly the last version before a change of this kind. */
  #versionBefore(resource: string): number {
    const fate = this.#fate;
    const { server, clock } = this.#world.kube;
    const young = this.#moments.filter(({ atMs }) => clock.now() - atMs <= MAX_AGE_MS);
    const own = young.filter((moment) => moment.resource === resource);
    const moments = own.length > 0 && fate.chance(0.7) ? own : young;
    return moments.length === 0 ? server.version : fate.pick(moments).version - 1;
  }
}
