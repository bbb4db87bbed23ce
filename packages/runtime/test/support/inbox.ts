// What a test waits for instead of sleeping: things arrive, the test takes them in order.

export interface Inbox<T> {
  push(item: T): void;
  /** The oldest item not yet taken; waits for one. */
  next(): Promise<T>;
  /** Everything that arrived and was not taken. */
  readonly waiting: readonly T[];
  /** Everything that ever arrived. */
  readonly all: readonly T[];
}

export function createInbox<T>(): Inbox<T> {
  const all: T[] = [];
  const waiting: T[] = [];
  const takers: ((item: T) => void)[] = [];
  return {
    push(item) {
      all.push(item);
      const taker = takers.shift();
      if (taker === undefined) waiting.push(item);
      else taker(item);
    },
    next() {
      const item = waiting.shift();
      if (item !== undefined) return Promise.resolve(item);
      return new Promise((resolve) => takers.push(resolve));
    },
    waiting,
    all,
  };
}
