import { expect } from 'chai';
import { describe, it } from 'mocha';
import { oncePer, oncePerLast } from '../src/values/once-per.ts';

describe('a cached result', () => {
  it('is computed once per object, however often it is asked for, even if it is an empty text', () => {
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

  it('is computed again when another question was asked about the same object in between', () => {
    let made = 0;
    const sumOf = oncePerLast((key: { readonly base: number }, more: number) => {
      made += 1;
      return key.base + more;
    });
    const one = { base: 1 };
    expect([sumOf(one, 1), sumOf(one, 1), made]).to.deep.equal([2, 2, 1]);
    expect([sumOf(one, 2), sumOf(one, 1), made]).to.deep.equal([3, 2, 3]);
  });
});
