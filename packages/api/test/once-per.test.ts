import { expect } from 'chai';
import { describe, it } from 'mocha';
import { oncePer } from '../src/once-per.ts';

describe('what is worked out once', () => {
  it('is worked out for each object, however often it is asked for, an empty text as well', () => {
    let made = 0;
    const textOf = oncePer((key: { readonly text: string }) => {
      made += 1;
      return key.text;
    });
    const [one, other] = [{ text: '' }, { text: '' }];
    expect([textOf(one), textOf(one), made]).to.deep.equal(['', '', 1]);
    textOf(other);
    expect(made).to.equal(2);
  });
});
