import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { createFifo } from '../src/queue/fifo.ts';
import { createHeap } from '../src/queue/heap.ts';

describe('heap', () => {
  it('returns the items in the order of a sorted array, whatever was dropped in between', () => {
    const step = fc.oneof(fc.integer({ min: 0, max: 50 }), fc.constant('pop' as const), fc.constant('odd' as const));
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const heap = createHeap<number>((a, b) => a < b);
        let model: number[] = [];
        for (const one of steps) {
          if (typeof one === 'number') {
            heap.push(one);
            model.push(one);
            model.sort((a, b) => a - b);
          } else if (one === 'pop') {
            expect(heap.pop()).to.equal(model.shift());
          } else {
            heap.retain((item) => item % 2 === 1);
            model = model.filter((item) => item % 2 === 1);
          }
          expect(heap.peek()).to.equal(model[0]);
          expect(heap.size).to.equal(model.length);
        }
      }),
    );
  });
});

describe('fifo', () => {
  it('returns the items in the order of an array, also across its compaction', () => {
    const fifo = createFifo<number>();
    const model: number[] = [];
    for (let i = 0; i < 10_000; i++) {
      fifo.push(i);
      model.push(i);
      if (i % 3 !== 0) expect(fifo.shift()).to.equal(model.shift());
      if (i % 1000 === 999) {
        fifo.retain((item) => item % 5 !== 0);
        model.splice(0, model.length, ...model.filter((item) => item % 5 !== 0));
      }
    }
    expect(fifo.size).to.equal(model.length);
    while (model.length > 0) expect(fifo.shift()).to.equal(model.shift());
    expect(fifo.shift()).to.equal(undefined);
  });
});
