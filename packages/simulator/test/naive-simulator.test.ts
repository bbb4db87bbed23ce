// docs/design/server.md#a-simulated-member by number: each title is a truth that a naive simulator would hide.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { MemberNetwork } from '../src/index.ts';
import {
  decode,
  holds,
  ids,
  keysHomedOn,
  load,
  missing,
  restartAll,
  stop,
  sum,
  textOf,
  untilCopied,
} from './support.ts';

function quietCluster(seed: number, count = 4): MemberNetwork {
  const net = new MemberNetwork({ seed });
  net.formed(ids(count), { knobs: { reorderRate: 0 } });
  net.advance(10_000);
  return net;
}

describe('what a naive simulator lies about', function () {
  this.timeout(30_000);

  it('1: underreplicated stays 0 through a departure while thousands of copies are missing', () => {
    const net = quietCluster(1);
    const keys = load(net, ids(4), 4_000);
    stop(net, 4);
    const readings = new Set<number>();
    let most = 0;
    for (let n = 0; n < 20; n += 1) {
      net.advance(500);
      for (const id of ids(3)) readings.add(net.metric(id, 'cluster_underreplicated_partitions'));
      most = Math.max(most, missing(net, keys, ids(3)));
    }
    expect([...readings]).to.deep.equal([0]);
    expect(most).to.be.above(1_000);
  });

  it('1b: underreplicated is 4096, and nothing between, with fewer members than replicas', () => {
    const net = new MemberNetwork({ seed: 1 });
    net.start(1);
    net.advance(5_000);
    expect(net.metric(1, 'cluster_underreplicated_partitions')).to.equal(4_096);
  });

  it('2: /drain moves no data, keeps /ready at 200 and does not end the process', () => {
    const net = quietCluster(2);
    const keys = load(net, ids(4), 2_000);
    const repairs = sum(net, ids(4), 'ae_repair_ops_total');
    expect(net.http(4, '/drain')).to.include({ status: 200, body: 'draining\n' });
    net.advance(20_000);
    expect(net.isUp(4)).to.equal(true);
    expect(net.http(4, '/ready')).to.include({ status: 200, body: 'ready\n' });
    expect(sum(net, ids(4), 'ae_repair_ops_total')).to.equal(repairs);
    expect(missing(net, keys, ids(3))).to.be.above(500);
    expect(missing(net, keys, ids(4))).to.equal(0);
  });

  it('3: survivors drop a gone member 1 to 5 s after its exit and not at the same moment', () => {
    const net = quietCluster(3, 5);
    net.advance(60_000);
    net.kill(5);
    const seenAtMs = new Map<number, number>();
    for (let ms = 10; ms <= 6_000; ms += 10) {
      net.advance(10);
      for (const id of ids(4)) if (!seenAtMs.has(id) && net.member(id).view.members.length === 4) seenAtMs.set(id, ms);
    }
    const times = [...seenAtMs.values()];
    expect(times).to.have.length(4);
    expect(Math.min(...times)).to.be.at.least(1_000);
    expect(Math.max(...times)).to.be.at.most(5_000);
    expect(new Set(times).size).to.be.above(1);
  });

  it('3b: a pause of a few seconds flaps a member, and it comes back with the same generation', () => {
    const net = quietCluster(4, 3);
    net.advance(60_000);
    const { generation } = net.member(3);
    net.freeze(3);
    net.until(() => net.member(1).view.members.length === 2, 5_000, 'flap');
    net.thaw(3);
    net.until(() => net.isAgreed(ids(3)), 10_000, 'return');
    expect(net.member(1).view.members.at(-1)?.generation).to.equal(generation);
  });

  it('4: gauges read 0 for the first 2 s, lag by up to 2 s, and counters restart with the process', () => {
    const net = quietCluster(5, 3);
    expect(net.metric(1, 'ae_rounds_total')).to.be.above(0);
    net.http(3, '/drain');
    stop(net, 3);
    net.until(() => net.member(1).view.members.length === 2, 6_000, 'departure');
    expect(net.metric(1, 'cluster_members')).to.equal(3);
    net.advance(2_000);
    expect(net.metric(1, 'cluster_members')).to.equal(2);
    net.start(3);
    net.advance(1_900);
    expect(net.metric(3, 'cluster_members')).to.equal(0);
    expect(net.metric(3, 'ae_rounds_total')).to.equal(0);
    net.advance(200);
    expect(net.metric(3, 'cluster_members')).to.be.above(0);
  });

  it('5: new homes of once-restarted members fill by anti-entropy alone, with no gauge showing it', () => {
    const net = quietCluster(6);
    const keys = load(net, ids(4), 4_000);
    restartAll(net, ids(4));
    stop(net, 4);
    net.until(() => net.isAgreed(ids(3)), 6_000, 'departure');
    const repairs = sum(net, ids(3), 'ae_repair_ops_total');
    expect(untilCopied(net, keys, ids(3))).to.be.below(60_000);
    expect(sum(net, ids(3), 'bootstraps_completed_total')).to.equal(0);
    expect(sum(net, ids(3), 'join_gate_pending_pids')).to.equal(0);
    expect(sum(net, ids(3), 'ae_repair_ops_total')).to.be.above(repairs + 100);
  });

  it('6: a round is counted when it starts, before anything was repaired, and members are not in step', () => {
    const net = quietCluster(7, 2);
    const [key = ''] = keysHomedOn([1, 2], ids(2), 1);
    net.member(1).setKnobs({ pushLossRate: 1 });
    net.member(1).write([{ key, value: 'x' }]);
    const rounds = ids(2).map((id) => net.metric(id, 'ae_rounds_total'));
    const counted = (id: number) => net.metric(id, 'ae_rounds_total') > (rounds[id - 1] ?? 0);
    net.clock.advanceUntil(() => counted(1) || counted(2), 10_000, 0.05);
    expect(holds(net, 2, key)).to.equal(false);
    expect(counted(1) && counted(2)).to.equal(false);
    net.advance(8_000);
    expect(holds(net, 2, key)).to.equal(true);
  });

  it('7: the repair counter stands still for rounds while copies are missing and the lane is backlogged', () => {
    const net = quietCluster(8);
    const keys = load(net, ids(4), 2_000);
    restartAll(net, ids(4));
    for (const id of ids(3)) net.member(id).setKnobs({ laneDelayMs: 30_000 });
    net.kill(4);
    net.until(() => net.isAgreed(ids(3)), 6_000, 'departure');
    const repairs = sum(net, ids(3), 'ae_repair_ops_total');
    const rounds = net.metric(1, 'ae_rounds_total');
    net.advance(25_000);
    expect(net.metric(1, 'ae_rounds_total') - rounds).to.be.at.least(3);
    expect(sum(net, ids(3), 'ae_repair_ops_total')).to.equal(repairs);
    expect(missing(net, keys, ids(3))).to.be.above(50);
  });

  it('7b: the repair counter moves at rest when caches and tombstones make noise', () => {
    const net = quietCluster(9, 3);
    net.member(1).setKnobs({ repairNoise: 17 });
    const repairs = net.metric(1, 'ae_repair_ops_total');
    net.advance(60_000);
    expect(net.metric(1, 'ae_repair_ops_total')).to.be.above(repairs);
  });

  it('8: after an MSET of n keys the next n-1 writes miss the other home with backlog and in-flight 0', () => {
    const net = quietCluster(10, 2);
    const tagged = Array.from({ length: 10 }, (_, n) => `{t}:${n}`);
    net.call(1, 'MSET', ...tagged.flatMap((key) => [key, 'v']));
    net.advance(200);
    const singles = Array.from({ length: 15 }, (_, n) => `{t}:single:${n}`);
    for (const key of singles) net.call(1, 'SET', key, 'v');
    net.advance(300);
    expect(tagged.every((key) => holds(net, 2, key))).to.equal(true);
    expect(singles.map((key) => holds(net, 2, key))).to.deep.equal(singles.map((_, n) => n >= 9));
    expect(net.member(1).backlog()).to.equal(0);
    net.advance(8_000);
    expect(singles.every((key) => holds(net, 2, key))).to.equal(true);
  });

  it('9: CLUSTER NODES has no line for the dead, and joining and leaving members look alike', () => {
    const net = quietCluster(11, 4);
    net.http(3, '/drain');
    net.kill(4);
    net.start(5, { knobs: { neverLeavesJoining: true } });
    net.advance(6_000);
    const lines = textOf(decode(net.call(1, 'CLUSTER', 'NODES')))
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => Number.parseInt(line.slice(0, 40), 16))).to.deep.equal([1, 2, 3, 5]);
    const shapes = lines.map((line) =>
      line
        .split(' ')
        .slice(2)
        .join(' ')
        .replace(/\d{10}/, 'G'),
    );
    expect(shapes[2]).to.equal('master - 0 0 G connected');
    expect(shapes[3]).to.equal(shapes[2]);
    expect(shapes[1]).to.not.equal(shapes[2]);
  });

  it('10: a restarted member is Active in 2 to 4 s with stale data and answers nil for what it missed', () => {
    const net = quietCluster(12, 3);
    net.kill(2);
    net.until(() => net.isAgreed([1, 3]), 6_000, 'departure');
    const keys = keysHomedOn([1, 2], ids(3), 20);
    for (const key of keys) net.call(1, 'SET', key, 'v');
    net.start(2);
    net.until(() => net.isRespOpen(2), 4_000, 'RESP of 2');
    net.advance(500);
    const answers = new Set(keys.map((key) => net.call(2, 'GET', key)));
    expect(answers).to.include('$-1\r\n');
    net.advance(14_000);
    expect(new Set(keys.map((key) => net.call(2, 'GET', key)))).to.deep.equal(new Set(['$1\r\nv\r\n']));
  });

  it('11: of two processes with one id the older one is seen, and /ready of the younger shows its phase (H3)', () => {
    const net = quietCluster(13, 3);
    const { generation } = net.member(3);
    net.start('twin', { id: 3, ip: '127.0.9.3', seeds: ['127.0.1.1:7946'] });
    net.advance(4_000);
    expect(net.member(1).view.members.at(-1)).to.include({ id: 3, generation, gossipAddress: '127.0.1.3:7946' });
    net.http(3, '/drain');
    net.advance(2_000);
    expect(net.member('twin').view.members.at(-1)).to.include({ generation, phase: 'Leaving' });
  });

  it('11b: after a fast restart the old incarnation shadows the new one until it is found dead', () => {
    const net = quietCluster(14, 3);
    const old = net.member(3).generation;
    net.kill(3);
    net.advance(300);
    const { generation } = net.start(3);
    net.advance(1_000);
    expect(net.member(1).view.members.at(-1)?.generation).to.equal(old);
    net.advance(5_000);
    expect(net.member(1).view.members.at(-1)?.generation).to.equal(generation);
    expect(generation).to.be.above(old);
  });

  it('12: CLUSTER INFO says ok with all slots whatever happens', () => {
    const net = new MemberNetwork({ seed: 15 });
    net.start(1);
    net.advance(3_000);
    const text = textOf(decode(net.call(1, 'CLUSTER', 'INFO')));
    expect(text).to.include('cluster_state:ok\r\ncluster_slots_assigned:16384\r\ncluster_slots_ok:16384\r\n');
  });

  it('13: an id reused with an empty folder pushes nothing; only anti-entropy brings its writes (H2)', () => {
    const net = quietCluster(16, 3);
    load(net, ids(3), 3_000);
    net.kill(3);
    net.wipe(3);
    net.advance(6_000);
    net.start(3);
    net.until(() => net.isAgreed(ids(3)), 90_000, 'return of 3');
    net.advance(1_000);
    const keys = keysHomedOn([3, 1], ids(3), 50);
    for (const key of keys) net.member(3).write([{ key, value: 'v' }]);
    net.advance(1_000);
    expect(net.metric(3, 'repl_ops_sent_total')).to.equal(0);
    expect(net.member(3).backlog()).to.equal(0);
    net.advance(10_000);
    expect(keys.every((key) => holds(net, 1, key))).to.equal(true);
  });

  it('14: a seed name is looked up at start and then only every 60 s', () => {
    const net = new MemberNetwork({ seed: 17 });
    let lookups = 0;
    const answer = net.hosts.get.bind(net.hosts);
    net.hosts.get = (name) => {
      lookups += 1;
      return answer(name);
    };
    net.start(1, { seeds: ['demo-headless:7946'] });
    net.advance(59_000);
    expect(lookups).to.equal(1);
    net.advance(2_000);
    expect(lookups).to.equal(2);
  });

  it('15: ring_ops is occupancy and does not drain', () => {
    const net = quietCluster(18, 3);
    load(net, ids(3), 300);
    net.advance(30_000);
    expect(sum(net, ids(3), 'ring_ops')).to.equal(300);
    expect(sum(net, ids(3), 'repl_inflight_bytes')).to.equal(0);
  });
});
