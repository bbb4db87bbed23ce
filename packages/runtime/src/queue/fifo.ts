// First in, first out over an array with a head index: shift without moving the rest.

export interface Fifo<T> {
  readonly size: number;
  push(item: T): void;
  peek(): T | undefined;
  shift(): T | undefined;
  /** Drops every item that fails the test, order kept; O(n). */
  retain(keep: (item: T) => boolean): void;
}

const COMPACT_FROM = 1024;

export function createFifo<T>(): Fifo<T> {
  let items: (T | undefined)[] = [];
  let head = 0;
  return {
    get size() {
      return items.length - head;
    },
    push(item) {
      items.push(item);
    },
    peek: () => items[head],
    shift() {
      if (head === items.length) return undefined;
      const item = items[head];
      items[head++] = undefined;
      if (head === items.length) {
        items.length = 0;
        head = 0;
      } else if (head >= COMPACT_FROM && head * 2 >= items.length) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
    retain(keep) {
      items = items.slice(head).filter((item) => keep(item as T));
      head = 0;
    },
  };
}
