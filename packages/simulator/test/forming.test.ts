import { expect } from 'chai';
import { describe, it } from 'mocha';
import { ConnectionRefusedError, MemberNetwork } from '../src/index.ts';
import { ids } from './support.ts';

describe('forming and joining', function () {
  this.timeout(30_000);

  for (const count of [3, 5]) {
    it(`${count} members started together are all Active after 6 to 8 s`, () => {
      const net = new MemberNetwork({ seed: count });
      expect(net.formed(ids(count))).to.be.within(6_000, 8_000);
    });
  }

  it('3 members started 0.5 s apart are Active within 8.5 s of the first', () => {
    const net = new MemberNetwork({ seed: 4 });
    net.form(ids(3), { apartMs: 500 });
    expect(net.until(() => net.isAgreed(ids(3)), 60_000, 'agreement') + 1_000).to.be.below(8_500);
  });

  it('a lone first member is Active after 2 to 3 s', () => {
    const net = new MemberNetwork({ seed: 5 });
    net.start(1);
    expect(net.until(() => net.isRespOpen(1), 10_000, 'RESP')).to.be.within(2_000, 3_000);
  });

  for (const count of [3, 5]) {
    it(`one first and then the rest of ${count} takes 30 to 80 s`, () => {
      const net = new MemberNetwork({ seed: 6 });
      net.start(1);
      net.advance(3_000);
      net.form(ids(count).slice(1), { seeds: ['127.0.1.1:7946'] });
      expect(net.until(() => net.isAgreed(ids(count)), 120_000, 'agreement')).to.be.within(30_000, 80_000);
    });
  }

  it('a returning member is Active after 2 to 4 s and bootstraps nothing', () => {
    const net = new MemberNetwork({ seed: 7 });
    net.formed(ids(3));
    net.advance(10_000);
    net.kill(2);
    net.advance(8_000);
    net.start(2);
    expect(net.until(() => net.isRespOpen(2), 20_000, 'RESP')).to.be.within(2_000, 4_000);
    net.advance(20_000);
    expect(net.metric(2, 'bootstraps_completed_total')).to.equal(0);
  });

  it('a member killed while it joined bootstraps again instead of returning', () => {
    const net = new MemberNetwork({ seed: 8 });
    net.formed(ids(3));
    net.start(4);
    net.advance(4_000);
    net.kill(4);
    net.advance(5_000);
    net.start(4);
    net.until(() => net.isAgreed(ids(4)), 90_000, 'join of 4');
    expect(net.metric(4, 'bootstraps_completed_total')).to.be.above(1_000);
  });

  it('members of another cluster name never enter the view', () => {
    const net = new MemberNetwork({ seed: 9 });
    net.form(ids(3));
    net.start(4, { env: { MAREKVS_CLUSTER: 'other' }, seeds: ['127.0.1.1:7946'] });
    net.advance(12_000);
    expect(net.isAgreed(ids(3))).to.equal(true);
    expect(net.member(4).view.members.map((member) => member.id)).to.deep.equal([4]);
  });

  it('a member whose peers are not in DNS yet goes Active alone and merges only after the next lookup (H7)', () => {
    const net = new MemberNetwork({ seed: 10 });
    const seeds = ['demo-headless:7946'];
    net.start(1, { seeds });
    net.start(2, { seeds });
    net.until(() => net.isRespOpen(1) && net.isRespOpen(2), 5_000, 'two clusters of one');
    net.hosts.set('demo-headless', ['127.0.1.1', '127.0.1.2']);
    net.advance(50_000);
    expect(net.member(1).view.members).to.have.length(1);
    expect(net.until(() => net.isAgreed([1, 2]), 30_000, 'merge')).to.be.above(0);
  });

  it('MAREKVS_JOIN_TIMEOUT_SECS opens an incomplete member and counts it', () => {
    const net = new MemberNetwork({ seed: 11 });
    net.start(1, { knobs: { bootstrapHangs: true } });
    net.advance(4_000);
    net.start(2, { env: { MAREKVS_JOIN_TIMEOUT_SECS: '10' } });
    expect(net.until(() => net.isRespOpen(2), 60_000, 'RESP')).to.be.within(10_000, 11_000);
    expect(net.metric(2, 'join_gate_timeouts_total')).to.equal(1);
  });

  it('RESP refuses connections until the member is Active', () => {
    const net = new MemberNetwork({ seed: 12 });
    net.form(ids(3));
    net.advance(5_500);
    expect(() => net.connect(1)).to.throw(ConnectionRefusedError);
    net.advance(2_000);
    expect(net.call(1, 'PING')).to.equal('+PONG\r\n');
  });

  it('some Active member keeps a gate above 0 for ever after some cold starts, without harm', () => {
    const stuck = ids(3).filter((seed) => {
      const net = new MemberNetwork({ seed });
      net.formed(ids(3));
      net.advance(30_000);
      return ids(3).some((id) => net.metric(id, 'join_gate_pending_pids') > 0) && net.isAgreed(ids(3));
    });
    expect(stuck).to.not.deep.equal([]);
  });
});
