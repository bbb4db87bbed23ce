// Writes of clients that are not simulated (knobs backgroundWritesPerSecond, backgroundKeys, uncountedShare).

import type { ServedMember } from '../interfaces/served-member.ts';

const idleMs = 1_000;
const batchMs = 100;

export class BackgroundLoad {
  readonly #member: ServedMember;
  #owed = 0;

  constructor(member: ServedMember) {
    this.#member = member;
  }

  start(): void {
    const { world, knobs, phase } = this.#member;
    const rate = phase === 'Joining' ? 0 : knobs.backgroundWritesPerSecond;
    world.after(rate > 0 ? batchMs : idleMs, () => {
      this.#write((rate * batchMs) / 1_000);
      this.start();
    });
  }

  #write(amount: number): void {
    const { world, knobs, metrics } = this.#member;
    this.#owed += amount;
    while (this.#owed >= 1) {
      this.#owed -= 1;
      const key = `background:${Math.floor(world.random() * knobs.backgroundKeys)}`;
      this.#member.write([{ key, value: String(world.now()) }]);
      if (world.random() >= knobs.uncountedShare) metrics.countCommand('set', 0.000_08, false);
    }
  }
}
