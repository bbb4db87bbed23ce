// Evidence is gathered in every pass while a removal runs: it must not be felt at 50 members.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { healthyBaseline, preRemovalEvidence, settledRounds } from '../../src/index.ts';
import { MONOTONIC_MS } from '../support/builders.ts';
import { audit, drained, histories, nodesShowing } from '../support/histories.ts';
import { STRICT } from '../support/proofs.ts';
import { timeOf, timingText } from '../support/timing.ts';

/** The wish is under 1 ms; the bound leaves room for a shared machine. */
const BOUND_MS = 5;
const IDS = Array.from({ length: 50 }, (_, id) => id);

describe('the evidence of 50 members with 120 samples each', () => {
  const view = drained(IDS, 4);
  const nodes = nodesShowing(IDS, view);
  // Every sample carries a list of its own, as one read anew does.
  const list = histories(IDS, { ids: IDS, count: 120, view }).map((entry) => ({
    ...entry,
    samples: entry.samples.map((sample) => ({ ...sample, view: [...view] })),
  }));
  const target = nodes[4];
  if (target === undefined) throw new Error('no target');
  const input = {
    nodes,
    target,
    rules: STRICT,
    histories: list,
    monotonicMs: MONOTONIC_MS,
    audit: audit('readBefore', nodes),
    asideSinceMs: 0,
    idleRoundsBefore: 0,
  };

  it(`is gathered in under ${BOUND_MS} ms`, function () {
    expect(preRemovalEvidence(input).isProven).to.equal(true);
    const timing = timeOf(preRemovalEvidence, () => input);
    if (this.test) this.test.title += ` (${timingText(timing)})`;
    expect(timing.undisturbedMs).to.be.below(BOUND_MS);
  });
  it(`is settled or not, and has a baseline or not, in under ${BOUND_MS} ms`, function () {
    const timing = timeOf(
      (given) => [settledRounds(IDS, given, MONOTONIC_MS), healthyBaseline(IDS, given, MONOTONIC_MS)],
      () => list,
    );
    if (this.test) this.test.title += ` (${timingText(timing)})`;
    expect(timing.undisturbedMs).to.be.below(BOUND_MS);
  });
});
