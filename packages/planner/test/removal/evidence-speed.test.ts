// Evidence is gathered in every pass while a removal runs: it must cost next to nothing at 50 members.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type PreProofInput, preRemovalEvidence } from '../../src/index.ts';
import { MONOTONIC_MS } from '../support/builders.ts';
import { drained, factsOfAll, nodesShowing } from '../support/facts.ts';
import { reportOn, requestOf } from '../support/reports.ts';
import { timeOf, timingText } from '../support/timing.ts';

/** The goal is under 1 ms; the bound leaves room for a shared machine. */
const BOUND_MS = 5;
const IDS = Array.from({ length: 50 }, (_, id) => id);

describe('the evidence from 50 members', () => {
  const view = drained(IDS, 4);
  const nodes = nodesShowing(IDS, view);
  const target = nodes[4];
  if (target === undefined) throw new Error('no target');
  // Every member shows a list object of its own, as those read from members are.
  const own = Object.fromEntries(IDS.map((id) => [id, { view: [...view] }]));
  const input: PreProofInput = {
    nodes,
    target,
    facts: factsOfAll(IDS, { view }, own),
    monotonicMs: MONOTONIC_MS,
    comparison: reportOn(requestOf(nodes, 4)),
    maxAgeMs: 15_000,
    isolatedSinceMs: 0,
  };

  it(`is gathered in under ${BOUND_MS} ms`, function () {
    expect(preRemovalEvidence(input).isProven).to.equal(true);
    const timing = timeOf(preRemovalEvidence, () => input);
    if (this.test) this.test.title += ` (${timingText(timing)})`;
    expect(timing.undisturbedMs).to.be.below(BOUND_MS);
  });
});
