// A client connection of the in-memory driver: one command at a time; the clock advances until the answer is complete.

import type { RespSession } from '../member/commands/resp-session.ts';
import type { SimulatedMember } from '../member/member.ts';
import type { VirtualClock } from './virtual-clock.ts';

const answerLimitMs = 10_000;

export class MemoryClient {
  readonly #clock: VirtualClock;
  readonly #session: RespSession;
  #received = '';
  #untaken: string[] = [];
  #isClosed = false;
  readonly #isUp: () => boolean;

  /** @param isUp whether this very process of the member, not a later one of its name, still runs */
  constructor(member: SimulatedMember, clock: VirtualClock, isUp: () => boolean) {
    this.#clock = clock;
    this.#isUp = isUp;
    this.#session = member.openSession({
      write: (bytes) => {
        this.#untaken.push(bytes);
      },
      close: () => {
        this.#isClosed = true;
      },
    });
  }

  /** True once the member closed it or its process ended. */
  get isClosed(): boolean {
    return this.#isClosed || !this.#isUp();
  }

  /** The raw answer to one command (latin1).
   *  @throws Error when there is none within 10 virtual seconds */
  call(...words: readonly string[]): string {
    this.#untaken = [];
    this.#received = '';
    this.send(...words);
    const took = this.#clock.advanceUntil(() => this.received !== '', answerLimitMs, 1);
    if (took === undefined) throw new Error(`call ${words[0] ?? ''}: no answer within ${answerLimitMs} ms`);
    return this.received;
  }

  /** Sends without waiting; answers collect in `received`. A process that has ended gets nothing. */
  send(...words: readonly string[]): void {
    if (this.#isUp()) this.#session.receiveWords(words);
  }

  get received(): string {
    if (this.#untaken.length > 0) this.#received += this.take().join('');
    return this.#received;
  }

  /** The answers since the last call, each as the member wrote it. They no longer show in `received`. */
  take(): readonly string[] {
    const taken = this.#untaken;
    if (taken.length > 0) this.#untaken = [];
    return taken;
  }

  close(): void {
    this.#session.close();
  }
}
