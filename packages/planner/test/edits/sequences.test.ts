// Edits of a running cluster in any order, with what fails beside them: the planner is asked, and what it wants is done
// at once or late, in any order. Whatever happens, no two members are away by our own doing, and in the end the cluster
// is as its spec says, or somebody is told what to do.

import fc from 'fast-check';
import { describe, it } from 'mocha';
import { type Sequence, sequences } from './edits.ts';
import { GUARDS, liveWithout } from './guards.ts';
import { live } from './life.ts';

/** Of the gate: always the same ones, in about five CPU seconds. A campaign is of others:
 *  EDIT_SEQUENCES=1000 EDIT_SEED=7 npm run unit -- packages/planner/test/edits/sequences.test.ts */
const RUNS = Number(process.env.EDIT_SEQUENCES ?? 120);
const SEED = Number(process.env.EDIT_SEED ?? 1);
/** The name of a guard (guards.ts): looks for a sequence that needs it, and makes that as short as it can in five
 *  minutes. */
const WITHOUT = process.env.EDIT_WITHOUT;

describe('any sequence of edits', () => {
  it('never takes two members away, and ends as the spec says or with a word to a person', async function () {
    this.timeout(0);
    const guard = GUARDS.find(({ name }) => name === WITHOUT);
    if (WITHOUT !== undefined && guard === undefined) throw new RangeError(`no guard is called ${WITHOUT}`);
    const run = guard === undefined ? live : await liveWithout(guard);
    fc.assert(
      fc.property(sequences, (sequence: Sequence) => void run(sequence)),
      { numRuns: RUNS, seed: SEED, ...(guard === undefined ? {} : { interruptAfterTimeLimit: 300_000 }) },
    );
  });
});
