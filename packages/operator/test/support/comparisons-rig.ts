// Comparisons over members made of promises, on a clock by hand.

import type { ComparisonRequest } from '@marekvs/planner';
import { expect } from 'chai';
import { createManualClock } from '../../../runtime/test/support/manual-clock.ts';
import { type ComparisonsOptions, createComparisons } from '../../src/comparisons/comparisons.ts';
import {
  COMPARED,
  createFakeContents,
  type FakeComparison,
  type FakeComparisonOptions,
  fakeComparisons,
} from './fake-comparison.ts';

export function comparisonsRig(fake: FakeComparisonOptions = {}, change: Partial<ComparisonsOptions> = {}) {
  const clock = createManualClock();
  const contents = createFakeContents(clock);
  const { made, createComparison } = fakeComparisons(fake);
  /** `<ms> <cluster> <state> <partitions done>` of every call of onProgress. */
  const progress: string[] = [];
  const rejections: unknown[] = [];
  const onRejection = (error: unknown): void => void rejections.push(error);
  process.on('unhandledRejection', onRejection);
  const comparisons = createComparisons({
    contents,
    createComparison,
    clock,
    random: () => 0,
    onProgress(key) {
      const report = comparisons.report(key);
      progress.push(`${clock.steadyMs()} ${report?.state} ${report?.partitionsDone}`);
    },
    ...change,
  });
  const stop = new AbortController();
  let done: Promise<void> | undefined;
  return {
    clock,
    contents,
    comparisons,
    made,
    progress,
    start() {
      done = comparisons.run(stop.signal);
    },
    want: (request: ComparisonRequest | undefined, key = COMPARED) => comparisons.want(key, request),
    report: (key = COMPARED) => comparisons.report(key),
    /** The only comparison that was begun. */
    only(): FakeComparison {
      expect(made).to.have.lengthOf(1);
      const [one] = made;
      if (one === undefined) throw new Error('none was begun');
      return one;
    },
    connections: () => [...contents.connections.values()].reduce((a, b) => a + b, 0),
    /** Clusters by key, in the order in which they were begun. */
    begun: () => made.map(({ request }) => request.id),
    async end() {
      stop.abort();
      await clock.run(0);
      await done;
      await clock.run(0);
      process.off('unhandledRejection', onRejection);
      expect(rejections, 'unhandled rejections').to.deep.equal([]);
      expect(clock.pendingTimers, 'timers after the stop').to.equal(0);
      expect(
        [...contents.connections.values()].every((open) => open === 0),
        'connections after the stop',
      ).to.equal(true);
    },
  };
}

/** One that has been told to run. */
export function runningRig(fake: FakeComparisonOptions = {}, change: Partial<ComparisonsOptions> = {}) {
  const rig = comparisonsRig(fake, change);
  rig.start();
  return rig;
}
