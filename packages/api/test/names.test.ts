import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  clientServiceName,
  clusterIdentity,
  compareNodeIds,
  headlessServiceName,
  MAX_CLUSTER_NAME_LENGTH,
  MAX_NODE_ID,
  nodeName,
  parseNodeId,
  pvcName,
  validateClusterName,
} from '../src/index.ts';

const LONGEST = 'a'.repeat(MAX_CLUSTER_NAME_LENGTH);

describe('names', () => {
  it('are those that a StatefulSet of the same cluster would use', () => {
    expect([nodeName('demo', 3), pvcName('demo', 3)]).to.deep.equal(['demo-3', 'data-demo-3']);
  });

  it('of the longest cluster name still are DNS labels', () => {
    for (const name of [nodeName(LONGEST, MAX_NODE_ID), headlessServiceName(LONGEST), clientServiceName(LONGEST)]) {
      expect(name.length).to.be.at.most(63);
    }
  });

  it('never give two clusters the same Service', () => {
    expect(headlessServiceName('demo')).to.equal(clientServiceName('demo-headless'));
    expect(validateClusterName('demo-headless')).to.have.property('path', 'metadata.name');
  });

  it('of identities differ between clusters of one name or one namespace, and after a new creation', () => {
    const identities = [
      clusterIdentity('a', 'demo', '01234567-89ab'),
      clusterIdentity('b', 'demo', '01234567-89ab'),
      clusterIdentity('a', 'other', '01234567-89ab'),
      clusterIdentity('a', 'demo', '11234567-89ab'),
    ];
    expect(identities[0]).to.equal('a.demo.01234567');
    expect(new Set(identities).size).to.equal(4);
  });

  it('of identities need a uid that is long enough to distinguish two clusters', () => {
    expect(() => clusterIdentity('a', 'demo', '0123456')).to.throw(RangeError, 'a/demo');
  });

  const IDS: readonly (readonly [string, number | undefined])[] = [
    ['demo-0', 0],
    ['demo-10', 10],
    ['demo-65534', 65_534],
    ['demo-65535', undefined],
    ['demo-99999', undefined],
    ['demo-01', undefined],
    ['demo-', undefined],
    ['demo', undefined],
    ['demo-x', undefined],
    ['demo-1-2', undefined],
    ['demo--1', undefined],
    ['demo-1 ', undefined],
    ['other-1', undefined],
    ['demo1', undefined],
  ];
  for (const [name, id] of IDS) {
    it(`like ${JSON.stringify(name)} are read as ${id ?? 'no node of the cluster'}`, () => {
      expect(parseNodeId('demo', name)).to.equal(id);
    });
  }

  it('with node ids are ordered by number', () => {
    expect([10, 9, 100, 2].sort(compareNodeIds)).to.deep.equal([2, 9, 10, 100]);
  });
});
