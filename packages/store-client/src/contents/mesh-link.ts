// One connection into the mesh: messages instead of bytes, pings on both sides, and one exchange at a time.
// mesh-reader.ts knows which messages answer which question.

import type { Endpoint } from '../address.ts';
import { Connection, type RoundTripLimits } from '../connection.ts';
import { StoreProtocolError, StoreTooLargeError } from '../errors.ts';
import { decodeMessage } from './decode-message.ts';
import { encodeMessage } from './encode-message.ts';
import { FrameDecoder } from './frame-decoder.ts';
import type { ConnectionKind, MemberMessage, ObserverMessage } from './mesh-messages.ts';

export interface LinkOptions {
  /** The member that has to answer. */
  readonly nodeId: number;
  readonly kind: ConnectionKind;
  readonly localAddress?: string | undefined;
  /** A member closes a connection that is silent for three seconds. */
  readonly pingEveryMs: number;
}

/** Called with each message from the pong on; returns the answer when it is complete, undefined before. */
export type TakeMessage<T extends object> = (message: MemberMessage) => T | undefined;

export class MeshLink {
  readonly #connection: Connection;
  readonly #frames = new FrameDecoder();
  readonly #nodeId: number;
  readonly #kind: ConnectionKind;
  readonly #pings: NodeJS.Timeout;
  #nonce = 0n;
  #isGreeted = false;

  /** Starts to connect; a failure is reported by `open`. */
  constructor(endpoint: Endpoint, options: LinkOptions) {
    this.#nodeId = options.nodeId;
    this.#kind = options.kind;
    // The socket alone keeps the process alive.
    this.#pings = setInterval(() => this.send(this.#ping()), options.pingEveryMs).unref();
    this.#connection = new Connection(endpoint, options.localAddress, {
      unasked: (chunk) => this.#receive(chunk, () => {}),
      closed: () => clearInterval(this.#pings),
    });
  }

  /** Sends Hello. Resolves when a pong has shown that the other side speaks this protocol. */
  async open(limits: RoundTripLimits): Promise<void> {
    await this.exchange(
      'open mesh connection',
      [],
      (message) => (message.kind === 'pong' ? message : undefined),
      limits,
    );
  }

  /** Sends the questions and passes the messages that come back to `take`. One exchange at a time. A ping is sent
   *  first, and messages before its pong are ignored: they were already under way, for another observer or for a
   *  question that we gave up. So every answer was computed after its question, however long earlier bytes had waited.
   *  @throws as Connection.roundTrip; StoreProtocolError for anything that is not a message of that member */
  exchange<T extends object>(
    tried: string,
    questions: readonly ObserverMessage[],
    take: TakeMessage<T>,
    limits: RoundTripLimits,
  ): Promise<T> {
    const ping = this.#ping();
    let isCurrent = false;
    let receivedBytes = 0;
    let answer: T | undefined;
    const takeCounted = (message: MemberMessage, sizeBytes: number): void => {
      // Broadcasts do not count towards maxBytes: their number is unbounded while clients publish. What follows the
      // answer does not either, so that it makes no difference whether it comes in the same chunk.
      if (message.kind === 'other' || answer !== undefined) return;
      receivedBytes += sizeBytes;
      if (receivedBytes > limits.maxBytes)
        throw new StoreTooLargeError(limits.maxBytes, `answers of more than ${limits.maxBytes} bytes`);
      isCurrent ||= message.kind === 'pong' && message.nonce === ping.nonce;
      if (isCurrent) answer = take(message);
    };
    const takeChunk = (chunk: Uint8Array): T | undefined => {
      this.#receive(chunk, takeCounted);
      return answer;
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

  #receive(chunk: Uint8Array, take: (message: MemberMessage, sizeBytes: number) => void): void {
    this.#frames.push(chunk);
    for (let frame = this.#frames.next(); frame !== undefined; frame = this.#frames.next()) {
      const message = decodeMessage(frame);
      if (message.kind === 'ping') this.send({ kind: 'pong', nonce: message.nonce });
      else if (message.kind === 'hello') this.#checkHello(message.node);
      take(message, frame.length);
    }
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
