import { expect } from 'chai';
import { describe, it } from 'mocha';
import { InvalidKnobError, InvalidSettingError, MemberNetwork, readSettings } from '../src/index.ts';
import { ids, load, missing, sum } from './support.ts';

function cluster(seed: number, count = 3): MemberNetwork {
  const net = new MemberNetwork({ seed });
  net.formed(ids(count), { knobs: { reorderRate: 0 } });
  net.advance(8_000);
  return net;
}

const seenBy = (net: MemberNetwork, id: number) => net.member(id).view.members.map((member) => member.id);

describe('knobs', () => {
  it('drops of UDP in one direction make one member invisible to the other only', () => {
    const net = cluster(1, 2);
    net.member(1).setKnobs({ drops: [{ peer: '*', lane: 'udp', direction: 'in' }] });
    net.advance(6_000);
    expect(seenBy(net, 1)).to.deep.equal([1]);
    expect(seenBy(net, 2)).to.deep.equal([1, 2]);
  });

  it('drops of TCP cut replication and are noticed by the idle timeout while gossip stays healthy', () => {
    const net = cluster(2, 2);
    net.member(1).setKnobs({ drops: [{ peer: '127.0.1.2', lane: 'tcp', direction: 'in' }] });
    net.advance(8_000);
    expect(net.metric(1, 'mesh_conn_timeouts_total')).to.be.above(0);
    expect(net.isAgreed(ids(2))).to.equal(true);
  });

  for (const [id, direction] of [1, 2].flatMap((one) => [[one, 'in'] as const, [one, 'out'] as const])) {
    it(`drops of TCP (${direction} at ${id}) lose no Hello for good: it is late, or its connection ends`, () => {
      for (const droppedMs of [500, 1_500, 2_500, 4_000, 9_000]) {
        const net = new MemberNetwork({ seed: 7 });
        const drops = { drops: [{ peer: '*', lane: 'tcp', direction }] };
        net.formed(ids(1), { knobs: id === 1 ? drops : {} });
        net.start(2, { knobs: { ...(id === 2 ? drops : {}), stuckGatePartitions: 0 } });
        net.until(() => net.member(1).view.members.length === 2, 20_000, 'the second is seen');
        net.advance(droppedMs);
        net.member(id).setKnobs({ drops: null });
        net.advance(15_000);
        expect([net.metric(1, 'mesh_peers'), net.metric(2, 'mesh_peers')], `${droppedMs} ms`).to.deep.equal([1, 1]);
      }
    });
  }

  it('drops of TCP that are shorter than the idle timeout lose no frame: what was written arrives after them', () => {
    for (const direction of ['in', 'out'] as const) {
      const net = cluster(7, 2);
      net.member(1).setKnobs({ drops: [{ peer: '*', lane: 'tcp', direction }] });
      const keys = load(net, ids(2), 50);
      expect(missing(net, keys, ids(2)), `${direction}: meanwhile`).to.be.above(0);
      net.member(1).setKnobs({ drops: null });
      net.advance(1_200);
      expect(missing(net, keys, ids(2)), direction).to.equal(0);
      expect(
        [1, 2].map((id) => net.metric(id, 'mesh_conn_timeouts_total')),
        direction,
      ).to.deep.equal([0, 0]);
    }
  });

  it('a frozen view stays while /ready stays 200 and others lose the member', () => {
    const net = cluster(3);
    net.member(3).setKnobs({ frozenView: true });
    net.advance(6_000);
    expect(seenBy(net, 1)).to.deep.equal([1, 2]);
    expect(seenBy(net, 3)).to.deep.equal([1, 2, 3]);
    expect(net.http(3, '/ready')?.status).to.equal(200);
  });

  it('a member can keep a gone one in its view', () => {
    const net = cluster(4);
    net.member(1).setKnobs({ keptInView: [3] });
    net.kill(3);
    net.advance(6_000);
    expect([seenBy(net, 1), seenBy(net, 2)]).to.deep.equal([ids(3), ids(2)]);
    net.member(1).setKnobs({ keptInView: null });
    net.advance(1_000);
    expect(seenBy(net, 1)).to.deep.equal(ids(2));
  });

  it('a member with another mesh version has no mesh peers although all members see it', () => {
    const net = cluster(5, 2);
    net.start(3, {
      knobs: { meshVersionMismatch: true, stuckGatePartitions: 0 },
      env: { MAREKVS_JOIN_TIMEOUT_SECS: '5' },
    });
    net.until(() => net.isAgreed(ids(3)), 20_000, 'join of 3');
    net.advance(4_000);
    expect(net.metric(3, 'mesh_peers')).to.equal(0);
    expect(net.metric(1, 'cluster_members')).to.equal(3);
  });

  it('a disk above high water refuses writes of clients and takes those of peers', () => {
    const net = cluster(6, 2);
    net.member(1).setKnobs({ diskTotalBytes: 1e11, diskAvailableBytes: 1e8 });
    net.advance(2_100);
    expect(net.call(1, 'SET', 'k', 'v')).to.match(/^-MISCONF /);
    expect(net.call(2, 'SET', 'k', 'v')).to.equal('+OK\r\n');
    net.advance(300);
    expect(net.call(1, 'GET', 'k')).to.equal('$1\r\nv\r\n');
    net.member(1).setKnobs({ diskAvailableBytes: 5e10 });
    net.advance(2_100);
    expect(net.call(1, 'SET', 'k', 'v')).to.equal('+OK\r\n');
  });

  it('a slow store fails /alive and leaves commands unanswered', () => {
    const net = cluster(7, 2);
    net.member(1).setKnobs({ slowStore: true });
    expect(net.http(1, '/alive')).to.include({ status: 503, body: 'shard threads unresponsive\n' });
    const client = net.connect(1);
    client.send('PING');
    net.advance(5_000);
    expect(client.received).to.equal('');
  });

  it('metrics hang, fail or are garbage', () => {
    const net = cluster(8, 2);
    net.member(1).setKnobs({ metrics: 'hang' });
    expect(net.http(1, '/metrics')).to.equal(undefined);
    net.member(1).setKnobs({ metrics: 'error' });
    expect(net.http(1, '/metrics')?.status).to.equal(500);
    net.member(1).setKnobs({ metrics: 'garbage' });
    expect(net.http(1, '/metrics')?.body).to.not.match(/^# HELP/);
  });

  it('background writes count as commands, except the share that came by EXEC', () => {
    const net = cluster(9, 2);
    net.member(1).setKnobs({ backgroundWritesPerSecond: 200, uncountedShare: 0.5 });
    const before = net.member(1).metrics.commandCalls();
    net.advance(11_000);
    expect(net.member(1).metrics.commandCalls() - before).to.be.within(800, 1_200);
    expect(net.metric(1, 'repl_ops_sent_total')).to.be.within(1_800, 2_200);
  });

  it('lost repairs leave copies missing, and a lower copy rate makes them late', () => {
    const net = cluster(10, 4);
    const keys = load(net, ids(4), 3_000);
    for (const id of ids(3)) net.member(id).setKnobs({ repairDropRate: 1 });
    for (const id of ids(3)) net.member(id).setKnobs({ bootstrapHangs: true });
    net.kill(4);
    net.advance(30_000);
    expect(missing(net, keys, ids(3))).to.be.above(1_000);
    for (const id of ids(3)) net.member(id).setKnobs({ repairDropRate: 0, copyRecordsPerSecond: 50 });
    net.advance(9_000);
    expect(missing(net, keys, ids(3))).to.be.above(100);
    net.advance(60_000);
    expect(missing(net, keys, ids(3))).to.equal(0);
  });

  it('stuck partitions show on the gate of an Active member', () => {
    const net = cluster(11, 2);
    net.advance(30_000);
    const before = net.metric(1, 'join_gate_pending_pids');
    net.member(1).setKnobs({ stuckGatePartitions: 517 });
    net.advance(2_000);
    expect(net.metric(1, 'join_gate_pending_pids')).to.equal(before + 517);
  });

  it('a partition heals from both sides', () => {
    const net = cluster(12, 4);
    for (const [a, b] of [
      [1, 3],
      [1, 4],
      [2, 3],
      [2, 4],
    ] as const) {
      net.cut(a, b);
      net.cut(b, a);
    }
    net.advance(8_000);
    expect([seenBy(net, 1), seenBy(net, 4)]).to.deep.equal([
      [1, 2],
      [3, 4],
    ]);
    net.heal();
    net.until(() => net.isAgreed(ids(4)), 30_000, 'healing');
  });

  it('a cut that is shorter than the idle timeout loses no frame: nothing stays unacknowledged after it', () => {
    const net = cluster(14, 2);
    net.advance(30_000);
    net.cut(1, 2);
    net.cut(2, 1);
    load(net, [1], 50);
    net.advance(1_000);
    expect(net.metric(1, 'repl_inflight_bytes')).to.be.above(0);
    net.heal();
    net.advance(3_000);
    expect(net.metric(1, 'repl_inflight_bytes')).to.equal(0);
  });

  it('unknown names and wrong types are refused and change nothing', () => {
    const net = cluster(13, 2);
    const member = net.member(1);
    const before = member.knobs;
    expect(() => member.setKnobs({ nosuch: 1 })).to.throw(InvalidKnobError, 'nosuch: is unknown');
    expect(() => member.setKnobs({ pushLossRate: 'x' })).to.throw(InvalidKnobError, 'must be a number');
    expect(() => member.setKnobs({ slowStore: true, metrics: 'slow' })).to.throw(InvalidKnobError, 'must be one of');
    expect(member.knobs).to.equal(before);
  });
});

describe('the same seed', () => {
  it('gives the same run', () => {
    const run = () => {
      const net = cluster(42);
      load(net, ids(3), 500);
      net.kill(2);
      net.advance(20_000);
      return [1, 3].map((id) => net.http(id, '/metrics')?.body).join() + sum(net, [1, 3], 'mesh_input_bytes_total');
    };
    expect(run()).to.equal(run());
  });
});

describe('settings', () => {
  for (const [hostname, id] of [
    ['demo-3', 3],
    ['x-7f3k2', 0],
    ['plain', 0],
  ] as const) {
    it(`HOSTNAME ${hostname} makes node ${id}`, () => {
      expect(readSettings({ HOSTNAME: hostname }).nodeId).to.equal(id);
    });
  }

  for (const [name, value] of [
    ['MAREKVS_NODE_ID', '65536'],
    ['MAREKVS_NODE_ID', 'x'],
    ['MAREKVS_REPLICAS_N', '-1'],
    ['MAREKVS_GC_GRACE_SECS', '0'],
    ['MAREKVS_RESP_ADDR', '6379'],
  ] as const) {
    it(`${name}=${value} is refused by name`, () => {
      expect(() => readSettings({ [name]: value })).to.throw(InvalidSettingError, name);
    });
  }

  it('hostile makes a list 50,000 lines longer, and takes only the names it knows', () => {
    const net = cluster(3, 2);
    const nodes = () => String(net.call(1, 'CLUSTER', 'NODES')).split('\n').length;
    const honest = nodes();
    net.member(1).setKnobs({ hostile: ['longList'] });
    expect(nodes()).to.equal(honest + 50_000);
    expect(() => net.member(1).setKnobs({ hostile: ['rudeness'] })).to.throw(InvalidKnobError, 'must be a list of');
  });
});
