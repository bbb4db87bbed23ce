// store-client's ContentClient over the in-memory driver: members are found by IP, time limits run on the virtual
// clock. A call is one event to the member and one back, however many partitions it names. Promises settle only while
// the clock is being advanced.

import type { PartitionStream, StoredRecord } from '@marekvs/api';
import {
  type CallOptions,
  type ContentClient,
  type ContentOptions,
  type ContentReader,
  MAX_BUCKETS,
  MAX_PARTITIONS,
  MAX_RECORDS,
  type MemberAddress,
  type StoreError,
  StoreProtocolError,
  StoreUnreachableError,
} from '@marekvs/store-client';
import type { ContentAnswer } from '../member/basics/messages.ts';
import type { CancelTimer } from '../member/basics/world.ts';
import { digestsInquiry, entriesInquiry, type Inquiry, recordsInquiry, streamInquiry } from './content-questions.ts';
import type { MemberNetwork } from './member-network.ts';
import type { ObserverLink } from './memory-observer.ts';

const defaultTimeoutMs = 10_000;

export interface NetworkContentOptions {
  /** Time limit in virtual milliseconds for calls without their own; default 10,000. */
  readonly timeoutMs?: number;
  /** Called whenever a promise of this client settles, for callers that let promises run between two events. */
  readonly onSettled?: () => void;
}

export interface NetworkContentClient extends ContentClient {
  /** Imitates the end of the comparing process: its connections close, and none of its promises settles any more. */
  end(): void;
}

export function createNetworkContentClient(
  network: MemberNetwork,
  defaults: NetworkContentOptions = {},
): NetworkContentClient {
  const readers = new Set<NetworkContentReader>();
  return {
    async open(address, options) {
      const reader = new NetworkContentReader(network, address, defaults, () => readers.delete(reader));
      readers.add(reader);
      await reader.greet(options);
      return reader;
    },
    end() {
      for (const reader of readers) reader.abandon();
      readers.clear();
    },
  };
}

/** A pending call of any kind. */
interface Waiting {
  readonly deadlineMs: number;
  readonly tried: string;
  readonly take: (answer: ContentAnswer) => void;
  readonly reject: (error: unknown) => void;
  /** No answer in time. */
  readonly timeOut: () => void;
}

class NetworkContentReader implements ContentReader {
  readonly #network: MemberNetwork;
  readonly #host: string;
  readonly #defaults: NetworkContentOptions;
  readonly #onClosed: () => void;
  #link: ObserverLink | undefined;
  #waiting: Waiting | undefined;
  #greeted: ((nodeId: number) => void) | undefined;
  #failure: unknown;
  #isClosed = false;
  #cancelTimer: CancelTimer | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;

  constructor(network: MemberNetwork, { host }: MemberAddress, defaults: NetworkContentOptions, onClosed: () => void) {
    this.#onClosed = onClosed;
    this.#network = network;
    this.#host = host;
    this.#defaults = defaults;
  }

  greet(options: ContentOptions): Promise<void> {
    return this.#call<void>('Hello', options, (settle) => {
      this.#greeted = (nodeId) => {
        if (nodeId === options.nodeId) settle();
        else this.#fail(new StoreProtocolError(`want member ${options.nodeId}, it is ${nodeId}`, this.#place('Hello')));
      };
      this.#link = this.#network.observe(this.#host, {
        greeted: (nodeId) => this.#greeted?.(nodeId),
        answered: (answers) => this.#answered(answers),
        closed: () => this.#unreachable('closed', 'the member has closed the connection'),
      });
      if (this.#link === undefined) this.#unreachable('refused', 'nothing listens there');
      return () => undefined;
    });
  }

  async digests(partitions: readonly number[], options: CallOptions = {}) {
    checkCount('partitions', partitions, MAX_PARTITIONS);
    return this.#ask(digestsInquiry(partitions), options);
  }

  async entries(partition: number, buckets: readonly number[], own: string, options: CallOptions = {}) {
    checkCount('buckets', buckets, MAX_BUCKETS);
    return this.#ask(entriesInquiry(partition, buckets, own), options);
  }

  async records(
    partition: number,
    bucket: number,
    hashes: readonly bigint[],
    options: CallOptions = {},
  ): Promise<readonly StoredRecord[]> {
    checkCount('records', hashes, MAX_RECORDS);
    return this.#ask(recordsInquiry(partition, bucket, hashes), options);
  }

  /** Over a connection of its own, which ends with the stream. Silence is an answer, and no failure of the reader. */
  async stream(partition: number, options: CallOptions = {}): Promise<PartitionStream | undefined> {
    const inquiry = streamInquiry(partition);
    let bulk: ObserverLink | undefined;
    try {
      return await this.#call<PartitionStream | undefined>(
        inquiry.tried,
        options,
        (settle) => {
          const take = (answers: readonly ContentAnswer[]) => this.#answered(answers);
          const events = { greeted: () => undefined, answered: take, closed: () => undefined };
          bulk = this.#network.observe(this.#host, events, { isBulk: true });
          if (bulk === undefined) this.#unreachable('refused', 'nothing listens there');
          else bulk.ask(inquiry.questions);
          return (answer) => {
            const done = inquiry.take(answer);
            if (done !== undefined) settle(done.value);
          };
        },
        { whenSilent: undefined },
      );
    } finally {
      bulk?.close();
    }
  }

  close(): void {
    if (!this.#isClosed) this.#unreachable('closed', 'this side has closed the connection');
  }

  abandon(): void {
    this.#isClosed = true;
    this.#failure = new StoreUnreachableError('closed', 'the process has ended', this.#place('mesh'));
    this.#link?.close();
    this.#cancelTimer?.();
  }

  #ask<T>(inquiry: Inquiry<T>, options: CallOptions): Promise<T> {
    return this.#call<T>(inquiry.tried, options, (settle) => {
      this.#link?.ask(inquiry.questions);
      return (answer) => {
        const done = inquiry.take(answer);
        if (done !== undefined) settle(done.value);
      };
    });
  }

  /** `begin` starts the call and returns the function that takes its answers. */
  #call<T>(
    tried: string,
    { timeoutMs, signal }: CallOptions,
    begin: (settle: (value: T) => void) => (answer: ContentAnswer) => void,
    silence?: { readonly whenSilent: T },
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#isClosed) throw this.#failure;
      if (this.#waiting !== undefined) throw new Error(`ask ${this.#host}: one call at a time`);
      const onAbort = (): void => this.#fail(signal?.reason);
      // One signal serves all questions of a run; listeners left on it would slow down each later question.
      const finish = (settle: () => void): void => {
        signal?.removeEventListener('abort', onAbort);
        this.#waiting = undefined;
        settle();
        this.#defaults.onSettled?.();
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      let take: (answer: ContentAnswer) => void = () => undefined;
      const limitMs = timeoutMs ?? this.#defaults.timeoutMs ?? defaultTimeoutMs;
      this.#waiting = {
        deadlineMs: this.#network.clock.now() + limitMs,
        tried,
        take: (answer) => take(answer),
        reject: (error) => finish(() => reject(error)),
        timeOut: () => {
          if (silence === undefined) this.#unreachable('timeout', 'no answer');
          else finish(() => resolve(silence.whenSilent));
        },
      };
      this.#armTimer();
      take = begin((value) => finish(() => resolve(value)));
    });
  }

  #answered(answers: readonly ContentAnswer[]): void {
    for (const answer of answers) {
      try {
        // An answer without a pending call belongs to another observer with the same number.
        this.#waiting?.take(answer);
      } catch (error) {
        this.#fail(error);
      }
    }
  }

  /** One timer for all calls of a reader: thousands are answered long before theirs would be due. */
  #armTimer(): void {
    const { clock } = this.#network;
    const dueMs = this.#waiting?.deadlineMs ?? Number.POSITIVE_INFINITY;
    if (dueMs >= this.#timerAtMs) return;
    this.#cancelTimer?.();
    this.#timerAtMs = dueMs;
    this.#cancelTimer = clock.after(dueMs - clock.now(), () => {
      this.#timerAtMs = Number.POSITIVE_INFINITY;
      if (this.#waiting !== undefined && clock.now() >= this.#waiting.deadlineMs) this.#waiting.timeOut();
      else this.#armTimer();
    });
  }

  #unreachable(reason: 'refused' | 'closed' | 'timeout', detail: string): void {
    this.#fail(new StoreUnreachableError(reason, detail, this.#place(this.#waiting?.tried ?? 'mesh')));
  }

  #place(tried: string): ConstructorParameters<typeof StoreError>[1] {
    return { address: `${this.#host}:7373`, tried };
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#failure = error;
    this.#onClosed();
    this.#link?.close();
    this.#cancelTimer?.();
    this.#waiting?.reject(error);
  }
}

function checkCount(what: string, list: readonly (number | bigint)[], most: number): void {
  if (list.length === 0 || list.length > most || !isEachOnce(list))
    throw new RangeError(`${list.length} ${what}: want 1 to ${most}, each once`);
}

/** Usually the list ascends, which needs no set. */
function isEachOnce(list: readonly (number | bigint)[]): boolean {
  for (let at = 1; at < list.length; at += 1)
    if ((list[at - 1] ?? 0) >= (list[at] ?? 0)) return new Set(list).size === list.length;
  return true;
}
