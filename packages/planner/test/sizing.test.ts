// How many members there should be, and which ids new ones get.

import { withDefaults } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { desiredSize, detachedVolumes, hasLostVolume, highestIdEverUsed, nextNodeIds } from '../src/index.ts';
import { line, node, nodes, observation, serving, views, volume, withNode } from './support/builders.ts';

describe('the desired size', () => {
  const table = [
    { nodes: 1, replicationFactor: 1, size: 2, clamped: true },
    { nodes: 2, replicationFactor: 1, size: 2, clamped: false },
    { nodes: 2, replicationFactor: 2, size: 3, clamped: true },
    { nodes: 3, replicationFactor: 2, size: 3, clamped: false },
    { nodes: 16, replicationFactor: 16, size: 17, clamped: true },
    { nodes: 17, replicationFactor: 16, size: 17, clamped: false },
    { nodes: 1000, replicationFactor: 2, size: 1000, clamped: false },
  ];
  for (const { nodes, replicationFactor, size, clamped } of table) {
    it(`is ${size} for nodes ${nodes} and replicationFactor ${replicationFactor}, ${clamped ? 'said to be' : 'not'} raised`, () => {
      const result = desiredSize(withDefaults({ image: 'x', nodes, replicationFactor }));
      expect(result.nodes).to.equal(size);
      expect(result.clamped?.reason).to.equal(clamped ? 'BelowFloor' : undefined);
    });
  }

  it('says with numbers why it was raised, and needs nobody', () => {
    expect(desiredSize(withDefaults({ image: 'x', nodes: 1 })).clamped).to.deep.equal({
      reason: 'BelowFloor',
      message: 'spec.nodes is 1, below replicationFactor + 1 = 3: 3 nodes are kept',
      needsPerson: false,
    });
  });
});

describe('ids of new nodes', () => {
  const withVolumes = (...ids: readonly number[]) =>
    observation({ volumes: [...nodes(3).flatMap((n) => n.volume ?? []), ...ids.map((id) => volume(id))] });

  it('are the detached volumes’ ids first, the lowest one first', () => {
    expect(nextNodeIds(withVolumes(7, 5), 2)).to.deep.equal([5, 7]);
  });

  it('are numbers above all that were ever used after that', () => {
    expect(nextNodeIds(withVolumes(5), 3)).to.deep.equal([5, 6, 7]);
  });

  it('go from 9 to 10 as numbers', () => {
    expect(nextNodeIds(observation({ nodes: [node(9), node(10), node(2)] }), 1)).to.deep.equal([11]);
    expect(nextNodeIds(withVolumes(10, 9), 2)).to.deep.equal([9, 10]);
  });

  it('respect the highest id of the status when nothing else remembers it', () => {
    expect(nextNodeIds(observation({ cluster: { highestNodeId: 41 } }), 1)).to.deep.equal([42]);
  });

  it('are above ids that only a member’s view shows', () => {
    const list = withNode(nodes(3), 1, { answer: serving([...views(3), line(8)]) });
    expect(nextNodeIds(observation({ nodes: list }), 1)).to.deep.equal([9]);
  });

  it('skip a volume that is being deleted, and never take its number either', () => {
    const volumes = [volume(5, { isTerminating: true })];
    expect(nextNodeIds(observation({ volumes }), 1)).to.deep.equal([6]);
  });

  it('skip a volume whose name is not the one its node would mount: the node would start on an empty one (H2)', () => {
    const volumes = [volume(5, { name: 'copy-of-data-demo-5' })];
    expect(detachedVolumes(observation({ volumes }))).to.deep.equal([]);
    expect(nextNodeIds(observation({ volumes }), 1)).to.deep.equal([6]);
  });

  it('name no id twice when two volumes carry the same id', () => {
    const volumes = [volume(5), volume(5, { name: 'copy-of-data-demo-5', uid: 'other' })];
    expect(nextNodeIds(observation({ volumes }), 2)).to.deep.equal([5, 6]);
  });

  it('end at 65534: 65535 means an unknown origin to the members', () => {
    expect(nextNodeIds(observation({ cluster: { highestNodeId: 65_532 } }), 5)).to.deep.equal([65_533, 65_534]);
  });

  it('are above ids that only the name of a volume shows: somebody took its label away', () => {
    const volumes = [volume(5, { nodeId: undefined })];
    expect(nextNodeIds(observation({ volumes }), 1)).to.deep.equal([6]);
  });

  it('start at 0 in a cluster that never had a node', () => {
    const empty = observation({ nodes: [], cluster: { highestNodeId: -1 } });
    expect(highestIdEverUsed(empty)).to.equal(-1);
    expect(nextNodeIds(empty, 2)).to.deep.equal([0, 1]);
  });
});

describe('a lost volume', () => {
  it('is one that was recorded and is not there', () => {
    expect(hasLostVolume(node(1, { volume: undefined }))).to.equal(true);
  });
  it('is one that was recorded and is another one now', () => {
    expect(hasLostVolume(node(1, { volume: volume(1, { uid: 'another' }) }))).to.equal(true);
  });
  it('is not one that was never recorded', () => {
    expect(hasLostVolume(node(1, { volume: undefined, recordedVolumeUid: undefined }))).to.equal(false);
  });
  it('is not one that is being deleted and still there', () => {
    expect(hasLostVolume(node(1, { volume: volume(1, { isTerminating: true }) }))).to.equal(false);
  });
});
