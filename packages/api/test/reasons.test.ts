import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isReason, REASONS } from '../src/index.ts';

describe('the reason catalogue', () => {
  for (const [code, entry] of Object.entries(REASONS)) {
    it(`explains ${code} in one sentence each and fits a condition`, () => {
      // The API takes reasons of this form only (metav1.Condition).
      expect(code).to.match(/^[A-Z][A-Za-z]{2,62}$/);
      expect(entry.description).to.match(/^[A-Z].{10,}\.$/);
      expect(entry.remedy).to.match(/^[A-Z].{5,}\.$/);
    });
  }

  it('has a remedy for every warning', () => {
    const idle = Object.entries(REASONS).filter(
      ([, { severity, remedy }]) => severity === 'warning' && remedy === 'Nothing to do.',
    );
    expect(idle).to.deep.equal([]);
  });

  it('has no description twice', () => {
    const descriptions = Object.values(REASONS).map(({ description }) => description);
    expect(new Set(descriptions).size).to.equal(descriptions.length);
  });

  it('does not accept inherited names as reasons', () => {
    expect([isReason('Forming'), isReason('toString'), isReason('constructor')]).to.deep.equal([true, false, false]);
  });
});
