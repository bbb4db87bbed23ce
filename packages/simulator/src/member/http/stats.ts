// The gauges of the 2 s stats task (docs/design/server.md#metrics): 0 before the first pass, then up to 2 s old. The
// same task stamps `alive:last` and judges the disk.

import { aliveStampMaxMs, clockStepsPerMs, statsIntervalMs } from '../basics/constants.ts';
import type { MemberContext } from '../interfaces/context.ts';
import { ownedBy } from '../membership/placement.ts';
import { isExpired } from '../records/expiry.ts';

export interface StatsSources {
  readonly gatePending: () => number;
  readonly inflightBytes: () => number;
  readonly ring: () => { readonly ops: number; readonly bytes: number };
  readonly persist: () => void;
}

export class Stats {
  readonly #context: MemberContext;
  readonly #sources: StatsSources;
  #stampedAtMs: number | undefined;

  constructor(context: MemberContext, sources: StatsSources) {
    this.#context = context;
    this.#sources = sources;
  }

  start(): void {
    this.#context.world.after(statsIntervalMs, () => {
      this.#pass();
      this.start();
    });
  }

  #pass(): void {
    const { metrics, view, settings, knobs, connectedPeers } = this.#context;
    const { members, placement } = view();
    const candidates = placement.candidates.length;
    metrics.set('cluster_members', members.length);
    // Despite its name it follows membership only: 0 or 4096, whatever the data are (docs/design/server.md#the-gauge).
    metrics.set('cluster_underreplicated_partitions', underreplicated(candidates, settings.replicas));
    metrics.set('cluster_effective_rf_min', Math.min(settings.replicas, candidates));
    metrics.set('cluster_owned_partitions', ownedBy(placement, settings.nodeId).length);
    metrics.set('join_gate_pending_pids', this.#sources.gatePending() + knobs().stuckGatePartitions);
    metrics.set('mesh_peers', connectedPeers().length);
    metrics.set('repl_inflight_bytes', this.#sources.inflightBytes());
    metrics.set('ring_ops', this.#sources.ring().ops);
    metrics.set('ring_bytes', this.#sources.ring().bytes);
    this.#judgeDisk();
    this.#sweepExpired();
    this.#stamp();
  }

  #judgeDisk(): void {
    const { metrics, world, knobs, settings, store } = this.#context;
    const total = knobs().diskTotalBytes ?? world.disk.totalBytes();
    const available = knobs().diskAvailableBytes ?? world.disk.availableBytes();
    metrics.set('disk_total_bytes', total);
    metrics.set('disk_avail_bytes', available);
    metrics.set('db_total_bytes', store.bytes());
    const usedPercent = total === 0 ? 0 : (100 * (total - available)) / total;
    const floor = settings.diskMinAvailableMegabytes * 1024 * 1024;
    if (usedPercent >= settings.diskHighWaterPercent && available < floor) metrics.set('disk_write_stopped', 1);
    else if (usedPercent <= settings.diskLowWaterPercent || available >= 2 * floor)
      metrics.set('disk_write_stopped', 0);
  }

  #stamp(): void {
    const { world, settings, knobs } = this.#context;
    const every = Math.min((settings.gcGraceSeconds * 1_000) / 4, aliveStampMaxMs);
    const now = world.now();
    if (this.#stampedAtMs !== undefined && now - this.#stampedAtMs < every) return;
    this.#stampedAtMs = now;
    world.disk.write('alive:last', String(Math.round(world.wallNow() + knobs().clockStepMs)));
    this.#sources.persist();
    this.#sweepTombstones();
  }

  /** Each member at its own pass, so some are first and the others hear of it. */
  #sweepExpired(): void {
    const { world, store, knobs, expire } = this.#context;
    const now = world.wallNow() + knobs().clockStepMs;
    for (const version of store.expiring()) if (isExpired(version, now)) expire(version);
  }

  /** Tombstones older than gc_grace go, without a trace. */
  #sweepTombstones(): void {
    const { world, settings, store, dropLocal } = this.#context;
    const oldestMs = world.wallNow() - (settings.gcGraceSeconds * 1_000) / world.speed;
    for (const { key, clock } of store.tombstones()) if (clock / clockStepsPerMs < oldestMs) dropLocal(key);
  }
}

export function underreplicated(candidates: number, replicas: number): number {
  return candidates < replicas ? 4_096 : 0;
}
