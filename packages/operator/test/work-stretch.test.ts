// How long the event loop is blocked: pieces of work on a clock by hand, which `freeze` makes last.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createWorkStretch } from '../src/comparisons/work-stretch.ts';

describe('much work in small pieces', () => {
  it('is done in stretches of 8 ms, in order, with a turn of the event loop in between', async () => {
    const clock = createManualClock();
    const stretch = createWorkStretch(clock);
    const done: number[] = [];
    const all = Array.from({ length: 10 }, (_, i) =>
      stretch.work(() => {
        clock.freeze(3);
        done.push(i);
      }),
    );
    const turns: number[] = [];
    while (done.length < 10) {
      await new Promise((resolve) => setImmediate(resolve));
      turns.push(done.length);
      // Anything else that waits for the loop has its turn now.
      clock.advance(0);
    }
    await Promise.all(all);
    expect(done).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(turns).to.deep.equal([3, 6, 9, 10]);
    await clock.run(0);
    expect(clock.pendingTimers).to.equal(0);
  });

  it('goes on at once while it is little', async () => {
    const clock = createManualClock();
    const stretch = createWorkStretch(clock);
    for (let i = 0; i < 1_000; i += 1) await stretch.work(() => {});
    expect(clock.pendingTimers).to.equal(0);
  });

  it('reports a failed piece to its requester, and goes on with the next', async () => {
    const clock = createManualClock();
    const stretch = createWorkStretch(clock);
    const failed = await stretch
      .work(() => {
        throw new Error('no');
      })
      .catch((error: unknown) => error);
    expect(failed).to.be.an('error');
    let isDone = false;
    await stretch.work(() => {
      isDone = true;
    });
    expect(isDone).to.equal(true);
  });
});
