// What the sampler keeps about members for the proofs of a removal, and how it asks while an operation runs.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { line } from '../../planner/test/support/builders.ts';
import { BOOT, createSamplerRig, KEY } from './support/sampler-rig.ts';

describe('the questions to a member while an operation runs', () => {
  it('come once a second, each for its figures and its list', async () => {
    const { follow, during, end } = createSamplerRig();
    follow('operation');
    expect(await during(0)).to.deep.equal(['both']);
    expect(await during(3_000)).to.deep.equal(['both', 'both', 'both']);
    await end();
  });

  it('come every two seconds from 20 members on, and not with 19', async () => {
    for (const [count, looks, intervalMs] of [
      [19, 7, 1_000],
      [20, 4, 2_000],
    ] as const) {
      const { follow, during, facts, end } = createSamplerRig(count);
      follow('operation');
      const asked = await during(6_999);
      expect(asked.filter((each) => each === 'both')).to.have.lengthOf(count * looks);
      expect(facts().intervalMs).to.equal(intervalMs);
      await end();
    }
  });

  it('begin at once', async () => {
    const { follow, during, end } = createSamplerRig();
    follow('settled');
    await during(0);
    follow('operation');
    expect(await during(0)).to.deep.equal(['both']);
    await end();
  });

  it('keep their second also after a slow answer', async () => {
    const { follow, during, shown, facts, end } = createSamplerRig();
    follow('operation');
    await during(0);
    const firstMs = facts().last.atMs;
    shown().slowMs = 700;
    await during(6_800);
    expect(facts().last.atMs - firstMs).to.equal(6_000);
    await end();
  });

  it('include its list when its figures do not come', async () => {
    const { follow, during, shown, facts, end } = createSamplerRig();
    follow('operation');
    await during(0);
    const before = facts();
    shown().isWithoutFigures = true;
    expect(await during(1_000)).to.deep.equal(['both']);
    expect(facts(), 'nothing was read').to.equal(before);
    await end();
  });
});

describe('the facts from the sampler', () => {
  it('are about every member with figures, in the order in which they are followed, until the cluster is forgotten', async () => {
    const { follow, during, shown, sampler, end } = createSamplerRig(3);
    shown(1).isSilent = true;
    expect(sampler.facts(KEY)).to.deep.equal([]);
    follow('operation');
    await during(0);
    expect(sampler.facts(KEY).map(({ nodeId, podUid }) => [nodeId, podUid])).to.deep.equal([
      [0, 'pod-0'],
      [2, 'pod-2'],
    ]);
    sampler.forget(KEY);
    expect(sampler.facts(KEY)).to.deep.equal([]);
    await end();
  });

  it('are about the figures alone of a member whose door is closed, which is asked for nothing else', async () => {
    const { follow, during, shown, facts, sample, seal, end } = createSamplerRig();
    follow('operation');
    await during(0);
    const before = facts();
    seal();
    follow('operation');
    expect(sample().answer.kind, 'it is another process').to.equal('notAsked');
    Object.assign(shown(), { isJoining: true, generation: BOOT + 60, up: 3, peers: 4 });
    expect(await during(2_000)).to.deep.equal(['figures', 'figures', 'figures']);
    expect(sample().answer.kind).to.equal('sealed');
    expect(facts().podUid).to.not.equal(before.podUid);
    expect([facts().generation, facts().last.shown, facts().meshPeers]).to.deep.equal([undefined, undefined, 4]);
    expect(facts().bornAtMs).to.be.a('number');
    shown().isSilent = true;
    await during(1_000);
    expect(sample().answer.kind, 'one failure').to.equal('sealed');
    await during(1_000);
    expect(sample().answer.kind, 'two').to.equal('silent');
    await end();
  });

  it('stay while the member is silent, and begin anew when it was restarted meanwhile', async () => {
    const { follow, during, shown, facts, end } = createSamplerRig();
    follow('operation');
    await during(5_000);
    const before = facts();
    shown().isSilent = true;
    await during(5_000);
    expect(facts()).to.equal(before);
    Object.assign(shown(), { isSilent: false, generation: BOOT + 9, up: 1 });
    await during(2_000);
    expect(facts().generation).to.equal(BOOT + 9);
    expect(facts().shownSinceMs).to.be.greaterThan(before.last.atMs);
    await end();
  });

  it('keep through a silence since when a list is shown', async () => {
    const { follow, during, shown, facts, end } = createSamplerRig();
    follow('operation');
    await during(2_000);
    const { shownSinceMs } = facts();
    shown().isSilent = true;
    await during(4_000);
    shown().isSilent = false;
    await during(2_000);
    expect(facts().last.atMs, 'it was read again').to.be.greaterThan((shownSinceMs ?? 0) + 5_000);
    expect(facts().shownSinceMs).to.equal(shownSinceMs);
    await end();
  });

  it('are removed when another member answers at the address', async () => {
    const { follow, during, shown, sampler, end } = createSamplerRig();
    follow('operation');
    await during(1_000);
    shown().id = 7;
    await during(1_000);
    expect(sampler.facts(KEY)).to.deep.equal([]);
    await end();
  });

  it('know nothing of somebody else by the list alone, when the figures do not come', async () => {
    const { follow, during, shown, sampler, sample, end } = createSamplerRig();
    follow('operation');
    await during(1_000);
    Object.assign(shown(), { id: 7, isWithoutFigures: true });
    await during(2_000);
    expect(sampler.facts(KEY)).to.deep.equal([]);
    expect(sample().answer).to.include({ kind: 'silent', error: 'member 7 answers at 10.0.0.1' });
    await end();
  });

  it('begin anew with another Pod', async () => {
    const { follow, during, facts, sampler, end } = createSamplerRig();
    follow('operation');
    await during(3_000);
    const target = {
      podUid: 'later',
      restartCount: 0,
      name: 'demo-0',
      nodeId: 0,
      ip: '10.0.0.1',
      isPodReady: true,
      isSealed: false,
    };
    sampler.follow(KEY, [target], 'operation');
    expect(sampler.facts(KEY)).to.deep.equal([]);
    await during(0);
    expect([facts().podUid, facts().shownSinceMs]).to.deep.equal(['later', facts().last.atMs]);
    await end();
  });

  it('begin anew with another process in the same Pod', async () => {
    const { follow, during, facts, sampler, end } = createSamplerRig();
    follow('operation');
    await during(3_000);
    const sinceMs = facts().shownSinceMs;
    sampler.follow(
      KEY,
      [
        {
          podUid: 'pod-0',
          restartCount: 1,
          name: 'demo-0',
          nodeId: 0,
          ip: '10.0.0.1',
          isPodReady: true,
          isSealed: false,
        },
      ],
      'operation',
    );
    expect(sampler.facts(KEY)).to.deep.equal([]);
    await during(0);
    expect(facts().shownSinceMs).to.be.greaterThan(sinceMs ?? 0);
    await end();
  });

  it('do not exist for a Pod whose name does not belong to the cluster', async () => {
    const { during, sampler, end } = createSamplerRig();
    sampler.follow(
      KEY,
      [{ podUid: 'x', restartCount: 0, name: 'other', nodeId: 0, ip: '10.0.0.1', isPodReady: true, isSealed: false }],
      'operation',
    );
    await during(1_000);
    expect(sampler.facts(KEY)).to.deep.equal([]);
    await end();
  });

  it('exclude the operator from mesh connections while it is an observer at the address of the member', async () => {
    const { follow, during, shown, facts, sampler, end } = createSamplerRig(2);
    follow('operation');
    await during(1_000);
    const gone = sampler.observe('10.0.0.1');
    shown(0).peers += 1;
    await during(6_000);
    expect([facts(0).last.observer, facts(0).meshPeers]).to.deep.equal(['counted', 1]);
    expect([facts(1).last.observer, facts(1).meshPeers]).to.deep.equal(['none', 1]);
    gone();
    shown(0).peers -= 1;
    await during(6_000);
    expect([facts(0).last.observer, facts(0).meshPeers]).to.deep.equal(['none', 1]);
    sampler.observe('10.9.9.9')();
    await end();
  });

  it('keep the members that a list has shown with primaries', async () => {
    const { follow, during, facts, shown, end } = createSamplerRig();
    follow('operation');
    await during(1_000);
    shown().primaries = 0;
    await during(1_000);
    expect(facts().last.shown?.view).to.deep.equal([
      { ...line(0), generation: BOOT, hasPrimaries: false, primaryPartitions: 0 },
    ]);
    expect([...facts().shownActive]).to.deep.equal([0]);
    await end();
  });
});
