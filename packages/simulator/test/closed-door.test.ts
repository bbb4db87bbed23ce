// A member that is made again with its door closed (docs/design/server.md#a-closed-door): its RESP is on an address
// that nobody reaches, and it is drained while it starts.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createNetworkStoreClient, MemberNetwork } from '../src/index.ts';
import { ConnectionRefusedError } from '../src/member/basics/errors.ts';
import { partitionOf } from '../src/member/records/keys.ts';
import { decode, ids, stop, textOf } from './support.ts';

const SEALED = 4;
const OTHERS = ids(3);
const closed = { MAREKVS_RESP_ADDR: '127.0.0.1:6379', MAREKVS_REQUIREPASS: 'that-nobody-is-told' };

/** Four members, of which the last was drained, has ended, and has just been started again with its door closed. */
function restarted(seed: number): MemberNetwork {
  const net = new MemberNetwork({ seed });
  net.formed(ids(4));
  net.advance(20_000);
  net.http(SEALED, '/drain');
  net.advance(5_000);
  stop(net, SEALED);
  net.advance(1_500);
  net.start(SEALED, { env: closed });
  return net;
}

/** In how many partitions any other member has it first. */
function firstHomes(net: MemberNetwork): number {
  const counts = OTHERS.map((id) => net.member(id).view.placement.owners.filter(([first]) => first === SEALED).length);
  return Math.max(...counts);
}

/** Drains it again and again, each seed at other moments; tells for how long it was first home in some other list. */
function drainedAgain(seed: number, everyMs: number): { readonly forMs: number; readonly untilMs: number } {
  const net = restarted(seed);
  const fromMs = 200 + ((seed * 130) % everyMs);
  let forMs = 0;
  let untilMs = 0;
  for (let ms = 0; ms < 8_000; ms += 10) {
    if (ms >= fromMs && (ms - fromMs) % everyMs === 0) net.http(SEALED, '/drain');
    net.advance(10);
    if (firstHomes(net) === 0) continue;
    forMs += 10;
    untilMs = ms + 10;
  }
  return { forMs, untilMs };
}

describe('a member with its door closed', function () {
  this.timeout(30_000);

  it('refuses every client, while lists, probes and figures go on', async () => {
    const net = restarted(1);
    net.advance(10_000);
    expect(() => net.connect(SEALED)).to.throw(ConnectionRefusedError);
    expect(net.isRespOpen(SEALED)).to.equal(false);
    const { settings, generation } = net.member(SEALED);
    const host = settings.advertiseIp;
    const lines = textOf(decode(net.call(1, 'CLUSTER', 'NODES'))).split('\n');
    const own = lines.find((line) => line.includes(`${host}:`));
    expect(own).to.match(new RegExp(` ${host}:6379@7946 master - 0 0 ${generation} connected`));
    expect(net.http(SEALED, '/ready')).to.include({ status: 200 });
    expect(net.http(SEALED, '/metrics')?.body).to.match(/^marekvs_cluster_members 4$/m);
    const asked = createNetworkStoreClient(net).nodes({ host, password: closed.MAREKVS_REQUIREPASS });
    expect(await asked.catch((error: unknown) => error)).to.include({ reason: 'refused' });
  });

  it('answers an observer on the mesh with what its volume holds', () => {
    const net = restarted(1);
    const partition = partitionOf('foo');
    net.member(SEALED).write([{ key: 'foo', value: 'bar' }]);
    const heard: unknown[] = [];
    const link = net.observe(net.member(SEALED).settings.advertiseIp, {
      greeted: (nodeId) => heard.push(nodeId),
      answered: (answers) => heard.push(...answers),
      closed: () => undefined,
    });
    link?.ask([{ kind: 'root', partition, root: undefined }]);
    net.advance(1_000);
    const digest = net.member(SEALED).store.digestOf(partition);
    expect(heard).to.deep.equal([SEALED, { kind: 'digest', partition, digest }]);
  });

  it('lets clients in again once it is restarted with its door open', () => {
    const net = restarted(1);
    net.advance(10_000);
    stop(net, SEALED);
    net.advance(1_000);
    net.start(SEALED);
    net.until(() => net.isAgreed(ids(4)), 20_000, 'the open member');
    expect(textOf(decode(net.call(SEALED, 'PING')))).to.equal('PONG');
  });

  it('becomes first home again when it was drained only before it was Active', () => {
    const net = restarted(1);
    net.advance(200);
    net.http(SEALED, '/drain');
    net.advance(10_000);
    expect(firstHomes(net)).to.be.above(800);
    expect(net.member(SEALED).phase).to.equal('Active');
  });

  for (const everyMs of [100, 250])
    it(`is never first home in the list of another when it is drained every ${everyMs} ms`, () => {
      expect(ids(10).map((seed) => drainedAgain(seed, everyMs).forMs)).to.deep.equal(ids(10).map(() => 0));
    });

  it('is first home for at most a second and a half when it is drained once a second, and then no more', () => {
    const shown = ids(10)
      .map((seed) => drainedAgain(seed, 1_000))
      .filter(({ forMs }) => forMs > 0);
    expect(shown.length).to.be.at.least(3);
    for (const { forMs, untilMs } of shown) {
      expect(forMs).to.be.within(400, 1_500);
      expect(untilMs).to.be.below(5_000);
    }
  });
});
