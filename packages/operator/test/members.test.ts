// Rates, passwords and since when lists agree: the small memories about the members' answers.

import { ApiError, type KubeClient } from '@marekvs/runtime';
import type { MemberMetrics } from '@marekvs/store-client';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  joining,
  line,
  nodes,
  notAsked,
  serving,
  silent,
  views,
  withNode,
} from '../../planner/test/support/builders.ts';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { nextRate } from '../src/members/op-rate.ts';
import { createViewHistories } from '../src/members/view-history.ts';
import { createPasswords } from '../src/secrets/passwords.ts';
import { createRateNudges } from '../src/sizing/rate-nudges.ts';

const reading = (commandsTotal: number | undefined, housekeepingCommandsTotal = 0, isFresh = true) =>
  ({ isFresh, commandsTotal, housekeepingCommandsTotal }) as MemberMetrics;

describe('the rate of a member', () => {
  const first = nextRate(undefined, reading(1_000), 0);

  it('is unknown after one reading, never 0', () => {
    expect(first?.perSecond).to.equal(undefined);
  });
  it('is the difference of two readings divided by the time between them', () => {
    expect(nextRate(first, reading(4_000), 30_000)?.perSecond).to.equal(100);
  });
  it('is not computed from readings less than 1 s apart, and is at exactly 1 s', () => {
    expect(nextRate(first, reading(4_000), 999)).to.equal(first);
    expect(nextRate(first, reading(1_100), 1_000)?.perSecond).to.equal(100);
  });
  it('is measured over the last 5 s while readings are close, without the time before', () => {
    let rate = first;
    for (let second = 1; second <= 9; second += 1) rate = nextRate(rate, reading(1_000), second * 1_000);
    for (let second = 10; second <= 14; second += 1)
      rate = nextRate(rate, reading(1_000 + (second - 9) * 500), second * 1_000);
    expect(rate).to.include({ perSecond: 500, fromMs: 9_000, toMs: 14_000 });
  });
  it('is measured over the whole time between two rare readings', () => {
    const rate = nextRate(nextRate(first, reading(4_000), 30_000), reading(10_000), 60_000);
    expect(rate).to.include({ perSecond: 200, fromMs: 30_000, toMs: 60_000 });
  });
  it('begins anew with the first of two close readings, without the long time before', () => {
    const rare = nextRate(nextRate(first, reading(4_000), 30_000), reading(7_000), 60_000);
    const close = nextRate(rare, reading(7_900), 61_000);
    expect(close).to.include({ perSecond: 900, fromMs: 60_000, risen: 0 });
    expect(nextRate(close, reading(9_000), 62_000)).to.include({ perSecond: 1_000, fromMs: 60_000, risen: 100 });
  });
  it('has risen by its increase, and by 0 when it is lower', () => {
    const before = nextRate(first, reading(4_000), 30_000);
    expect(nextRate(before, reading(10_000), 60_000)).to.include({ perSecond: 200, risen: 100 });
    expect(nextRate(before, reading(5_500), 60_000)).to.include({ perSecond: 50, risen: 0 });
  });
  it('is unknown again when the counter fell, since the member was restarted', () => {
    const rate = nextRate(nextRate(first, reading(1_400), 4_000), reading(999), 30_000);
    expect(rate?.perSecond).to.equal(undefined);
    expect(nextRate(rate, reading(1_999), 40_000)).to.include({ perSecond: 100, fromMs: 30_000 });
  });
  it('is unknown again when the process is younger than before, however much it has served since', () => {
    const old = nextRate(undefined, { ...reading(1_000), upSeconds: 500 }, 0);
    expect(nextRate(old, { ...reading(9_000), upSeconds: 20 }, 30_000)?.perSecond).to.equal(undefined);
    expect(nextRate(old, { ...reading(4_000), upSeconds: 530 }, 30_000)?.perSecond).to.equal(100);
  });
  it('is 0 when the counter has not changed, or is absent because nothing was served yet', () => {
    expect(nextRate(first, reading(1_000), 30_000)?.perSecond).to.equal(0);
    expect(nextRate(nextRate(undefined, reading(undefined), 0), reading(undefined), 30_000)?.perSecond).to.equal(0);
  });
  it('excludes the operator’s own questions', () => {
    expect(nextRate(first, reading(1_400, 400), 30_000)?.perSecond).to.equal(0);
  });
  it('is unknown before the member’s first statistics, when its gauges mean nothing', () => {
    expect(nextRate(first, reading(4_000, 0, false), 30_000)).to.equal(undefined);
  });
});

describe('the passwords read from Secrets', () => {
  const REF = { namespace: 'default', name: 'auth', key: 'password' };
  const { signal } = new AbortController();

  function rig(answer: () => unknown = () => ({ data: { password: Buffer.from('s3cret').toString('base64') } })) {
    const clock = createManualClock();
    const reads: string[] = [];
    const client = {
      async get(_kind: unknown, ref: { readonly name: string }) {
        reads.push(ref.name);
        return answer();
      },
    };
    return { clock, reads, passwords: createPasswords(client as Partial<KubeClient> as KubeClient, clock) };
  }

  const rejection = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: Error) => error.message,
    );

  it('are read once and kept in memory', async () => {
    const { passwords, reads } = rig();
    expect(await passwords.read(REF, false, signal)).to.equal('s3cret');
    await passwords.read(REF, false, signal);
    expect(reads).to.deep.equal(['auth']);
  });

  it('are read once for members that ask at the same time', async () => {
    const { passwords, reads } = rig();
    await Promise.all([1, 2, 3].map(() => passwords.read(REF, false, signal)));
    expect(reads).to.have.lengthOf(1);
  });

  it('are read again after a refusal no more often than every 30 s', async () => {
    const { passwords, reads, clock } = rig();
    await passwords.read(REF, false, signal);
    clock.advance(29_999);
    await passwords.read(REF, true, signal);
    expect(reads).to.have.lengthOf(1);
    clock.advance(1);
    await passwords.read(REF, true, signal);
    expect(reads).to.have.lengthOf(2);
  });

  it('are missed with the Secret and the key named', async () => {
    expect(await rejection(rig(() => ({ data: {} })).passwords.read(REF, false, signal))).to.equal(
      'Secret default/auth has no key password',
    );
    const missing = rig(() => {
      throw new ApiError({ verb: 'get', subject: 'secrets default/auth', path: '/', status: 404, reason: 'NotFound' });
    });
    expect(await rejection(missing.passwords.read(REF, false, signal))).to.equal('Secret default/auth does not exist');
  });

  it('never appear in the error about a missing key', async () => {
    const { passwords } = rig(() => ({ data: { other: Buffer.from('s3cret').toString('base64') } }));
    expect(await rejection(passwords.read(REF, false, signal))).to.equal('Secret default/auth has no key password');
  });
});

describe('the history of lists', () => {
  const apart = withNode(nodes(3), 2, { answer: serving([line(2)]) });

  it('has the time for which all members have agreed, by the given clock', () => {
    const histories = createViewHistories();
    expect(histories.note('a', nodes(3), 1_000)).to.deep.equal({ agreedForMs: 0, differForMs: undefined });
    expect(histories.note('a', nodes(3), 16_000)).to.deep.equal({ agreedForMs: 15_000, differForMs: undefined });
  });
  it('starts anew when the members agree on something else', () => {
    const histories = createViewHistories();
    histories.note('a', nodes(3), 0);
    const list = nodes(3).map((entry) => ({ ...entry, answer: serving(views(4)) }));
    expect(histories.note('a', list, 9_000).agreedForMs).to.equal(0);
  });
  it('has the time for which members have differed, also while the difference changes', () => {
    const histories = createViewHistories();
    histories.note('a', apart, 0);
    const other = withNode(nodes(3), 2, { answer: serving(views(2)) });
    expect(histories.note('a', other, 4_000)).to.deep.equal({ agreedForMs: undefined, differForMs: 4_000 });
  });
  it('has neither time while a member is silent, joining alone or was not asked', () => {
    const histories = createViewHistories();
    for (const answer of [silent, notAsked]) {
      const list = withNode(nodes(3), 1, { answer });
      expect(histories.note('a', list, 0)).to.deep.equal({ agreedForMs: undefined, differForMs: undefined });
    }
    const none = nodes(3).map((entry) => ({ ...entry, pod: undefined, answer: joining }));
    expect(histories.note('a', none, 0)).to.deep.equal({ agreedForMs: undefined, differForMs: undefined });
  });
  it('starts anew after a silence', () => {
    const histories = createViewHistories();
    histories.note('a', nodes(3), 0);
    histories.note('a', withNode(nodes(3), 1, { answer: silent }), 1_000);
    expect(histories.note('a', nodes(3), 2_000).agreedForMs).to.equal(0);
  });
  it('is kept per cluster, and removed with it', () => {
    const histories = createViewHistories();
    histories.note('a', nodes(3), 0);
    expect(histories.note('b', nodes(3), 5_000).agreedForMs).to.equal(0);
    histories.forget('a');
    expect(histories.note('a', nodes(3), 6_000).agreedForMs).to.equal(0);
  });
});

describe('a request to read the figures early', () => {
  it('is due once a minute for a cluster, and not at the first reading', () => {
    const clock = createManualClock();
    const nudges = createRateNudges(clock);
    expect(nudges.isDue('a')).to.equal(false);
    clock.advance(59_999);
    expect(nudges.isDue('a')).to.equal(false);
    clock.advance(1);
    expect([nudges.isDue('a'), nudges.isDue('a'), nudges.isDue('b')]).to.deep.equal([true, false, false]);
  });
});
