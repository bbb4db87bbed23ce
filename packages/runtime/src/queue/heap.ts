// A binary heap over one array: the earliest delay, the next timer, the oldest waiter.
// Cancelled entries stay inside until they reach the top; owners mark them dead and skip them.

/** A binary min-heap. Equal items come out in no promised order; put a sequence number in the comparison where it
 *  matters. */
export interface Heap<T> {
  readonly size: number;
  push(item: T): void;
  /** The smallest item, left inside. */
  peek(): T | undefined;
  /** The smallest item, taken out. */
  pop(): T | undefined;
  /** Drops every item that fails the test; O(n). For owners whose dead entries outnumber the living. */
  retain(keep: (item: T) => boolean): void;
}

/** @param isBefore a strict order: true when `a` has to come out before `b`. */
export function createHeap<T>(isBefore: (a: T, b: T) => boolean): Heap<T> {
  let items: T[] = [];

  function siftUp(item: T, from: number): void {
    let hole = from;
    while (hole > 0) {
      const parentIndex = (hole - 1) >> 1;
      const parent = items[parentIndex] as T;
      if (!isBefore(item, parent)) break;
      items[hole] = parent;
      hole = parentIndex;
    }
    items[hole] = item;
  }

  function siftDown(item: T, from: number): void {
    const size = items.length;
    let hole = from;
    for (;;) {
      let childIndex = 2 * hole + 1;
      if (childIndex >= size) break;
      const right = childIndex + 1;
      if (right < size && isBefore(items[right] as T, items[childIndex] as T)) childIndex = right;
      const child = items[childIndex] as T;
      if (!isBefore(child, item)) break;
      items[hole] = child;
      hole = childIndex;
    }
    items[hole] = item;
  }

  return {
    get size() {
      return items.length;
    },
    push(item) {
      items.push(item);
      siftUp(item, items.length - 1);
    },
    peek: () => items[0],
    pop() {
      const top = items[0];
      const last = items.pop();
      if (items.length > 0) siftDown(last as T, 0);
      return top;
    },
    retain(keep) {
      items = items.filter(keep);
      for (let i = (items.length >> 1) - 1; i >= 0; i--) siftDown(items[i] as T, i);
    },
  };
}
