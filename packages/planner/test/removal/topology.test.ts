// The short text that a proof names: it changes with every member, generation, phase and placement.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { presentTopology, topologyHash, viewKey } from '../../src/index.ts';
import { joining, line, notAsked, sealed, silent, views, withNode } from '../support/builders.ts';
import { nodesShowing } from '../support/facts.ts';

/** The definition of the hash, byte by byte. */
function fnv1a64(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text))
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return hash.toString(16).padStart(16, '0');
}

describe('the hash of a topology', () => {
  it('is FNV-1a-64 over list and digest, for a list of any length', () => {
    for (let count = 0; count < 60; count += 1) {
      const lines = views(count);
      expect(topologyHash(lines, 'ab12')).to.equal(fnv1a64(`${viewKey(lines)}\nab12`));
    }
    expect(fnv1a64('foobar')).to.equal('85944171f73967e8');
  });
  it('differs for another member, generation, phase or placement, and is the same for any order of the list', () => {
    const base = topologyHash(views(3), 'd');
    const others = [
      topologyHash(views(4), 'd'),
      topologyHash([line(0), line(1), line(3)], 'd'),
      topologyHash([line(0), line(1), line(2, { generation: 1 })], 'd'),
      topologyHash([line(0), line(1), line(2, { hasPrimaries: false })], 'd'),
      topologyHash(views(3), 'e'),
    ];
    expect(new Set([base, ...others]).size).to.equal(6);
    expect(topologyHash([line(2), line(0), line(1)], 'd')).to.equal(base);
  });
});

describe('the present topology', () => {
  const ids = [0, 1, 2];
  const nodes = nodesShowing(ids, views(3));

  it('is what all members showed last, with their generations', () => {
    expect(presentTopology(nodes)?.generations).to.deep.equal({ 0: '1767225600', 1: '1767225601', 2: '1767225602' });
    expect(presentTopology(nodes)?.hash).to.match(/^[0-9a-f]{16}$/);
  });
  it('is unknown without members, and while one is silent, is joining or was not asked', () => {
    expect(presentTopology([])).to.equal(undefined);
    for (const answer of [silent, joining, notAsked])
      expect(presentTopology(withNode(nodes, 1, { answer }))).to.equal(undefined);
  });
  it('is what the others show of a member whose door is closed, and unknown when nobody is left to ask', () => {
    expect(presentTopology(withNode(nodes, 1, { answer: sealed }))).to.deep.equal(presentTopology(nodes));
    expect(presentTopology(nodes.map((one) => ({ ...one, answer: sealed })))).to.equal(undefined);
    const two = withNode(nodes, 1, { answer: sealed });
    expect(presentTopology(withNode(two, 2, { answer: silent })), 'and another silent').to.equal(undefined);
  });
  it('is unknown while one member shows another list, or another placement of the same members', () => {
    const other = nodesShowing(ids, views(4))[1]?.answer ?? notAsked;
    expect(presentTopology(withNode(nodes, 1, { answer: other }))).to.equal(undefined);
    const answer = nodes[1]?.answer ?? notAsked;
    if (answer.kind !== 'serving') throw new Error('serves');
    expect(presentTopology(withNode(nodes, 1, { answer: { ...answer, digest: 'another' } }))).to.equal(undefined);
  });
});
