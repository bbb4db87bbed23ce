import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { cutText, shortened } from '../src/index.ts';

const text = fc.string({ unit: fc.constantFrom('a', '\u{1f642}', 'é'), maxLength: 12 });
const max = fc.integer({ min: 1, max: 12 });

describe('a text that is cut', () => {
  it('is a beginning of the text, as long as fits, without half a character', () => {
    fc.assert(
      fc.property(text, max, (whole, most) => {
        const cut = cutText(whole, most);
        expect(whole.startsWith(cut)).to.equal(true);
        expect(cut.isWellFormed()).to.equal(true);
        expect(cut.length).to.be.within(Math.min(whole.length, most - 1), most);
      }),
    );
  });

  it('ends in an ellipsis exactly when something is missing', () => {
    fc.assert(
      fc.property(text, max, (whole, most) => {
        const short = shortened(whole, most);
        expect(short.length).to.be.at.most(most);
        expect(short.endsWith('…')).to.equal(whole.length > most);
        expect(short === whole).to.equal(whole.length <= most);
      }),
    );
  });
});
