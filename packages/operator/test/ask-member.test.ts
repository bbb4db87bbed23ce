// Members say who they are before they are sent a password.

import { NO_PASSWORD } from '@marekvs/planner';
import type { MemberMetrics } from '@marekvs/store-client';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { views } from '../../planner/test/support/builders.ts';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { askMember } from '../src/members/ask-member.ts';
import type { Probe, ProbeResult } from '../src/members/probe.ts';
import { createSampler } from '../src/members/sampler.ts';
import type { MemberPasswords } from '../src/secrets/member-passwords.ts';

const TARGET = {
  podUid: 'p',
  restartCount: 0,
  name: 'demo-2',
  nodeId: 2,
  ip: '10.0.0.3',
  isPodReady: true,
  isSealed: false,
};
const SERVING: ProbeResult = { kind: 'serving', view: views(3), digest: 'three', metrics: undefined, isGuarded: true };
const REFUSED: ProbeResult = { kind: 'silent', error: 'WRONGPASS', isUnauthorized: true, isInvalid: false };
const GONE: ProbeResult = { kind: 'silent', error: 'no answer', isUnauthorized: false, isInvalid: false };
const WITH_PASSWORDS: MemberPasswords = {
  first: async () => ({ source: 'new/password', password: 'new' }),
  others: async () => [{ source: 'old/password', password: 'old' }],
};
const { signal } = new AbortController();

function figures(nodeId: number | undefined): ProbeResult {
  return { kind: 'figures', metrics: { isFresh: true, nodeId } as MemberMetrics };
}

/** @param who answers the question for figures; the port for commands takes `old` */
function rig(who: () => ProbeResult) {
  const sent: (string | undefined)[] = [];
  const probe: Probe = async ({ password }, _signal, asked) => {
    if (asked?.onlyFigures === true) {
      sent.push('who');
      return who();
    }
    sent.push(password);
    return password === 'old' || password === undefined ? SERVING : REFUSED;
  };
  const entry = { clusterKey: 'default/demo', target: TARGET, isUnauthorized: false, isIdentified: false };
  const ask = (passwords: MemberPasswords = WITH_PASSWORDS) =>
    askMember({ probe, passwords }, entry, () => ({}), signal);
  return { sent, entry, ask, probe };
}

describe('a member that requires a password', () => {
  it('says who it is first, and once', async () => {
    const { sent, ask, entry } = rig(() => figures(2));
    expect(await ask()).to.deep.include({ kind: 'serving', wants: 'old/password' });
    expect(sent).to.deep.equal(['who', 'new', 'old']);
    expect(entry.isIdentified).to.equal(true);
    await ask();
    expect(sent).to.deep.equal(['who', 'new', 'old', 'new', 'old']);
  });
  it('is not asked who it is when no password would be sent', async () => {
    const { sent, ask } = rig(() => figures(2));
    await ask({ first: async () => ({ source: NO_PASSWORD, password: undefined }), others: async () => [] });
    expect(sent).to.deep.equal([undefined]);
  });
  it('that is first asked without one says who it is before it gets another', async () => {
    const { sent, probe } = rig(() => figures(3));
    const none: MemberPasswords = {
      ...WITH_PASSWORDS,
      first: async () => ({ source: NO_PASSWORD, password: undefined }),
    };
    const guarded: Probe = async (address, of, asked) =>
      asked?.onlyFigures !== true && address.password === undefined ? REFUSED : probe(address, of, asked);
    const entry = { clusterKey: 'default/demo', target: TARGET, isUnauthorized: false, isIdentified: false };
    expect(await askMember({ probe: guarded, passwords: none }, entry, () => ({}), signal)).to.deep.equal(REFUSED);
    expect(sent).to.deep.equal(['who']);
  });

  const strangers: readonly (readonly [string, ProbeResult, RegExp])[] = [
    ['another member', figures(3), /^member 3 answers at 10\.0\.0\.3$/],
    ['something that does not say which member it is', figures(undefined), /does not say which member/],
    ['nothing', GONE, /no answer/],
  ];
  for (const [what, answer, error] of strangers)
    it(`is sent none while ${what} answers in its place`, async () => {
      const { sent, ask, entry } = rig(() => answer);
      const result = await ask();
      expect(result.kind).to.equal('silent');
      expect(result.kind === 'silent' && result.error).to.match(error);
      expect(sent).to.deep.equal(['who']);
      expect(entry.isIdentified).to.equal(false);
    });
});

describe('a member that the sampler follows', () => {
  function following() {
    let id = 2;
    let isAway = false;
    const { sent, probe } = rig(() => figures(id));
    const clock = createManualClock();
    const stop = new AbortController();
    const sampler = createSampler({
      probe: async (...asked) => (isAway ? GONE : probe(...asked)),
      passwords: { first: async () => ({ source: 'old/password', password: 'old' }), others: async () => [] },
      onChange: () => {},
      clock,
      random: () => 0.5,
    });
    const done = sampler.run(stop.signal);
    const follow = (change: Partial<typeof TARGET> = {}) =>
      sampler.follow('default/demo', [{ ...TARGET, ...change }], 'moving');
    return {
      sent,
      follow,
      answer: () => sampler.sample({ uid: 'p', restartCount: 0 }).answer,
      wait: (ms: number) => clock.run(ms),
      replace() {
        id = 3;
      },
      away(now: boolean) {
        isAway = now;
      },
      async end() {
        stop.abort();
        await done;
      },
    };
  }
  const since = (sent: (string | undefined)[]) => sent.splice(0);

  it('says it again at another address, and gets no password where another one answers', async () => {
    const w = following();
    w.follow();
    await w.wait(3_000);
    expect(since(w.sent).filter((one) => one === 'who')).to.have.lengthOf(1);
    w.replace();
    w.follow({ ip: '10.0.0.9' });
    await w.wait(3_000);
    expect(new Set(since(w.sent))).to.deep.equal(new Set(['who']));
    expect(w.answer()).to.deep.include({ kind: 'silent', error: 'member 3 answers at 10.0.0.9' });
    await w.end();
  });
  it('says it again after it was silent', async () => {
    const w = following();
    w.follow();
    await w.wait(3_000);
    w.away(true);
    await w.wait(5_000);
    since(w.sent);
    w.replace();
    w.away(false);
    await w.wait(10_000);
    expect(new Set(since(w.sent))).to.deep.equal(new Set(['who']));
    await w.end();
  });
});
