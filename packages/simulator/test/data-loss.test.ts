// What can be lost, and how fast copies come back (docs/design/server.md#after-a-departure, #hazards).

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { MemberNetwork } from '../src/index.ts';
import { homesOf, ids, keysHomedOn, load, lost, missing, restartAll, stop, sum, untilCopied } from './support.ts';

function cluster(seed: number, count: number, env: Record<string, string> = {}): MemberNetwork {
  const net = new MemberNetwork({ seed });
  net.formed(ids(count), { env, knobs: { reorderRate: 0 } });
  net.advance(10_000);
  return net;
}

describe('copies after a departure of 1 of 4 at RF 2, 20,000 keys', function () {
  // This is some seconds of work on a quiet machine, and the gate's machine is not always quiet.
  this.timeout(30_000);

  it('are complete after 4 to 9 s on cold-started members, by bootstrap and anti-entropy', () => {
    const net = cluster(1, 4);
    const keys = load(net, ids(4), 20_000);
    const bootstraps = sum(net, ids(3), 'bootstraps_completed_total');
    stop(net, 4);
    net.until(() => net.isAgreed(ids(3)), 6_000, 'departure');
    const took = untilCopied(net, keys, ids(3));
    expect(took + 3_000).to.be.within(4_000, 12_000);
    expect(sum(net, ids(3), 'bootstraps_completed_total')).to.be.above(bootstraps + 1_000);
  });

  it('take 7 to 20 s on members restarted once, by anti-entropy only', () => {
    const net = cluster(2, 4);
    const keys = load(net, ids(4), 20_000);
    restartAll(net, ids(4));
    stop(net, 4);
    net.until(() => net.isAgreed(ids(3)), 6_000, 'departure');
    const took = untilCopied(net, keys, ids(3));
    expect(took + 3_000).to.be.within(7_000, 20_000);
    expect(sum(net, ids(3), 'bootstraps_completed_total')).to.equal(0);
  });
});

describe('data loss', function () {
  this.timeout(30_000);

  it('two members of 5 removed at once at RF 2 take about 10 % of the keys with them', () => {
    const net = cluster(3, 5);
    const keys = load(net, ids(5), 5_000);
    net.terminate(4);
    net.terminate(5);
    net.advance(40_000);
    const share = lost(net, keys, ids(3)) / keys.length;
    expect(share).to.be.within(0.08, 0.13);
    const both = keys.filter((key) => homesOf(key, ids(5)).every((id) => id > 3)).length;
    expect(lost(net, keys, ids(3))).to.equal(both);
    expect(sum(net, ids(3), 'cluster_underreplicated_partitions')).to.equal(0);
  });

  it('two members removed 30 s apart take none', () => {
    const net = cluster(4, 5);
    const keys = load(net, ids(5), 3_000);
    net.terminate(5);
    net.advance(30_000);
    net.terminate(4);
    net.advance(30_000);
    expect(lost(net, keys, ids(3))).to.equal(0);
  });

  it('starting one after another after more than gc_grace deletes every key not homed on the first (H1)', () => {
    const net = cluster(5, 3, { MAREKVS_GC_GRACE_SECS: '20' });
    const keys = load(net, ids(3), 4_000);
    for (const id of ids(3)) stop(net, id);
    net.advance(45_000);
    const env = { MAREKVS_GC_GRACE_SECS: '20' };
    for (const id of ids(3)) {
      net.start(id, { env });
      net.until(() => net.isRespOpen(id), 60_000, `return of ${id}`);
    }
    net.advance(30_000);
    const notOnFirst = keys.filter((key) => !homesOf(key, ids(3)).includes(1)).length;
    expect(lost(net, keys, ids(3))).to.equal(notOnFirst);
    expect(notOnFirst / keys.length).to.be.within(0.3, 0.38);
    expect(sum(net, [2, 3], 'rejoin_dropped_records_total')).to.be.at.least(2 * notOnFirst);
  });

  it('starting together after more than gc_grace loses nothing', () => {
    const net = cluster(6, 3, { MAREKVS_GC_GRACE_SECS: '20' });
    const keys = load(net, ids(3), 2_000);
    for (const id of ids(3)) net.kill(id);
    net.advance(45_000);
    net.formed(ids(3), { env: { MAREKVS_GC_GRACE_SECS: '20' } });
    net.advance(30_000);
    expect(lost(net, keys, ids(3))).to.equal(0);
    expect(missing(net, keys, ids(3))).to.equal(0);
  });

  it('a full stop shorter than gc_grace loses nothing', () => {
    const net = cluster(7, 3);
    const keys = load(net, ids(3), 2_000);
    for (const id of ids(3)) net.kill(id);
    net.advance(60_000);
    net.formed(ids(3));
    expect(missing(net, keys, ids(3))).to.equal(0);
  });

  it('a late commit hook on a member that is gone before the next round loses the write', () => {
    const net = cluster(8, 3);
    const [first = '', second = ''] = keysHomedOn([1, 2], ids(3), 2);
    net.member(3).setKnobs({ reorderRate: 1 });
    net.member(3).write([{ key: first, value: 'v' }]);
    net.member(3).setKnobs({ reorderRate: 0 });
    net.member(3).write([{ key: second, value: 'v' }]);
    net.advance(200);
    expect(net.member(3).backlog()).to.equal(0);
    net.kill(3);
    net.advance(20_000);
    expect(lost(net, [first, second], [1, 2])).to.equal(1);
  });

  it('an oversized value never reaches its second home', () => {
    const net = cluster(9, 2);
    for (const id of ids(2)) net.member(id).setKnobs({ maxFrameBytes: 1_000 });
    net.call(1, 'SET', 'large', 'x'.repeat(2_000));
    net.call(1, 'SET', 'small', 'x');
    net.advance(30_000);
    expect(missing(net, ['large', 'small'], ids(2))).to.equal(1);
  });
});

describe('exit', () => {
  it('takes 2 s when idle and 9 s after a restart without writes (phantom backlog)', () => {
    const net = cluster(10, 3);
    expect(stop(net, 3)).to.be.within(2_000, 2_200);
    net.advance(5_000);
    net.start(3);
    net.until(() => net.isAgreed(ids(3)), 20_000, 'return of 3');
    net.advance(5_000);
    expect(net.member(3).backlog()).to.be.at.least(1_000_000);
    expect(stop(net, 3)).to.be.within(9_000, 9_200);
    expect(net.exitCode(3)).to.equal(0);
  });

  it('does not happen on SIGTERM when the member ignores that', () => {
    const net = cluster(11, 3);
    net.member(3).setKnobs({ ignoresSigterm: true });
    net.terminate(3);
    net.advance(30_000);
    expect(net.isUp(3)).to.equal(true);
  });

  it('on SHUTDOWN is immediate and without the phase Leaving', () => {
    const net = cluster(12, 3);
    net.connect(3).send('SHUTDOWN');
    expect(net.isUp(3)).to.equal(false);
    expect(net.exitCode(3)).to.equal(0);
  });
});

describe('a tombstone', () => {
  it('hides its key, survives a restart, and is gone after gc_grace', () => {
    const net = cluster(13, 2, { MAREKVS_GC_GRACE_SECS: '40' });
    net.call(1, 'SET', 'key', 'v');
    net.call(1, 'DEL', 'key');
    net.advance(1_000);
    net.kill(2);
    net.advance(2_000);
    net.start(2, { env: { MAREKVS_GC_GRACE_SECS: '40' } });
    net.until(() => net.isAgreed(ids(2)), 20_000, 'return of 2');
    expect(net.member(2).store.get('key')).to.include({ isDead: true });
    expect(net.call(2, 'GET', 'key')).to.equal('$-1\r\n');
    net.advance(60_000);
    expect(net.member(2).store.get('key')).to.equal(undefined);
  });
});

describe('a client connection', () => {
  it('ends with its process, so a later process of the same name neither answers on it nor stores its writes', () => {
    const net = new MemberNetwork({ seed: 11 });
    net.formed(ids(3));
    const client = net.connect(2);
    net.kill(2);
    net.start(2);
    net.until(() => net.isRespOpen(2), 20_000, 'RESP');
    client.send('SET', 'k', 'v');
    expect([client.received, client.isClosed, [...net.disk(2).loadVersions()]]).to.deep.equal(['', true, []]);
  });
});
