// How many partitions have all their homes in one zone, compared with the placement itself.

import { homesAt, PARTITIONS, placementOf } from '@marekvs/api';
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { zoneSpread } from '../../src/hosts/zone-spread.ts';

const inZones = (...zones: readonly (string | undefined)[]) => zones.map((zone, id) => ({ id, zone }));

describe('the number of partitions with all homes in one zone', () => {
  it('is 0 where each member has a zone of its own', () => {
    expect(zoneSpread(inZones('a', 'b', 'c'), 2)).to.deep.equal({
      zones: [
        { zone: 'a', members: 1 },
        { zone: 'b', members: 1 },
        { zone: 'c', members: 1 },
      ],
      inOneZone: 0,
      factorForNone: 2,
    });
  });

  it('is all of them where there is one zone, however many homes there are', () => {
    const { inOneZone, factorForNone } = zoneSpread(inZones('a', 'a', 'a'), 2);
    expect([inOneZone, factorForNone]).to.deep.equal([PARTITIONS, undefined]);
  });

  it('is about a fifth with two homes among six members in three zones, and 0 with three homes', () => {
    const members = inZones('a', 'b', 'c', 'a', 'b', 'c');
    const { inOneZone, factorForNone } = zoneSpread(members, 2);
    expect(inOneZone / PARTITIONS).to.be.within(0.15, 0.25);
    expect(factorForNone).to.equal(3);
    expect(zoneSpread(members, 3).inOneZone).to.equal(0);
  });

  const limits: readonly [string, readonly string[], number | undefined][] = [
    ['four members, three of them in one zone, are too few for four homes', ['a', 'a', 'a', 'b'], undefined],
    ['five are enough for three', ['a', 'a', 'b', 'b', 'c'], 3],
    ['15 in one zone of 17 members take 16 homes', [...Array(15).fill('a'), 'b', 'c'], 16],
    ['16 in one zone would take 17, which no cluster has', [...Array(16).fill('a'), 'b', 'c'], undefined],
  ];
  for (const [what, zones, factor] of limits)
    it(`comes with the number of homes that would be enough: ${what}`, () => {
      expect(zoneSpread(inZones(...zones), 2).factorForNone).to.equal(factor);
    });

  it('excludes members whose zone is unknown, and then no number of homes is promised', () => {
    const { zones, inOneZone, factorForNone } = zoneSpread(inZones('a', undefined, 'a', 'b', 'b'), 2);
    const all = zoneSpread(inZones('a', 'a', 'a', 'b', 'b'), 2);
    expect(zones).to.deep.equal([
      { zone: 'a', members: 2 },
      { zone: 'b', members: 2 },
    ]);
    expect(inOneZone).to.be.within(1, all.inOneZone - 1);
    expect([factorForNone, all.factorForNone]).to.deep.equal([undefined, 4]);
    expect(zoneSpread([], 2)).to.deep.include({ zones: [], inOneZone: 0 });
  });

  it('is what the placement says, for any ids, zones and number of homes', () => {
    const member = fc.record({ id: fc.integer({ min: 0, max: 65_534 }), zone: fc.constantFrom('a', 'b', undefined) });
    const members = fc.uniqueArray(member, { selector: ({ id }) => id, minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(members, fc.integer({ min: 1, max: 4 }), (all, factor) => {
        const placement = placementOf(
          all.map(({ id }) => id),
          factor,
        );
        const zoneOf = (id: number) => all.find((one) => one.id === id)?.zone;
        let count = 0;
        for (let pid = 0; pid < PARTITIONS; pid += 1) {
          const zones = new Set(homesAt(placement, pid).map(zoneOf));
          if (zones.size === 1 && !zones.has(undefined)) count += 1;
        }
        expect(zoneSpread(all, factor).inOneZone).to.equal(count);
      }),
      { numRuns: 40 },
    );
  });
});
