// What the sampler keeps of a member for the proofs of a removal, and how it asks while an operation runs: a member made of
// numbers behind the real probe, a clock by hand.

import { createManualClock } from '@marekvs/runtime';
import {
  type CallOptions,
  type MemberAddress,
  type MemberLine,
  type MemberMetrics,
  type MemberPoll,
  type StoreClient,
  StoreError,
  StoreUnreachableError,
} from '@marekvs/store-client';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createProbe } from '../src/members/probe.ts';
import { createSampler, type Pace, type SampleTarget } from '../src/members/sampler.ts';

const KEY = 'default/demo';
const BOOT = 1_767_225_600;

/** One member, as its two ports show it. */
interface Shown {
  id: number;
  generation: number;
  up: number;
  rounds: number;
  members: number;
  primaries: number;
  isJoining: boolean;
  isSilent: boolean;
  /** How long its figures take. */
  slowMs: number;
}

function rig(count = 1) {
  const clock = createManualClock();
  const stop = new AbortController();
  const asked: string[] = [];
  const members = new Map<string, Shown>();
  for (let id = 0; id < count; id += 1)
    members.set(`10.0.0.${id + 1}`, {
      id,
      generation: BOOT,
      up: 100,
      rounds: 0,
      members: count,
      primaries: 8,
      isJoining: false,
      isSilent: false,
      slowMs: 0,
    });
  const shown = (id = 0) => members.get(`10.0.0.${id + 1}`) as Shown;
  const find = ({ host }: MemberAddress): Shown => {
    const member = members.get(host);
    if (member === undefined || member.isSilent) throw new StoreUnreachableError('timeout', 'no answer');
    return member;
  };
  const figures = async (address: MemberAddress): Promise<MemberMetrics> => {
    const member = find(address);
    if (member.slowMs > 0) await clock.delay(member.slowMs);
    const { id, up, rounds } = member;
    const read: Partial<MemberMetrics> = {
      isFresh: true,
      nodeId: id,
      upSeconds: up,
      aeRounds: rounds,
      clusterMembers: member.members,
      ownedPartitions: 4_096,
    };
    return read as MemberMetrics;
  };
  const list = async (address: MemberAddress): Promise<readonly MemberLine[]> => {
    const { id, generation, primaries, isJoining } = find(address);
    if (isJoining) throw new StoreUnreachableError('refused', 'connection refused');
    const own = { id, generation, ip: address.host, respPort: 6379, gossipPort: 7946, myself: true };
    return [{ ...own, primarySlots: primaries, rangeCount: 1, slotsDigest: '00000000000000aa' }];
  };
  const outcome = async <T>(work: Promise<T>) => {
    try {
      return { kind: 'answered' as const, value: await work };
    } catch (error) {
      if (error instanceof StoreError) return { kind: 'failed' as const, error };
      throw error;
    }
  };
  const store: Partial<Record<keyof StoreClient, unknown>> = {
    metrics: (address: MemberAddress, _options: CallOptions) => {
      asked.push('figures');
      return figures(address);
    },
    nodes: (address: MemberAddress) => {
      asked.push('list');
      return list(address);
    },
    poll: async (address: MemberAddress): Promise<MemberPoll> => {
      asked.push('both');
      const [metrics, nodes] = await Promise.all([outcome(figures(address)), outcome(list(address))]);
      const view = nodes.kind === 'answered' ? { kind: nodes.kind, value: { nodes: nodes.value } } : nodes;
      return { metrics, view: view as MemberPoll['view'] };
    },
  };
  const changes: string[] = [];
  const sampler = createSampler({
    probe: createProbe(store as StoreClient),
    passwordOf: async () => undefined,
    onChange: (key) => void changes.push(key),
    clock,
    random: () => 0.5,
  });
  const done = sampler.run(stop.signal);
  const targets = (): readonly SampleTarget[] =>
    [...members].map(([ip, { id }]) => ({ podUid: `pod-${id}`, name: `demo-${id}`, nodeId: id, ip, isPodReady: true }));
  return {
    clock,
    sampler,
    asked,
    changes,
    shown,
    follow: (pace: Pace) => sampler.follow(KEY, targets(), pace),
    history: () => {
      const [history] = sampler.histories(KEY);
      if (history === undefined) throw new Error('nobody is followed');
      return history;
    },
    /** What was asked in the time that passes. */
    async during(ms: number): Promise<readonly string[]> {
      asked.length = 0;
      await clock.run(ms);
      return [...asked];
    },
    async end() {
      stop.abort();
      await done;
      expect(clock.pendingTimers, 'timers after the stop').to.equal(0);
    },
  };
}

describe('how a member is asked while an operation runs', () => {
  it('is once a second: two brief looks, then a whole one, figures first', async () => {
    const { follow, during, end } = rig();
    follow('operation');
    expect(await during(0)).to.deep.equal(['figures', 'list']);
    expect(await during(6_999)).to.deep.equal([
      ...['figures', 'figures', 'figures', 'list'],
      ...['figures', 'figures', 'figures', 'list'],
    ]);
    await end();
  });

  it('is once a second for everything while the lists of members are about to change', async () => {
    const { follow, during, end } = rig();
    follow('handover');
    await during(0);
    expect(await during(3_000)).to.deep.equal(['figures', 'list', 'figures', 'list', 'figures', 'list']);
    await end();
  });

  it('is every two seconds from 20 members on, not with 19', async () => {
    for (const [count, looks, intervalMs] of [
      [19, 7, 1_000],
      [20, 4, 2_000],
    ] as const) {
      const { follow, during, history, end } = rig(count);
      follow('operation');
      const asked = await during(6_999);
      expect(asked.filter((each) => each === 'figures')).to.have.lengthOf(count * looks);
      expect(history().intervalMs).to.equal(intervalMs);
      await end();
    }
  });

  it('begins with a whole look at once', async () => {
    const { follow, during, end } = rig();
    follow('settled');
    await during(0);
    follow('operation');
    expect(await during(0)).to.deep.equal(['figures', 'list']);
    await end();
  });

  it('becomes a whole look at once when the figures say that the membership changed', async () => {
    for (const change of [{ members: 2 }, { up: 1 }] as const) {
      const { follow, during, shown, end } = rig();
      follow('operation');
      await during(0);
      Object.assign(shown(), change);
      expect(await during(1_000), JSON.stringify(change)).to.deep.equal(['figures', 'list']);
      await end();
    }
  });

  it('is not thrown off its second by a slow answer', async () => {
    const { follow, during, shown, history, end } = rig();
    follow('operation');
    await during(0);
    shown().slowMs = 700;
    await during(6_800);
    const times = history().samples.map((sample) => sample.atMs);
    expect(times).to.deep.equal([0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000]);
    await end();
  });

  it('asks for lists alone of a member whose figures do not come', async () => {
    const { follow, during, shown, history, sampler, end } = rig();
    follow('operation');
    await during(0);
    shown().isSilent = true;
    expect(await during(1_000)).to.deep.equal(['figures', 'list']);
    expect(sampler.sample('pod-0').answer.kind).to.equal('serving');
    await during(1_000);
    expect(sampler.sample('pod-0').answer.kind).to.equal('silent');
    expect(history().samples).to.have.lengthOf(1);
    await end();
  });
});

describe('a member at rest', () => {
  it('is asked for everything when its Pod turned ready or not ready: it may have been started again', async () => {
    const { follow, during, sampler, end } = rig();
    follow('settled');
    await during(0);
    expect(await during(30_000)).to.deep.equal(['figures']);
    sampler.follow(KEY, [{ podUid: 'pod-0', name: 'demo-0', nodeId: 0, ip: '10.0.0.1', isPodReady: false }], 'settled');
    expect(await during(0)).to.deep.equal(['both']);
    await end();
  });
});

describe('the history of a member', () => {
  it('has a sample for every look, brief ones at rest too, with the figures as they were', async () => {
    const { follow, clock, shown, history, end } = rig();
    follow('settled');
    await clock.run(0);
    shown().rounds = 5;
    shown().up = 130;
    await clock.run(30_000);
    const { samples, ...rest } = history();
    expect(rest).to.deep.equal({ nodeId: 0, podUid: 'pod-0', generation: BOOT, intervalMs: 30_000 });
    expect(samples.map(({ atMs, rounds, upSeconds }) => ({ atMs, rounds, upSeconds }))).to.deep.equal([
      { atMs: 0, rounds: 0, upSeconds: 100 },
      { atMs: 30_000, rounds: 5, upSeconds: 130 },
    ]);
    expect(
      samples.every((sample) => sample.repairs === undefined),
      'missing stays unknown',
    ).to.equal(true);
    await end();
  });

  it('does not change after it was given out', async () => {
    const { follow, clock, history, end } = rig();
    follow('operation');
    await clock.run(5_000);
    const early = history();
    await clock.run(5_000);
    expect(early.samples).to.have.lengthOf(6);
    expect(history().samples).to.have.lengthOf(11);
    await end();
  });

  it('shares the list of members between samples while it is the same', async () => {
    const { follow, clock, shown, history, end } = rig();
    follow('operation');
    await clock.run(9_000);
    const same = history().samples;
    expect(new Set(same.map((sample) => sample.view)).size).to.equal(1);
    expect([...new Set(same.map((sample) => sample.viewAtMs))]).to.deep.equal([0, 3_000, 6_000, 9_000]);
    shown().primaries = 0;
    await clock.run(3_000);
    const last = history().samples.at(-1);
    expect(last?.view).to.deep.equal([{ id: 0, generation: BOOT, hasPrimaries: false }]);
    expect(last?.viewAtMs).to.equal(12_000);
    await end();
  });

  it('starts again with another life: uptime goes back, or another generation is shown', async () => {
    for (const change of [{ up: 3 }, { generation: BOOT + 9, up: 200 }] as const) {
      const { follow, clock, shown, history, end } = rig();
      follow('operation');
      await clock.run(2_000);
      expect(history().samples).to.have.lengthOf(3);
      Object.assign(shown(), change);
      await clock.run(1_000);
      const [first, ...others] = history().samples;
      expect(others, JSON.stringify(change)).to.deep.equal([]);
      expect(first).to.deep.include({ atMs: 3_000, isContinuous: false, isUndisturbed: false });
      expect(history().generation).to.equal(shown().generation);
      await end();
    }
  });

  it('has no list and no generation while a restarted member joins', async () => {
    const { follow, clock, shown, history, end } = rig();
    follow('operation');
    await clock.run(0);
    Object.assign(shown(), { up: 1, isJoining: true });
    await clock.run(1_000);
    expect(history().generation).to.equal(undefined);
    expect(history().samples).to.have.lengthOf(1);
    expect(history().samples[0]).to.include({ view: undefined, viewDigest: undefined, viewAtMs: undefined });
    await end();
  });

  it('takes in nothing of somebody else who answers at the address, and starts again after him', async () => {
    const { follow, clock, shown, history, end } = rig();
    follow('operation');
    await clock.run(2_000);
    shown().id = 7;
    await clock.run(1_000);
    expect(history().samples).to.deep.equal([]);
    shown().id = 0;
    await clock.run(1_000);
    expect(history().samples).to.have.lengthOf(1);
    await end();
  });

  it('is another one in another Pod', async () => {
    const { follow, clock, sampler, end } = rig();
    follow('operation');
    await clock.run(2_000);
    sampler.follow(
      KEY,
      [{ podUid: 'pod-new', name: 'demo-0', nodeId: 0, ip: '10.0.0.1', isPodReady: true }],
      'operation',
    );
    await clock.run(0);
    expect(sampler.histories(KEY).map(({ podUid, samples }) => [podUid, samples.length])).to.deep.equal([
      ['pod-new', 1],
    ]);
    await end();
  });

  it('is not kept of a Pod that is none of the cluster’s by its name', async () => {
    const { clock, sampler, end } = rig();
    sampler.follow(
      KEY,
      [{ podUid: 'pod-0', name: 'other-0', nodeId: 0, ip: '10.0.0.1', isPodReady: true }],
      'operation',
    );
    await clock.run(0);
    expect(sampler.histories(KEY)).to.deep.equal([]);
    expect(sampler.histories('default/nobody')).to.deep.equal([]);
    await end();
  });

  it('has at most 12 samples at rest and 240 while an operation runs, the newest ones', async () => {
    const { follow, clock, history, end } = rig();
    follow('settled');
    await clock.run(3_600_000);
    expect(history().samples.map((sample) => sample.atMs)).to.deep.equal(
      Array.from({ length: 12 }, (_, i) => 3_600_000 - (11 - i) * 30_000),
    );
    follow('operation');
    await clock.run(400_000);
    expect(history().samples).to.have.lengthOf(240);
    expect(history().samples.at(-1)?.atMs).to.equal(4_000_000);
    await end();
  });

  it('is thinned over its whole time when the cluster comes to rest', async () => {
    const { follow, clock, shown, history, end } = rig();
    follow('operation');
    await clock.run(60_400);
    shown().isSilent = true;
    await clock.run(6_000);
    shown().isSilent = false;
    await clock.run(33_600);
    const before = history().samples;
    follow('settled');
    const { samples } = history();
    expect(samples).to.have.lengthOf(12);
    expect([samples[0], samples.at(-1)?.atMs]).to.deep.equal([before[0], before.at(-1)?.atMs]);
    const gap = samples.findIndex((sample, i) => i > 0 && !sample.isContinuous);
    expect(samples.filter((sample, i) => i > 0 && !sample.isContinuous)).to.have.lengthOf(1);
    expect(samples[gap - 1]?.atMs).to.be.below(61_000);
    expect(samples[gap]?.atMs).to.be.above(66_000);
    expect(samples.slice(1).some((sample) => sample.isUndisturbed)).to.equal(false);
    await end();
  });
});

describe('the gap between two samples', () => {
  it('is tolerated up to two of the intervals planned then, and no more', async () => {
    for (const [silentMs, expected] of [
      // Asked at 1 s without an answer, then each second again: the answer at 2 s is two intervals after the one at 0.
      [1_500, true],
      [2_500, false],
    ] as const) {
      const { follow, clock, shown, history, end } = rig();
      follow('operation');
      await clock.run(0);
      shown().isSilent = true;
      await clock.run(silentMs);
      shown().isSilent = false;
      await clock.run(6_000);
      const [, second, third] = history().samples;
      expect(second?.isContinuous, `after ${second?.atMs} ms`).to.equal(expected);
      expect(third?.isContinuous).to.equal(true);
      await end();
    }
  });

  it('is measured by the interval of then, when the pace has changed since', async () => {
    const { follow, clock, history, end } = rig();
    follow('settled');
    await clock.run(45_000);
    follow('operation');
    await clock.run(1_000);
    follow('settled');
    await clock.run(31_000);
    expect(history().samples.map(({ atMs, isContinuous }) => [atMs, isContinuous])).to.deep.equal([
      [0, false],
      [30_000, true],
      [45_000, true],
      [46_000, true],
      [47_000, true],
      [77_000, true],
    ]);
    await end();
  });
});

describe('a sample is undisturbed', () => {
  const undisturbed = (history: ReturnType<ReturnType<typeof rig>['history']>) =>
    history.samples.map((sample) => sample.isUndisturbed);

  it('unless we spoke RESP since the one before: two of three while an operation runs', async () => {
    const { follow, clock, history, end } = rig();
    follow('operation');
    await clock.run(7_000);
    expect(undisturbed(history())).to.deep.equal([false, false, true, true, false, true, true, false]);
    await end();
  });

  it('never while everything is asked at once', async () => {
    const { follow, clock, history, end } = rig();
    follow('moving');
    await clock.run(5_000);
    expect(undisturbed(history())).to.deep.equal(Array(6).fill(false));
    await end();
  });

  it('between two brief looks at rest', async () => {
    const { follow, clock, history, end } = rig();
    follow('settled');
    await clock.run(150_000);
    expect(undisturbed(history())).to.deep.equal([false, false, true, true, false, false]);
    await end();
  });

  it('not when another exchange of ours began or was under way between it and the one before', async () => {
    const { follow, clock, sampler, history, end } = rig();
    follow('operation');
    await clock.run(4_500);
    const over = sampler.disturb('pod-0'); // between the looks at 4 s and 5 s
    await clock.run(2_000); // under way at 5 s and 6 s
    over();
    over();
    await clock.run(8_000);
    const flags = undisturbed(history());
    expect(flags.slice(0, 5)).to.deep.equal([false, false, true, true, false]);
    // 5 s and 6 s: under way. 7 s: after the whole look at 6 s. Then as ever: the end counts once only.
    expect(flags.slice(5, 13)).to.deep.equal([false, false, false, true, true, false, true, true]);
    await end();
  });

  it('not when a short exchange of ours began and ended between it and the one before', async () => {
    const { follow, clock, sampler, history, end } = rig();
    follow('operation');
    await clock.run(4_500);
    sampler.disturb('pod-0')();
    await clock.run(1_000);
    expect(undisturbed(history()).slice(4)).to.deep.equal([false, false]);
    await end();
  });

  it('not when an exchange of ours began while its figures were read', async () => {
    const { follow, clock, shown, sampler, history, end } = rig();
    follow('operation');
    await clock.run(4_500);
    shown().slowMs = 400;
    await clock.run(700);
    sampler.disturb('pod-0')();
    await clock.run(300);
    expect(history().samples.at(-1)).to.include({ atMs: 5_000, isUndisturbed: false });
    await end();
  });

  it('whatever is said of a Pod nobody follows', () => {
    const { sampler } = rig();
    expect(() => sampler.disturb('nobody')()).to.not.throw();
  });
});
