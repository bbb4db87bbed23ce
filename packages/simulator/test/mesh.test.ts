// Connections between members whose answers are slow, as on a busy machine: there is one per peer, however slow it is.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { MemberNetwork } from '../src/index.ts';
import type { MeshLink } from '../src/member/basics/world.ts';

/** The delay in one direction. An answer to a dial takes two of them, which is longer than the time after which a dial
 *  is  repeated. */
const SLOW_MS = 2_500;

describe('a mesh whose answers are slow', () => {
  it('has one connection per peer, because an open one is not dialled again', () => {
    const net = new MemberNetwork({ seed: 1, latencyMs: [SLOW_MS, SLOW_MS] });
    net.start(1);
    const higher = net.start(2);
    const open = new Set<MeshLink>();
    let most = 0;
    const { meshOpened, meshClosed } = higher;
    higher.meshOpened = (link) => {
      open.add(link);
      most = Math.max(most, open.size);
      meshOpened.call(higher, link);
    };
    higher.meshClosed = (link) => {
      open.delete(link);
      meshClosed.call(higher, link);
    };
    net.advance(60_000);
    expect(most).to.equal(1);
    expect(net.metric(2, 'mesh_peers')).to.equal(1);
  });
});
