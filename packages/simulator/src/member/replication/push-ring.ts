// Push replication: own writes go to the other homes through a ring and one cursor per peer
// (docs/design/server.md#push-replication). It has the holes of the real server: sequence numbers that an MSET uses
// twice, hooks that run out of order, frames too large, peers whose stored cursor is ahead of a wiped store (H2). Only
// anti-entropy closes them.

import { pumpDelayMs, pushWindowBytes, restartSequenceJump, ringMaxBytes, ringMaxOps } from '../basics/constants.ts';
import type { MeshMessage, Version } from '../basics/messages.ts';
import type { MemberContext } from '../interfaces/context.ts';
import { readList } from '../membership/past.ts';
import { isOwner } from '../membership/placement.ts';
import { partitionOf } from '../records/keys.ts';
import { sizeOf } from '../records/store.ts';

interface RingEntry {
  readonly sequence: number;
  readonly version: Version;
  readonly bytes: number;
}

interface PeerCursor {
  /** Highest sequence passed to the writer queue; undefined until the peer said where to resume. */
  sent: number | undefined;
  /** Ring entries read so far, counted since process start. */
  scanned: number;
  unacked: { readonly sequence: number; readonly bytes: number }[];
}

const batchOps = 512;

export class PushRing {
  readonly #context: MemberContext;
  #ring: RingEntry[] = [];
  /** Entries ever removed from the front. */
  #removed = 0;
  #ringBytes = 0;
  #sequence: number;
  #late: RingEntry[] = [];
  readonly #cursors = new Map<number, PeerCursor>();
  /** Last sequence applied from each origin; sent to the origin on connect. */
  readonly #applied: Map<number, number>;
  #isPumpPlanned = false;

  constructor(context: MemberContext) {
    this.#context = context;
    const { disk } = context.world;
    const stored = disk.read('sequence');
    this.#sequence = stored === undefined ? 0 : Number(stored) + restartSequenceJump;
    this.#applied = readCursors(readList(context.world, 'cursors'));
    disk.write('sequence', String(this.#sequence));
  }

  /** Commits one transaction of own writes: what is held of each record afterwards. */
  commit(versions: readonly Version[]): void {
    if (versions.length === 0) return;
    const { knobs, world } = this.#context;
    this.#sequence += 1;
    const first = this.#sequence;
    if (!knobs().msetHole) this.#sequence += versions.length - 1;
    const isLate = versions.length === 1 && knobs().reorderRate > 0 && world.random() < knobs().reorderRate;
    versions.forEach((version, index) => {
      const entry = { sequence: first + index, version, bytes: sizeOf(version) };
      if (isLate) this.#late.push(entry);
      else this.#append(entry);
    });
    this.#planPump();
  }

  /** On a new connection: asks the peer to resume its pushes after what was last applied here. */
  connected(peer: number): void {
    const cursor = this.#cursors.get(peer);
    if (cursor !== undefined) cursor.sent = undefined;
    this.#context.send(peer, { kind: 'resume-from', sequence: this.#applied.get(peer) ?? 0 });
  }

  receive(peer: number, message: MeshMessage): void {
    if (message.kind === 'resume-from') {
      this.#cursors.set(peer, { sent: message.sequence, scanned: 0, unacked: [] });
      this.#planPump();
    } else if (message.kind === 'push') {
      this.#applyPush(peer, message.sequence, message.versions);
    } else if (message.kind === 'push-ack') {
      const cursor = this.#cursors.get(peer);
      if (cursor !== undefined) cursor.unacked = cursor.unacked.filter((batch) => batch.sequence > message.sequence);
    }
  }

  /** Highest lag of the connected peers. Skipped entries and disconnected homes count as 0
   *  (docs/design/server.md#ending-a-process). */
  backlog(): number {
    let backlog = 0;
    for (const peer of this.#context.connectedPeers()) {
      const cursor = this.#cursors.get(peer);
      if (cursor?.sent === undefined) continue;
      const lag = Math.max(0, this.#sequence - cursor.sent) + (cursor.unacked.length > 0 ? 1 : 0);
      backlog = Math.max(backlog, lag);
    }
    return backlog;
  }

  inflightBytes(): number {
    let most = 0;
    for (const peer of this.#context.connectedPeers()) {
      const cursor = this.#cursors.get(peer);
      if (cursor !== undefined) most = Math.max(most, unackedBytes(cursor));
    }
    return most;
  }

  occupancy(): { readonly ops: number; readonly bytes: number } {
    return { ops: this.#ring.length, bytes: this.#ringBytes };
  }

  persist(): void {
    const { disk } = this.#context.world;
    disk.write('sequence', String(this.#sequence));
    disk.write('cursors', JSON.stringify([...this.#applied]));
  }

  #append(entry: RingEntry): void {
    this.#ring.push(entry);
    this.#ringBytes += entry.bytes;
    if (this.#ring.length <= ringMaxOps && this.#ringBytes <= ringMaxBytes) return;
    const gone = this.#ring.splice(0, Math.max(1, Math.floor(this.#ring.length / 16)));
    this.#removed += gone.length;
    for (const { bytes } of gone) this.#ringBytes -= bytes;
  }

  #planPump(): void {
    if (this.#isPumpPlanned) return;
    this.#isPumpPlanned = true;
    this.#context.world.after(pumpDelayMs, () => {
      this.#isPumpPlanned = false;
      this.#pump();
    });
  }

  #pump(): void {
    for (const peer of this.#context.connectedPeers()) {
      const cursor = this.#cursors.get(peer);
      if (cursor !== undefined) this.#pumpPeer(peer, cursor);
    }
    // Hooks that ran late: an entry whose number a cursor has passed meanwhile is never sent to that peer.
    if (this.#late.length === 0) return;
    for (const entry of this.#late) this.#append(entry);
    this.#late = [];
    this.#planPump();
  }

  #pumpPeer(peer: number, cursor: PeerCursor): void {
    const { metrics, knobs, world, view, settings } = this.#context;
    while (cursor.sent !== undefined && cursor.scanned < this.#removed + this.#ring.length) {
      if (unackedBytes(cursor) > pushWindowBytes) {
        metrics.add('repl_window_stalls_total');
        this.#planPump();
        return;
      }
      const from = Math.max(0, cursor.scanned - this.#removed);
      const slice = this.#ring.slice(from, from + batchOps);
      const sentBefore = cursor.sent;
      cursor.scanned = this.#removed + from + slice.length;
      const fresh = slice.filter((entry) => entry.sequence > sentBefore);
      cursor.sent = fresh.reduce((most, entry) => Math.max(most, entry.sequence), cursor.sent);
      const { placement } = view();
      const due = fresh.filter(
        ({ version, bytes }) =>
          peer !== settings.nodeId &&
          bytes <= knobs().maxFrameBytes &&
          isOwner(placement, partitionOf(version.key), peer),
      );
      if (due.length === 0) continue;
      const versions = due.map((entry) => entry.version).filter(() => world.random() >= knobs().pushLossRate);
      const isSent = this.#context.send(peer, { kind: 'push', sequence: cursor.sent, versions });
      if (!isSent) {
        metrics.add('repl_send_failures_total');
        continue;
      }
      metrics.add('repl_batches_sent_total');
      metrics.add('repl_ops_sent_total', due.length);
      cursor.unacked.push({ sequence: cursor.sent, bytes: due.reduce((sum, entry) => sum + entry.bytes, 0) });
    }
  }

  #applyPush(peer: number, sequence: number, versions: readonly Version[]): void {
    const { metrics, applyRemote, send } = this.#context;
    for (const version of versions) applyRemote(version);
    metrics.add('repl_batches_received_total');
    metrics.add('repl_ops_applied_total', versions.length);
    this.#applied.set(peer, Math.max(sequence, this.#applied.get(peer) ?? 0));
    send(peer, { kind: 'push-ack', sequence });
  }
}

function unackedBytes(cursor: PeerCursor): number {
  return cursor.unacked.reduce((sum, batch) => sum + batch.bytes, 0);
}

function readCursors(list: readonly unknown[]): Map<number, number> {
  const cursors = new Map<number, number>();
  for (const pair of list) {
    if (Array.isArray(pair) && typeof pair[0] === 'number' && typeof pair[1] === 'number')
      cursors.set(pair[0], pair[1]);
  }
  return cursors;
}
