import type { Condition } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { judged, no, type Verdict, yes } from '../src/pass/condition-verdicts.ts';

const AT_NOON = Date.parse('2026-01-01T12:00:00.789Z');
const AT_ONE = Date.parse('2026-01-01T13:00:00.000Z');
const ready = yes('AsExpected', '3 of 3');
const base = judged<string>(
  [],
  [
    ['Available', yes('AsExpected', '')],
    ['Ready', ready],
  ],
  { observedGeneration: 2, nowMs: AT_NOON },
);

const atOne = (
  before: readonly Condition[],
  type: string,
  verdict: Verdict | undefined,
  observedGeneration = 2,
): readonly Condition[] => judged(before, [[type, verdict]], { observedGeneration, nowMs: AT_ONE });

describe('conditions', () => {
  it('stay the same array when nothing changed in meaning', () => {
    expect(atOne(base, 'Ready', { ...ready })).to.equal(base);
  });

  for (const [what, change] of Object.entries<Partial<Verdict>>({
    reason: { reason: 'Paused' },
    message: { message: '2 of 3' },
  })) {
    it(`keep lastTransitionTime when only the ${what} changes`, () => {
      const next = atOne(base, 'Ready', { ...ready, ...change });
      expect(next).to.not.equal(base);
      expect(next[1]).to.deep.equal({ ...base[1], ...change });
    });
  }

  it('keep lastTransitionTime when only the observedGeneration changes', () => {
    expect(atOne(base, 'Ready', ready, 3)[1]).to.deep.equal({ ...base[1], observedGeneration: 3 });
  });

  it('move lastTransitionTime, in whole seconds, when the status changes', () => {
    expect(base[1]?.lastTransitionTime).to.equal('2026-01-01T12:00:00Z');
    const next = atOne(base, 'Ready', no('AsExpected', '3 of 3'));
    expect(next[1]?.lastTransitionTime).to.equal('2026-01-01T13:00:00Z');
  });

  it('keep their order, with new ones at the end', () => {
    const changed = atOne(base, 'Available', no('MemberMissing', ''));
    const added = atOne(changed, 'Paused', no('NotPaused', ''));
    expect(added.map(({ type }) => type)).to.deep.equal(['Available', 'Ready', 'Paused']);
  });

  it('have messages of at most 1024 characters, and a shortened one does not count as a change', () => {
    const long = yes('AsExpected', 'x'.repeat(5000));
    const next = atOne(base, 'Ready', long);
    expect(next[1]?.message).to.have.length(1024);
    expect(atOne(next, 'Ready', long)).to.equal(next);
  });

  it('have messages without half a character, which the API server would store as another one', () => {
    for (const before of ['', 'x'])
      expect(
        atOne(base, 'Ready', yes('AsExpected', `${before}${'🚫'.repeat(2_000)}`))[1]?.message.isWellFormed(),
      ).to.equal(true);
  });

  it('are removed without a verdict, and stay the same array when there is none of the type', () => {
    expect(atOne(base, 'Ready', undefined).map(({ type }) => type)).to.deep.equal(['Available']);
    expect(atOne(base, 'Stalled', undefined)).to.equal(base);
  });
});
