// Where the in-memory driver takes a shortcut to an answer, the answer has to be the same as over a socket.

import { isMemberMetric, parseMetricsText, readMetrics } from '@marekvs/store-client';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  clusterNodes,
  clusterNodesReply,
  clusterSlots,
  clusterSlotsReply,
} from '../src/member/commands/cluster-text.ts';
import { bulk, encodedLength, encodeReply } from '../src/member/commands/resp-wire.ts';
import { MemberNetwork } from '../src/memory/member-network.ts';

function formed() {
  const network = new MemberNetwork({ seed: 11 });
  network.formed([0, 1, 2, 3]);
  return network;
}

describe('a shortcut to an answer', () => {
  it('gives the same bytes for CLUSTER SLOTS and NODES as the encoded reply, also with a leaving member', () => {
    const network = formed();
    network.http(2, '/drain');
    network.advance(5_000);
    for (const id of [0, 2]) {
      const { view } = network.member(id);
      expect(view.members.find((member) => member.id === 2)?.phase).to.equal('Leaving');
      expect(encodeReply(clusterSlotsReply(view))).to.equal(encodeReply(clusterSlots(view)));
      expect(encodeReply(clusterNodesReply(view, id))).to.equal(encodeReply(bulk(clusterNodes(view, id))));
    }
  });

  it('gives another table once an address has changed, even with the same placement', () => {
    const { view } = formed().member(0);
    const before = clusterSlotsReply(view);
    const moved = { ...view, members: view.members.map((member) => ({ ...member, respAddress: '127.9.9.9:6379' })) };
    expect(encodeReply(clusterSlotsReply(moved)))
      .to.contain('127.9.9.9')
      .and.not.equal(encodeReply(before));
    expect(encodeReply(clusterSlotsReply(view))).to.equal(encodeReply(before));
  });

  it('gives the same figures as the text of /metrics', () => {
    const network = formed();
    network.call(1, 'SET', 'a', '1');
    network.call(1, 'NONSENSE');
    network.advance(20_000);
    const samples = network.http(1, '/metrics', isMemberMetric)?.samples ?? [];
    const figures = readMetrics((take) => samples.forEach(take));
    expect(figures).to.deep.equal(parseMetricsText(network.http(1, '/metrics')?.body ?? ''));
    expect(figures.commandErrorsTotal).to.equal(1);
  });

  it('can hide or replace a figure from the first answer on and after every update of the statistics', () => {
    const network = formed();
    network.advance(8_000);
    const shown = () => {
      const samples = network.http(1, '/metrics', isMemberMetric)?.samples ?? [];
      const figures = readMetrics((take) => samples.forEach(take));
      expect(figures).to.deep.equal(parseMetricsText(network.http(1, '/metrics')?.body ?? ''));
      return [figures.meshPeers, figures.clusterMembers];
    };
    const [meshPeers, members] = shown();
    expect(members).to.be.above(1);
    network.member(1).setKnobs({ shownMetrics: { mesh_peers: 17 }, hiddenMetrics: ['cluster_members'] });
    for (let ms = 0; ms < 5_000; ms += 10) {
      expect(shown()).to.deep.equal([17, undefined]);
      network.advance(10);
    }
    network.member(1).setKnobs({ shownMetrics: null, hiddenMetrics: null });
    expect(shown()).to.deep.equal([meshPeers, members]);
  });

  it('counts the bytes of a command that was never encoded', () => {
    for (const words of [
      ['PING'],
      ['SET', 'k', 'v'.repeat(10)],
      ['GET', ''],
      Array.from({ length: 12 }, () => 'word'),
    ]) {
      const text = `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;
      expect(encodedLength(words)).to.equal(text.length);
    }
  });
});
