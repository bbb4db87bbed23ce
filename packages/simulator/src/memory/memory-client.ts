// A client connection of the in-memory driver: one command at a time, the clock moving until the answer is complete.

import type { SimulatedMember } from '../member/member.ts';
import type { RespSession } from '../member/resp-session.ts';
import type { VirtualClock } from './virtual-clock.ts';

const answerLimitMs = 10_000;

export class MemoryClient {
  readonly #clock: VirtualClock;
  readonly #session: RespSession;
  #received = '';
  isClosed = false;

  constructor(member: SimulatedMember, clock: VirtualClock) {
    this.#clock = clock;
    this.#session = member.openSession({
      write: (bytes) => {
        this.#received += bytes;
      },
      close: () => {
        this.isClosed = true;
      },
    });
  }

  /** The raw answer to one command (latin1).
   *  @throws Error when there is none within 10 virtual seconds */
  call(...words: readonly string[]): string {
    this.#received = '';
    this.send(...words);
    const took = this.#clock.advanceUntil(() => this.#received !== '', answerLimitMs, 1);
    if (took === undefined) throw new Error(`call ${words[0] ?? ''}: no answer within ${answerLimitMs} ms`);
    return this.#received;
  }

  /** Sends without waiting; answers gather in `received`. */
  send(...words: readonly string[]): void {
    this.#session.receive(`*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`);
  }

  get received(): string {
    return this.#received;
  }

  close(): void {
    this.#session.close();
  }
}
