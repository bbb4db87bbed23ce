import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { compareQuantities, parseQuantity, QuantityError } from '../src/index.ts';

const UNITS: readonly (readonly [suffix: string, times: bigint, by: bigint])[] = [
  ...[...'kMGTPE'].map((suffix, index) => [suffix, 1000n ** BigInt(index + 1), 1n] as const),
  ...[...'KMGTPE'].map((letter, index) => [`${letter}i`, 1024n ** BigInt(index + 1), 1n] as const),
  ...[...'mun'].map((suffix, index) => [suffix, 1n, 1000n ** BigInt(index + 1)] as const),
  ...[-30, -1, 0, 1, 30].map(
    (power) => [`e${power}`, 10n ** BigInt(Math.max(power, 0)), 10n ** BigInt(Math.max(-power, 0))] as const,
  ),
  ['', 1n, 1n],
];

/** A quantity as text, and its exact value in thousandths as a fraction. */
const written = fc
  .tuple(
    fc.constantFrom('', '+', '-'),
    fc.stringMatching(/^[0-9]{1,20}$/),
    fc.stringMatching(/^[0-9]{0,15}$/),
    fc.constantFrom(...UNITS),
  )
  .map(([sign, whole, fraction, [suffix, times, by]]): { text: string; millis: readonly [bigint, bigint] } => {
    const value = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`) * times * 1000n;
    return { text: `${sign}${whole}.${fraction}${suffix}`, millis: [value, by * 10n ** BigInt(fraction.length)] };
  });

describe('quantities', () => {
  const EQUAL: readonly (readonly [string | number, string | number])[] = [
    ['1', '1000m'],
    [1, '1'],
    ['1Gi', '1024Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.5', '500m'],
    ['.5', '500m'],
    ['5.', '5'],
    ['+5', '5'],
    ['1e3', '1k'],
    ['1E3', '1000'],
    ['1e-3', '1m'],
    ['1E', '1000P'],
    ['1M', '1000k'],
    ['12e6', '12M'],
    ['0', '0Gi'],
    ['100n', '1m'],
    ['1.0000000001', '1001m'],
    ['-100n', '-1m'],
  ];
  for (const [a, b] of EQUAL) {
    it(`are equal when they are ${JSON.stringify(a)} and ${JSON.stringify(b)}`, () => {
      expect(compareQuantities(a, b)).to.equal(0);
    });
  }

  it('are ordered by value even if their texts have another order', () => {
    expect(compareQuantities('9Gi', '10Gi')).to.equal(-1);
    expect(compareQuantities('10G', '10Gi')).to.equal(-1);
    expect(compareQuantities('1', '999m')).to.equal(1);
    expect(compareQuantities('9007199254740993', '9007199254740992')).to.equal(1);
  });

  // From kube-apiserver 1.36.3: how a PersistentVolumeClaim with this request is read back.
  const CANONICAL: readonly (readonly [string, string])[] = [
    ['1000m', '1'],
    ['1.5Gi', '1536Mi'],
    ['0.5Gi', '512Mi'],
    ['1.3Gi', '1395864371200m'],
    ['1.5Ki', '1536'],
    ['1024Ki', '1Mi'],
    ['1Ki', '1Ki'],
    ['1e4', '10e3'],
    ['12e6', '12e6'],
    ['1e-3', '1e-3'],
    ['1000000', '1M'],
    ['1500m', '1500m'],
    ['1.25Ti', '1280Gi'],
    ['1000Ki', '1000Ki'],
    ['1e19', '10e18'],
    ['0Gi', '0'],
  ];
  for (const [given, canonical] of CANONICAL) {
    it(`are equal when ${given} is read back as ${canonical}`, () => {
      expect(compareQuantities(given, canonical)).to.equal(0);
    });
  }

  it('are the smallest number of thousandths that is not nearer to zero, whatever their form', () => {
    fc.assert(
      fc.property(written, ({ text, millis: [value, by] }) => {
        const { millis } = parseQuantity(text);
        const isAway = value < 0n ? millis * by <= value : millis * by >= value;
        const isNearest = value < 0n ? (millis + 1n) * by > value : (millis - 1n) * by < value;
        expect([isAway, isNearest], `${text} as ${millis} thousandths`).to.deep.equal([true, true]);
      }),
      { numRuns: 1000 },
    );
  });

  it('have one order, in which a negative one comes before its opposite', () => {
    fc.assert(
      fc.property(written, written, ({ text: a }, { text: b }) => {
        expect(compareQuantities(a, b)).to.equal(0 - compareQuantities(b, a));
        expect(compareQuantities(a, a)).to.equal(0);
        if (/^[0-9]/.test(a)) expect(compareQuantities(`-${a}`, a)).to.be.at.most(0);
      }),
    );
  });

  const GARBAGE = [
    '',
    ' ',
    '.',
    'Gi',
    '1 Gi',
    '1GiB',
    '1K',
    '1mm',
    '--1',
    '0x10',
    '1_000',
    '1e',
    '1e+',
    '1ee3',
    '1e3Ki',
    'NaN',
    '١',
    '1e1000',
    '1e-1000',
    '1e0003',
    '1\n',
    `${'1'.repeat(65)}`,
  ];
  for (const text of GARBAGE) {
    it(`like ${JSON.stringify(text)} are refused with a typed error`, () => {
      expect(() => parseQuantity(text)).to.throw(QuantityError, /not a Kubernetes quantity such as/);
    });
  }

  it('that are numbers which JSON would change are refused', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => parseQuantity(value)).to.throw(QuantityError);
  });
});
