import { compareResourceVersions } from '@marekvs/runtime';
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';

const version = fc.bigInt({ min: 1n, max: 2n ** 80n }).map(String);

describe('comparison of resourceVersions', () => {
  it('orders decimal versions as numbers of any size', () => {
    fc.assert(
      fc.property(version, version, (a, b) => {
        const [x, y] = [BigInt(a), BigInt(b)];
        const expected = x < y ? -1 : x > y ? 1 : 0;
        expect(Math.sign(compareResourceVersions(a, b) ?? Number.NaN)).to.equal(expected);
      }),
    );
  });

  it('is a total order: antisymmetric and transitive', () => {
    fc.assert(
      fc.property(version, version, version, (a, b, c) => {
        const order = (x: string, y: string): number => Math.sign(compareResourceVersions(x, y) ?? Number.NaN);
        expect(order(a, b) + order(b, a)).to.equal(0);
        const [low, middle, high] = [a, b, c].sort((x, y) => order(x, y)) as [string, string, string];
        expect(order(low, high)).to.be.at.most(Math.max(order(low, middle), order(middle, high)));
      }),
    );
  });

  for (const [a, b] of [
    ['abc', '5'],
    ['5', ''],
    ['05', '4'],
    ['0', '1'],
    ['1.5', '2'],
  ] as const) {
    it(`is undefined for '${a}' and '${b}'`, () => {
      expect(compareResourceVersions(a, b)).to.equal(undefined);
    });
  }

  it('finds equal texts equal, also when they are opaque', () => {
    expect(compareResourceVersions('opaque', 'opaque')).to.equal(0);
  });
});
