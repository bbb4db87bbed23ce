// Where the test keys of a removal lie, who homes them, and that nobody else sees them.

import { homesAt, PARTITIONS, partitionOfKey, placementOf } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  type AuditRequest,
  canaryKey,
  canaryPartitions,
  canaryValue,
  homesForReading,
  MAX_CANARIES,
} from '../../src/index.ts';

const ID = '0b5f3c52-6d0e-4c9f-8b3e-2f6d8a1c7e55';
const EVERY_PARTITION = Array.from({ length: PARTITIONS }, (_, partition) => partition);

function request(kind: AuditRequest['kind'], ids: readonly number[], change: Partial<AuditRequest> = {}): AuditRequest {
  return {
    operationId: ID,
    kind,
    replicationFactor: 2,
    targetId: 3,
    members: ids.map((id) => ({ nodeId: id, podUid: `pod-${id}`, ip: `10.0.0.${id}` })),
    partitions: [],
    ...change,
  };
}

describe('the test keys of a removal', () => {
  it('are one for every partition the target homes, while these are few enough', () => {
    const placement = placementOf([0, 1, 2, 3, 4], 2);
    const homed = EVERY_PARTITION.filter((partition) => homesAt(placement, partition).includes(3));
    expect(homed).to.have.lengthOf(1_689); // marekvs.md 9
    expect(canaryPartitions([4, 3, 2, 1, 0], 2, 3)).to.deep.equal(homed);
  });

  it('are 2,048 spread evenly over the partitions of a target that homes more', () => {
    const partitions = canaryPartitions([0, 1, 2], 3, 1);
    expect(new Set(partitions).size).to.equal(MAX_CANARIES);
    expect(partitions).to.deep.equal(EVERY_PARTITION.filter((partition) => partition % 2 === 0));
    const uneven = canaryPartitions([0, 1, 2], 2, 1);
    expect(new Set(uneven).size).to.equal(MAX_CANARIES);
    // 2,768 homes: no two neighbours among them are left out together.
    const placement = placementOf([0, 1, 2], 2);
    const homed = EVERY_PARTITION.filter((partition) => homesAt(placement, partition).includes(1));
    const places = uneven.map((partition) => homed.indexOf(partition));
    expect(places.every((place, i) => i === 0 || [1, 2].includes(place - (places[i - 1] ?? 0)))).to.equal(true);
  });

  it('are none for a target that is no member', () => {
    expect(canaryPartitions([0, 1, 2], 2, 7)).to.deep.equal([]);
  });

  it('lie in their partition, each of them', () => {
    const wrong = EVERY_PARTITION.filter((partition) => partitionOfKey(canaryKey(ID, partition)) !== partition);
    expect(wrong).to.deep.equal([]);
  });

  it('are hidden by a leading NUL, and other operations have other keys and values', () => {
    expect(canaryKey(ID, 17)).to.match(/^\0mkv:0b5f3c52-6d0e-4c9f-8b3e-2f6d8a1c7e55:\{[0-9a-z]{1,4}\}$/);
    expect(canaryKey('a', 17)).to.not.equal(canaryKey('b', 17));
    expect(canaryValue('a')).to.not.equal(canaryValue('b'));
  });

  it('are refused to an operation whose name has a brace, and outside the 4,096 partitions', () => {
    expect(() => canaryKey('a{b}', 0)).to.throw(RangeError);
    for (const partition of [-1, 0.5, 4_096]) expect(() => canaryKey(ID, partition)).to.throw(RangeError);
  });
});

describe('the homes of a test key', () => {
  const before = placementOf([0, 1, 2, 3, 4], 2);
  const after = placementOf([0, 1, 2, 4], 2);
  const partitions = canaryPartitions([0, 1, 2, 3, 4], 2, 3);

  it('are the target when it is written', () => {
    expect(homesForReading(request('write', [3]), 99)).to.deep.equal([3]);
  });

  it('are all others that home it beside the target before the target has left', () => {
    const before5 = request('readBefore', [0, 1, 2, 3, 4]);
    for (const partition of partitions) {
      const homes = homesForReading(before5, partition);
      expect(homes).to.have.lengthOf(1);
      expect([...homes, 3]).to.have.members([...homesAt(before, partition)]);
    }
  });

  it('are nobody before the target has left when there is one copy of everything', () => {
    const alone = request('readBefore', [0, 1, 2, 3, 4], { replicationFactor: 1 });
    for (const partition of canaryPartitions([0, 1, 2, 3, 4], 1, 3))
      expect(homesForReading(alone, partition)).to.deep.equal([]);
  });

  it('are as many survivors as there shall be copies once it has left', () => {
    for (const kind of ['readAfter', 'clean'] as const)
      for (const partition of partitions)
        expect(homesForReading(request(kind, [0, 1, 2, 4]), partition)).to.deep.equal(homesAt(after, partition));
  });
});
