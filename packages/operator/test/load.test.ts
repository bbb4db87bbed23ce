// The load of this process that is noted on its lease: the longest wait in a queue, and the share of the memory that
// the process may use.

import { getHeapStatistics } from 'node:v8';
import { ANNOTATIONS, parseReplicaLoad } from '@marekvs/api';
import type { Controller } from '@marekvs/runtime';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createLoad } from '../src/process/process-load.ts';

/** A controller whose oldest key has waited for so long. */
function waiting(oldestWaitMs: number): Controller {
  const inspect = () => ({ queue: { oldestWaitMs }, running: [], passes: 0 });
  return { inspect } as unknown as Controller;
}

describe('the load of a replica', () => {
  it('is that of the queue with the longest wait, together with the number of its clusters', async () => {
    const clock = createManualClock();
    const load = createLoad(
      clock,
      () => [waiting(100), waiting(2_000)],
      () => 7,
    );
    expect(load.pressure(), 'one reading is no measure').to.equal(undefined);
    await clock.run(10_000);
    expect(load.pressure()?.queue).to.equal(2);
    expect(parseReplicaLoad(load.notes()[ANNOTATIONS.load])).to.deep.include({ clusters: 7, queue: 2 });
  });

  it('is read once a second at most, with memory as a share of what the process may use', async () => {
    const clock = createManualClock();
    let looked = 0;
    const load = createLoad(
      clock,
      () => {
        looked += 1;
        return [];
      },
      () => 0,
    );
    load.pressure();
    await clock.run(500);
    load.pressure();
    expect(looked).to.equal(1);
    await clock.run(1_000);
    expect(load.pressure()?.memory).to.be.within(0.001, 2);
    expect(looked).to.equal(2);
  });

  describe('has memory as a share of', () => {
    const { constrainedMemory, memoryUsage } = process;
    afterEach(() => Object.assign(process, { constrainedMemory, memoryUsage }));

    const HEAP = getHeapStatistics().heap_size_limit;
    const CASES: readonly (readonly [string, number, number])[] = [
      ['what the container may have', 64 * 2 ** 20, 64 * 2 ** 20],
      ['the largest container there is', 2 ** 50 - 1, 2 ** 50 - 1],
      ['the heap, where a container has no limit', 2 ** 50, HEAP],
      ['the heap, where no limit can be read', 0, HEAP],
    ];
    for (const [title, constrained, limit] of CASES)
      it(title, async () => {
        const clock = createManualClock();
        Object.assign(process, {
          constrainedMemory: () => constrained,
          memoryUsage: Object.assign(() => memoryUsage(), { rss: () => 0.4 * limit }),
        });
        const load = createLoad(
          clock,
          () => [],
          () => 0,
        );
        load.pressure();
        await clock.run(1_000);
        expect(load.pressure()?.memory, 'full at four fifths').to.be.closeTo(0.5, 1e-9);
      });
  });
});
