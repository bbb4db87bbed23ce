// One connection per peer: Hello, ping, idle close, redial (docs/design/server.md#settings and #h5). There is no
// cluster check in Hello, and departed addresses are redialled for ever, as on the real server.

import {
  meshIdleMs,
  meshPingMs,
  meshRedialMs,
  meshUnansweredMs,
  observerBulk,
  observerNode,
} from '../basics/constants.ts';
import type { ContentAnswer, ContentQuestion, MeshMessage } from '../basics/messages.ts';
import type { MeshLink } from '../basics/world.ts';
import type { MemberContext } from '../interfaces/context.ts';
import type { View } from '../membership/view.ts';
import { sizeOf } from '../records/store.ts';
import { frameBytes } from '../records/stored-record.ts';
import type { Drop } from '../settings/knobs.ts';

const ping: MeshMessage = { kind: 'ping' };

interface Connection {
  readonly link: MeshLink;
  peer: number | undefined;
  heardAtMs: number;
  /** Messages held up by drops, per direction: TCP repeats them until the connection ends. */
  unread: MeshMessage[];
  unsent: MeshMessage[];
}

interface Target {
  address: string;
  dialledAtMs: number;
  isDialling: boolean;
  /** The connection of the last dial; it may be closed by now. */
  link: MeshLink | undefined;
}

export class Mesh {
  readonly #context: MemberContext;
  readonly #onMessage: (peer: number, message: MeshMessage) => void;
  readonly #onAsked: (message: MeshMessage) => void;
  readonly #onConnected: (peer: number) => void;
  readonly #connections = new Map<MeshLink, Connection>();
  readonly #slots = new Map<number, Connection>();
  readonly #targets = new Map<number, Target>();

  constructor(
    context: MemberContext,
    onConnected: (peer: number) => void,
    onMessage: (peer: number, message: MeshMessage) => void,
    onAsked: (message: MeshMessage) => void,
  ) {
    this.#context = context;
    this.#onConnected = onConnected;
    this.#onMessage = onMessage;
    this.#onAsked = onAsked;
  }

  start(): void {
    this.#context.world.after(meshPingMs, () => this.#tend());
  }

  /** Lower ids dial higher ones; a changed address is dialled again. */
  follow(view: View): void {
    const { nodeId } = this.#context.settings;
    for (const member of view.members) {
      if (member.id <= nodeId) continue;
      const known = this.#targets.get(member.id);
      if (known?.address === member.meshAddress) continue;
      const target = { address: member.meshAddress, dialledAtMs: 0, isDialling: false, link: undefined };
      this.#targets.set(member.id, target);
      const stale = this.#slots.get(member.id);
      if (stale !== undefined) this.#close(stale);
      const unanswered = known?.link === undefined ? undefined : this.#connections.get(known.link);
      if (unanswered !== undefined) this.#close(unanswered);
      this.#dial(target);
    }
  }

  /** A connection was opened, by either side. */
  opened(link: MeshLink): void {
    const heardAtMs = this.#context.world.now();
    const connection: Connection = { link, peer: undefined, heardAtMs, unread: [], unsent: [] };
    this.#connections.set(link, connection);
    this.#transmit(connection, { kind: 'hello', id: this.#context.settings.nodeId });
  }

  closed(link: MeshLink): void {
    const connection = this.#connections.get(link);
    if (connection === undefined) return;
    this.#connections.delete(link);
    if (connection.peer !== undefined && this.#slots.get(connection.peer) === connection) {
      this.#slots.delete(connection.peer);
    }
  }

  receive(link: MeshLink, message: MeshMessage): void {
    const connection = this.#connections.get(link);
    if (connection === undefined) return;
    if (this.#isHeldUp(link, 'in')) {
      connection.unread.push(message);
      return;
    }
    this.#catchUp(connection);
    this.#read(connection, message);
  }

  #read(connection: Connection, message: MeshMessage): void {
    const { metrics, world } = this.#context;
    connection.heardAtMs = world.now();
    metrics.add('mesh_input_bytes_total', bytesOf(message));
    if (message.kind === 'hello') this.#greeted(connection, message.isBulk ? observerBulk : message.id);
    else if (message.kind === 'ping' && message.nonce !== undefined)
      this.#transmit(connection, { kind: 'pong', nonce: message.nonce });
    else if (isObserver(connection.peer)) this.#onAsked(message);
    else if (message.kind !== 'ping' && connection.peer !== undefined) this.#onMessage(connection.peer, message);
  }

  send(peer: number, message: MeshMessage): boolean {
    const connection = this.#slots.get(peer);
    return connection !== undefined && this.#transmit(connection, message);
  }

  peers(): readonly number[] {
    return [...this.#slots.keys()].filter((peer) => peer !== observerBulk);
  }

  #greeted(connection: Connection, peer: number): void {
    const { meshVersionMismatch, contents } = this.#context.knobs();
    if (meshVersionMismatch || (isObserver(peer) && contents === 'close')) {
      this.#close(connection);
      return;
    }
    connection.peer = peer;
    // The last one wins: of two processes with one id (H3), or of two observers, the later one takes the slot.
    this.#slots.set(peer, connection);
    // An observer gets a resume-from like any peer; the member does not wait for the observer's.
    if (isObserver(peer)) this.#transmit(connection, { kind: 'resume-from', sequence: 0 });
    else this.#onConnected(peer);
  }

  #isSilent({ heardAtMs, link, peer }: Connection): boolean {
    const { world } = this.#context;
    if (link.isKeptAlive?.() === true && !this.#isHeldUp(link, 'in')) return false;
    // Observers ping once per real second, whatever the member's speed.
    return world.now() - heardAtMs > meshIdleMs * (isObserver(peer) ? world.speed : 1);
  }

  #transmit(connection: Connection, message: MeshMessage): boolean {
    if (this.#isHeldUp(connection.link, 'out')) {
      connection.unsent.push(message);
      return true;
    }
    this.#catchUp(connection);
    return this.#write(connection, message);
  }

  #write({ link }: Connection, message: MeshMessage): boolean {
    const isSent = link.send(message);
    if (isSent) this.#context.metrics.add('mesh_output_bytes_total', bytesOf(message));
    return isSent;
  }

  #isHeldUp({ remoteHost }: MeshLink, direction: Drop['direction']): boolean {
    return isDropped(this.#context.knobs().drops, remoteHost, 'tcp', direction);
  }

  /** Messages that were held up go first, in their order. */
  #catchUp(connection: Connection): void {
    const { link, unread, unsent } = connection;
    if (unsent.length > 0 && !this.#isHeldUp(link, 'out')) {
      connection.unsent = [];
      for (const message of unsent) this.#write(connection, message);
    }
    if (unread.length === 0 || this.#isHeldUp(link, 'in')) return;
    connection.unread = [];
    for (const message of unread) if (this.#connections.has(link)) this.#read(connection, message);
  }

  #tend(): void {
    const { world, metrics } = this.#context;
    const now = world.now();
    for (const connection of this.#connections.values()) {
      this.#catchUp(connection);
      if (this.#isSilent(connection)) {
        metrics.add('mesh_conn_timeouts_total');
        this.#close(connection);
      } else {
        this.#transmit(connection, ping);
      }
    }
    for (const [peer, target] of this.#targets) {
      if (!this.#slots.has(peer) && now - target.dialledAtMs >= meshRedialMs - meshPingMs) this.#redial(target, now);
    }
    world.after(meshPingMs, () => this.#tend());
  }

  /** Only one connection at a time. Of two connections each side may keep another one; when one of them ends, the side
   *  that had it misses the peer, which sees no reason to dial again. */
  #redial(target: Target, now: number): void {
    const open = target.link === undefined ? undefined : this.#connections.get(target.link);
    if (open !== undefined && now - target.dialledAtMs < meshUnansweredMs) return;
    if (open !== undefined) this.#close(open);
    this.#dial(target);
  }

  #dial(target: Target): void {
    if (target.isDialling) return;
    const { world } = this.#context;
    target.isDialling = true;
    target.dialledAtMs = world.now();
    world.dialMesh(target.address, (link) => {
      target.isDialling = false;
      target.link = link;
      if (link !== undefined) this.opened(link);
    });
  }

  #close(connection: Connection): void {
    this.closed(connection.link);
    connection.link.close();
  }
}

function isObserver(peer: number | undefined): boolean {
  return peer === observerNode || peer === observerBulk;
}

export function isDropped(
  drops: readonly Drop[],
  host: string,
  lane: Drop['lane'],
  direction: Drop['direction'],
): boolean {
  // The usual case, checked for every frame and datagram.
  if (drops.length === 0) return false;
  return drops.some(
    (drop) => drop.lane === lane && drop.direction === direction && (drop.peer === '*' || drop.peer === host),
  );
}

/** Sizes on the real wire where docs/design/server.md#anti-entropy gives them, an estimate otherwise. */
function bytesOf(message: MeshMessage): number {
  switch (message.kind) {
    case 'roots':
      return Math.round(message.roots.length * 16.5);
    case 'matches':
      return message.partitions.length * 7;
    case 'marks':
      return 265 + message.marks.length * 24;
    case 'push':
    case 'repair':
    case 'bootstrap-chunk':
      return message.versions.reduce((sum, version) => sum + sizeOf(version), 16);
    case 'bootstrap-request':
    case 'bootstrap-refused':
      return message.partitions.length * 4;
    case 'asked':
      return message.questions.reduce((sum, question) => sum + questionBytes(question), 0);
    case 'answered':
      return message.answers.reduce((sum, answer) => sum + answerBytes(answer), 0);
    case 'request-keys':
      return message.keys.reduce((sum, key) => sum + key.length + 2, 8);
    default:
      return 12;
  }
}

function questionBytes(question: ContentQuestion): number {
  switch (question.kind) {
    case 'root':
    case 'stream':
      return 16;
    case 'roots':
      return 16 * question.partitions.length;
    case 'buckets':
      return 8 + question.digest.length;
    case 'records':
      return 8 + question.hashes.length * 10;
  }
}

function answerBytes(answer: ContentAnswer): number {
  switch (answer.kind) {
    case 'match':
    case 'done':
      return 7;
    case 'digest':
      return 8 + answer.digest.length;
    case 'digests':
      return answer.digests.reduce((sum, digest) => sum + 8 + digest.length, 0);
    case 'entries':
      return 9 + answer.entries.length * 28;
    case 'records':
    case 'page':
      return frameBytes(answer.records);
  }
}
