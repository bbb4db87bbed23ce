// One connection into the mesh: messages instead of bytes, pings on both sides, and one exchange at a time.
// mesh-reader.ts knows which messages answer which question.

import type { Endpoint } from '../address.ts';
import { Connection, type RoundTripLimits } from '../connection.ts';
import { StoreProtocolError, StoreTooLargeError } from '../errors.ts';
import { checkSize, decodeMessage, readHead } from './decode-message.ts';
import { encodeMessage } from './encode-message.ts';
import { FrameDecoder } from './frame-decoder.ts';
import type { ConnectionKind, MemberMessage, MessageHead, ObserverMessage } from './mesh-messages.ts';

export interface LinkOptions {
  /** The member that has to answer. */
  readonly nodeId: number;
  readonly kind: ConnectionKind;
  readonly localAddress?: string | undefined;
  /** A member closes a connection that is silent for three seconds. */
  readonly pingEveryMs: number;
}

/** How the answers to some questions are taken, from the pong on. */
export interface Answering<T extends object> {
  /** Whether this message is to be decoded: any other is skipped by its length. */
  wants(head: MessageHead): boolean;
  /** Called with each message that is wanted, and with signs of life. */
  take(message: MemberMessage): void;
  /** The answer when it is complete, undefined before. */
  answer(): T | undefined;
}

/** Most pings answered of those that come together: a member sends one a second. */
const MAX_PONGS = 8;

/** Most bytes that nobody asked for that are read in the time between two of our pings. Clients publish less; a member
 *  that sends without end must not keep the operator busy with reading. */
const MAX_UNASKED_BYTES = 8 * 1024 * 1024;

export class MeshLink {
  readonly #connection: Connection;
  readonly #frames = new FrameDecoder();
  readonly #nodeId: number;
  readonly #kind: ConnectionKind;
  readonly #pings: NodeJS.Timeout;
  #nonce = 0n;
  #isGreeted = false;
  #unaskedBytes = 0;

  /** Starts to connect; a failure is reported by `open`. */
  constructor(endpoint: Endpoint, options: LinkOptions) {
    this.#nodeId = options.nodeId;
    this.#kind = options.kind;
    // The socket alone keeps the process alive.
    this.#pings = setInterval(() => this.#beat(), options.pingEveryMs).unref();
    this.#connection = new Connection(endpoint, options.localAddress, {
      unasked: (chunk) => this.#receive(chunk, NOTHING_ASKED),
      closed: () => clearInterval(this.#pings),
    });
  }

  /** Sends Hello. Resolves when a pong has shown that the other side speaks this protocol. */
  async open(limits: RoundTripLimits): Promise<void> {
    let pong: MemberMessage | undefined;
    const onlyPong: Answering<MemberMessage> = {
      wants: () => false,
      take(message) {
        if (message.kind === 'pong') pong = message;
      },
      answer: () => pong,
    };
    await this.exchange('open mesh connection', [], onlyPong, limits);
  }

  /** Sends the questions and passes the messages that come back to `take`. One exchange at a time. A ping is sent
   *  first, and messages before its pong are ignored: they were already under way, for another observer or for a
   *  question that we gave up. So every answer was computed after its question, however long earlier bytes had waited.
   *  @throws as Connection.roundTrip; StoreProtocolError for anything that is not a message of that member */
  exchange<T extends object>(
    tried: string,
    questions: readonly ObserverMessage[],
    answering: Answering<T>,
    limits: RoundTripLimits,
  ): Promise<T> {
    const ping = this.#ping();
    let isCurrent = false;
    let receivedBytes = 0;
    const current: Taking = {
      wants(head, length) {
        // What follows the answer is not wanted, so that it makes no difference whether it comes in the same chunk.
        if (!isCurrent || answering.answer() !== undefined || !answering.wants(head)) return false;
        receivedBytes += length;
        if (receivedBytes <= limits.maxBytes) return true;
        throw new StoreTooLargeError(limits.maxBytes, `answers of more than ${limits.maxBytes} bytes`);
      },
      take(message) {
        isCurrent ||= message.kind === 'pong' && message.nonce === ping.nonce;
        if (isCurrent) answering.take(message);
      },
    };
    const takeChunk = (chunk: Uint8Array): T | undefined => {
      this.#receive(chunk, current);
      return answering.answer();
    };
    const payload = Buffer.concat([...this.#greeting(), ping, ...questions].map(encodeMessage));
    return this.#connection.roundTrip(tried, payload, takeChunk, { ...limits, maxBytes: Number.POSITIVE_INFINITY });
  }

  /** Sends a message that needs no answer, during an exchange or between two. */
  send(message: ObserverMessage): void {
    this.#connection.write(encodeMessage(message));
  }

  /** Closes at once; idempotent. An exchange under way fails as `closed`. */
  close(): void {
    this.#connection.close();
  }

  #receive(chunk: Uint8Array, { wants, take }: Taking): void {
    let pongs = 0;
    const isWanted = (bytes: Uint8Array, length: number): boolean => {
      const head = readHead(bytes);
      const isAnswer = wants(head, length);
      if (!isAnswer) this.#unaskedBytes += length;
      if (!isAnswer && !SIGNS_OF_LIFE.has(head.kind)) return false;
      checkSize(head, length);
      return true;
    };
    this.#frames.push(chunk);
    for (let frame = this.#frames.next(isWanted); frame !== undefined; frame = this.#frames.next(isWanted)) {
      const message = decodeMessage(frame);
      if (message.kind === 'ping' && pongs < MAX_PONGS) {
        pongs += 1;
        this.send({ kind: 'pong', nonce: message.nonce });
      } else if (message.kind === 'hello') this.#checkHello(message.node);
      take(message);
    }
    if (this.#unaskedBytes > MAX_UNASKED_BYTES) this.#connection.hold();
  }

  #beat(): void {
    this.#unaskedBytes = 0;
    this.#connection.goOn();
    this.send(this.#ping());
  }

  #checkHello(node: number): void {
    if (node === this.#nodeId) return;
    throw new StoreProtocolError(`member ${node} answers where member ${this.#nodeId} is expected`);
  }

  /** Hello is the first message to a member, and is sent once. */
  #greeting(): readonly ObserverMessage[] {
    const greeting = this.#isGreeted ? [] : [{ kind: 'hello', connection: this.#kind } as const];
    this.#isGreeted = true;
    return greeting;
  }

  #ping(): ObserverMessage & { readonly kind: 'ping' } {
    this.#nonce += 1n;
    return { kind: 'ping', nonce: this.#nonce };
  }
}

/** Taken at any time, whatever was asked. */
const SIGNS_OF_LIFE: ReadonlySet<MessageHead['kind']> = new Set(['hello', 'ping', 'pong']);

interface Taking {
  wants(head: MessageHead, length: number): boolean;
  take(message: MemberMessage): void;
}

const NOTHING_ASKED: Taking = { wants: () => false, take: () => {} };
