// Connections between members: who counts as connected when one peer has several, as after a dial that was slow to be answered.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { MemberNetwork } from '../src/index.ts';
import type { MeshLink } from '../src/member/world.ts';

const PEER = 7;

function stage() {
  const net = new MemberNetwork({ seed: 1 });
  net.start(1);
  net.advance(10_000);
  const member = net.member(1);
  const connect = (): MeshLink => {
    const link: MeshLink = {
      remoteHost: '10.0.0.7',
      send: () => true,
      isKeptAlive: () => true,
      close: () => undefined,
    };
    member.meshOpened(link);
    member.meshReceived(link, { kind: 'hello', id: PEER });
    return link;
  };
  const peers = (): number => {
    net.advance(2_500);
    return net.metric(1, 'mesh_peers');
  };
  return { member, connect, peers };
}

describe('a peer with two connections', () => {
  it('is connected as long as one of them is, whichever ends first', () => {
    for (const first of [0, 1]) {
      const { member, connect, peers } = stage();
      const links = [connect(), connect()];
      expect(peers()).to.equal(1);
      const [ended, left] = first === 0 ? links : links.toReversed();
      if (ended === undefined || left === undefined) throw new Error('two were opened');
      member.meshClosed(ended);
      expect(peers(), `connection ${first} has ended`).to.equal(1);
      member.meshClosed(left);
      expect(peers()).to.equal(0);
    }
  });
});
