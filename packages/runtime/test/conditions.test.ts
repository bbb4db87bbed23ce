import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type Condition, type ConditionInput, removeCondition, setCondition } from '../src/conditions.ts';

const AT_NOON = new Date('2026-01-01T12:00:00.789Z');
const AT_ONE = new Date('2026-01-01T13:00:00.000Z');
const ready: ConditionInput = {
  type: 'Ready',
  status: 'True',
  reason: 'AllReady',
  message: '3 of 3',
  observedGeneration: 2,
};
const base: readonly Condition[] = setCondition(
  setCondition([], { type: 'Available', status: 'True', reason: 'Serving', message: '' }, AT_NOON),
  ready,
  AT_NOON,
);

describe('conditions', () => {
  it('returns the same array when nothing changed in meaning', () => {
    expect(setCondition(base, { ...ready }, AT_ONE)).to.equal(base);
  });

  for (const [what, change] of Object.entries({
    reason: { reason: 'Other' },
    message: { message: '2 of 3' },
    observedGeneration: { observedGeneration: 3 },
  })) {
    it(`keeps lastTransitionTime when only the ${what} changes`, () => {
      const next = setCondition(base, { ...ready, ...change }, AT_ONE);
      expect(next).to.not.equal(base);
      expect(next[1]).to.deep.equal({ ...base[1], ...change });
    });
  }

  it('moves lastTransitionTime, in whole seconds, when the status changes', () => {
    expect(base[1]?.lastTransitionTime).to.equal('2026-01-01T12:00:00Z');
    expect(setCondition(base, { ...ready, status: 'False' }, AT_ONE)[1]?.lastTransitionTime).to.equal(
      '2026-01-01T13:00:00Z',
    );
  });

  it('keeps the order, and adds at the end', () => {
    const changed = setCondition(base, { type: 'Available', status: 'False', reason: 'Gone', message: '' }, AT_ONE);
    const added = setCondition(changed, { type: 'Paused', status: 'False', reason: 'NotPaused', message: '' }, AT_ONE);
    expect(added.map((condition) => condition.type)).to.deep.equal(['Available', 'Ready', 'Paused']);
  });

  it('cuts a message to 1024 characters and does not take the cut one for a change', () => {
    const long = { ...ready, message: 'x'.repeat(5000) };
    const next = setCondition(base, long, AT_ONE);
    expect(next[1]?.message).to.have.length(1024);
    expect(setCondition(next, long, AT_ONE)).to.equal(next);
  });

  it('removes a type, and returns the same array when there is none', () => {
    expect(removeCondition(base, 'Ready').map((condition) => condition.type)).to.deep.equal(['Available']);
    expect(removeCondition(base, 'Stalled')).to.equal(base);
  });
});
