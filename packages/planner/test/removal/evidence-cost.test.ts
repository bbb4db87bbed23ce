// Evidence is gathered in every pass while a removal runs: it must cost next to nothing at 50 members.

import { describe } from 'mocha';
import { type PreProofInput, preRemovalEvidence } from '../../src/index.ts';
import { MONOTONIC_MS } from '../support/builders.ts';
import { itReads } from '../support/cost.ts';
import { drained, factsOfAll, nodesShowing } from '../support/facts.ts';
import { reportOn, requestOf } from '../support/reports.ts';

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
    graceMs: 5_000,
    purpose: 'Sealing',
  };

  itReads('is gathered', {
    mostReads: 62_000,
    run: preRemovalEvidence,
    inputOf: () => input,
    isReached: ({ isProven }) => isProven,
  });
});
