import { OwnWriteFloors } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';

/** A cache that has seen everything up to this version. */
const seenUpTo = (version: number): { isBehind(key: string, floor: string): boolean } => ({
  isBehind: (_key, floor) => Number(floor) > version,
});

describe('floors of own writes', () => {
  it('hold an owner back until every cache has seen its writes, and only that owner', () => {
    const floors = new OwnWriteFloors();
    floors.wrote('pods', 'default/p', '10', 'default/owner');
    floors.wrote('services', 'default/s', '12', 'default/owner');
    floors.wrote('pods', 'default/q', '20', 'default/other');
    const caches = (podsAt: number, servicesAt: number): Map<string, ReturnType<typeof seenUpTo>> =>
      new Map([
        ['pods', seenUpTo(podsAt)],
        ['services', seenUpTo(servicesAt)],
      ]);
    expect(floors.behind(caches(9, 12), 'default/owner')).to.equal(true);
    expect(floors.behind(caches(10, 11), 'default/owner')).to.equal(true);
    expect(floors.behind(caches(10, 12), 'default/owner')).to.equal(false);
    expect(floors.behind(caches(10, 12), 'default/other')).to.equal(true);
    expect(floors.behind(caches(10, 12), 'default/stranger')).to.equal(false);
  });

  it('do not wait for a kind that nobody caches', () => {
    const floors = new OwnWriteFloors();
    floors.wrote('events.events.k8s.io', 'default/e', '10');
    expect(floors.behind(new Map(), 'default/e')).to.equal(false);
  });

  it('F59: are void for a kind whose versions went back', () => {
    const floors = new OwnWriteFloors();
    floors.wrote('pods', 'default/p', '1000');
    floors.wrote('services', 'default/p', '1000');
    floors.forget('pods');
    expect(floors.behind(new Map([['pods', seenUpTo(1)]]), 'default/p')).to.equal(false);
    expect(floors.size).to.equal(0);
  });
});
