// Merkle anti-entropy after docs/design/server.md#anti-entropy, with the bucket and key steps of an exchange folded
// into one list of marks. Rounds are counted when they start, repairs where they arrive, before they are applied.

import {
  aeIntervalMs,
  aeJitterMs,
  freeScanRecords,
  listCostPerManyMs,
  listCostPerRecordMs,
  manyScanRecords,
  strandedEvery,
} from '../basics/constants.ts';
import type { MeshMessage, RootProbe, Version, VersionMark } from '../basics/messages.ts';
import type { MemberContext } from '../interfaces/context.ts';
import { coOwnersAt, isOwner, ownedBy, soleCoOwners } from '../membership/placement.ts';
import { recordHash } from '../records/record-hash.ts';
import { isOffered, isWanted, sizeOf } from '../records/store.ts';
import type { RepairLane } from './repair-lane.ts';

const nobody: readonly number[] = [];
/** A repair that changes nothing. */
const idleRepairCostMs = 0.05;

export class AntiEntropy {
  readonly #context: MemberContext;
  readonly #lane: RepairLane;
  readonly #onRejoinMatches: (partitions: readonly number[]) => void;
  readonly #onRejoinMarks: (peer: number, partition: number, marks: readonly VersionMark[]) => void;
  readonly #isRejoining: () => boolean;

  constructor(
    context: MemberContext,
    lane: RepairLane,
    rejoin: {
      readonly isActive: () => boolean;
      readonly onMatches: (partitions: readonly number[]) => void;
      readonly onMarks: (peer: number, partition: number, marks: readonly VersionMark[]) => void;
    },
  ) {
    this.#context = context;
    this.#isRejoining = rejoin.isActive;
    this.#onRejoinMatches = rejoin.onMatches;
    this.#onRejoinMarks = rejoin.onMarks;
    this.#lane = lane;
  }

  start(): void {
    const { world } = this.#context;
    world.after(aeIntervalMs + world.random() * aeJitterMs, () => {
      this.#round();
      this.start();
    });
  }

  receive(peer: number, message: MeshMessage): void {
    switch (message.kind) {
      case 'roots':
        this.#lane.add(() => this.#compareRoots(peer, message.probe, message.partitions, message.roots));
        return;
      case 'matches':
        if (message.probe === 'rejoin') this.#onRejoinMatches(message.partitions);
        return;
      case 'marks':
        if (message.probe === 'rejoin') this.#onRejoinMarks(peer, message.partition, message.marks);
        else this.#lane.add(() => this.#exchange(peer, message.probe, message.partition, message.marks));
        return;
      case 'request-keys':
        this.#lane.add(() => {
          const versions = message.keys.map((key) => this.#context.store.get(key));
          return this.#sendRepair(
            peer,
            message.partition,
            versions.filter((version) => version !== undefined),
          );
        });
        return;
      case 'repair':
        this.#lane.add(() => this.#applyRepair(message.versions));
        return;
      default:
        return;
    }
  }

  #round(): void {
    const { metrics, settings, view, knobs, world } = this.#context;
    const round = metrics.get('ae_rounds_total');
    metrics.add('ae_rounds_total');
    if (knobs().repairNoise > 0)
      metrics.add('ae_repair_ops_total', Math.floor(world.random() * (knobs().repairNoise + 1)));
    const owned = ownedBy(view().placement, settings.nodeId);
    this.#probe('home', this.#window(owned, round));
    if (metrics.get('ae_rounds_total') % strandedEvery !== 0 || this.#isRejoining()) return;
    const { placement } = view();
    this.#probe(
      'stranded',
      this.#context.store.held().filter((partition) => !isOwner(placement, partition, settings.nodeId)),
    );
  }

  /** MAREKVS_AE_PARTITIONS_PER_ROUND: a rotating window over the owned partitions. */
  #window(owned: readonly number[], round: number): readonly number[] {
    const cap = this.#context.settings.aePartitionsPerRound;
    if (cap === 0 || cap >= owned.length) return owned;
    const from = (round * cap) % owned.length;
    return [...owned.slice(from, from + cap), ...owned.slice(0, Math.max(0, from + cap - owned.length))];
  }

  #probe(probe: RootProbe, partitions: readonly number[]): void {
    const { view, settings, store, world, send } = this.#context;
    const { placement } = view();
    const now = world.now();
    const sole = partitions === ownedBy(placement, settings.nodeId) && soleCoOwners(placement, settings.nodeId);
    if (sole) {
      // With two homes there is only one possible partner. The draws are skipped all the same, so that the sequence of
      // random numbers stays as it is with three homes.
      world.skipRandom(partitions.length);
      for (const [partner, own] of sole)
        send(partner, { kind: 'roots', probe, partitions: own, roots: store.rootsOf(own, now) });
      return;
    }
    for (const [partner, own] of this.#drawPartners(partitions))
      send(partner, { kind: 'roots', probe, partitions: own, roots: store.rootsNow(own, now) });
  }

  /** Draws one of the other homes for each partition. This runs thousands of times per round and member: a list finds
   *  one of a few partners faster than a map, and lists of known length need not grow. */
  #drawPartners(partitions: readonly number[]): readonly (readonly [partner: number, own: readonly number[]])[] {
    const { view, settings, world } = this.#context;
    const others = coOwnersAt(view().placement, settings.nodeId);
    const partners: number[] = [];
    const counts: number[] = [];
    const drawn = new Int32Array(partitions.length);
    let index = 0;
    for (const partition of partitions) {
      const choice = others[partition] ?? nobody;
      const partner = choice[Math.floor(world.random() * choice.length)];
      const at = partner === undefined ? -1 : partners.indexOf(partner);
      drawn[index] = partner === undefined || at >= 0 ? at : partners.push(partner) - 1;
      index += 1;
    }
    for (const at of drawn) if (at >= 0) counts[at] = (counts[at] ?? 0) + 1;
    return partners.map((partner, at) => {
      const own = new Array<number>(counts[at] ?? 0);
      let next = 0;
      for (let n = 0; n < drawn.length; n += 1) {
        if (drawn[n] !== at) continue;
        own[next] = partitions[n] ?? -1;
        next += 1;
      }
      return [partner, own] as const;
    });
  }

  #compareRoots(peer: number, probe: RootProbe, partitions: readonly number[], roots: readonly number[]): number {
    const { store, world, send } = this.#context;
    const now = world.now();
    const differing = store.differing(partitions, roots, now);
    let cost = 0;
    for (const partition of differing) {
      cost += this.#listCostMs(partition);
      send(peer, { kind: 'marks', probe, partition, marks: store.marksOf(partition) });
    }
    // In most rounds nothing differs: then the answer reuses the list of the question.
    const isDifferent = new Set(differing);
    const matching =
      differing.length === 0 ? partitions : partitions.filter((partition) => !isDifferent.has(partition));
    if (matching.length > 0) send(peer, { kind: 'matches', probe, partitions: matching });
    return cost;
  }

  /** The prober pushes what has a newer clock here, and asks for what has a newer one at the peer: what an older record
   *  has merged is not offered before its clock has risen too. A stranded probe only pushes, except that it refreshes a
   *  stale cached copy. */
  #exchange(peer: number, probe: RootProbe, partition: number, marks: readonly VersionMark[]): number {
    const { store, send } = this.#context;
    const theirs = new Map(marks.map((mark) => [mark[0], mark]));
    const push: Version[] = [];
    for (const version of store.versionsOf(partition))
      if (isOffered(version, theirs.get(version.key))) push.push(version);
    const wanted = marks
      .filter((mark) => {
        const held = store.get(mark[0]);
        return held === undefined ? probe === 'home' : isWanted(mark, held);
      })
      .map(([key]) => key);
    if (wanted.length > 0) send(peer, { kind: 'request-keys', partition, keys: wanted });
    return this.#listCostMs(partition) + (push.length > 0 ? this.#sendRepair(peer, partition, push) : 0);
  }

  /** Writes and pushes go on meanwhile, so a burst of them makes anti-entropy fall behind. */
  #listCostMs(partition: number): number {
    const { store, knobs } = this.#context;
    const records = store.sizeOf(partition);
    const some = Math.max(0, Math.min(records, manyScanRecords) - freeScanRecords);
    const many = Math.max(0, records - manyScanRecords);
    return knobs().differingPartitionMs + some * listCostPerRecordMs + many * listCostPerManyMs;
  }

  #sendRepair(peer: number, partition: number, versions: readonly Version[]): number {
    const { knobs, world, send } = this.#context;
    const fitting = inFrames(versions, knobs().maxFrameBytes);
    if (fitting.length > 0 && world.random() >= knobs().repairDropRate) {
      send(peer, { kind: 'repair', partition, versions: fitting });
    }
    return knobs().differingPartitionMs;
  }

  #applyRepair(versions: readonly Version[]): number {
    const { metrics, applyRemote, knobs } = this.#context;
    metrics.add('ae_repair_ops_total', versions.length);
    let cost = 0;
    for (const version of versions) {
      cost += applyRemote(version) ? 1_000 / knobs().copyRecordsPerSecond : idleRepairCostMs;
    }
    return cost;
  }
}

/** The records of one bucket travel in one frame, which above the limit is lost as a whole: never counted or
 *  repaired. */
function inFrames(versions: readonly Version[], maxFrameBytes: number): readonly Version[] {
  const total = versions.reduce((sum, version) => sum + sizeOf(version), 0);
  if (total <= maxFrameBytes) return versions;
  const bytes = new Map<number, number>();
  const add = (version: Version, bucket: number) => bytes.set(bucket, (bytes.get(bucket) ?? 0) + sizeOf(version));
  for (const version of versions) add(version, recordHash(version).bucket);
  return versions.filter((version) => (bytes.get(recordHash(version).bucket) ?? 0) <= maxFrameBytes);
}
