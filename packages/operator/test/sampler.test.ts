// When members are asked, what becomes of a failure, and that nothing keeps running after a stop. A scripted probe, a
// clock by hand.

import type { MemberMetrics } from '@marekvs/store-client';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { views } from '../../planner/test/support/builders.ts';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import type { ProbeResult } from '../src/members/probe.ts';
import { MOVING_INTERVAL_MS, SETTLED_INTERVAL_MS } from '../src/members/probing-pace.ts';
import { createSampler, type Pace, type SamplerOptions, type SampleTarget } from '../src/members/sampler.ts';

const KEY = 'default/demo';
const FIRST = { uid: 'pod-uid-0', restartCount: 0 };
const SERVING: ProbeResult = { kind: 'serving', view: views(3), digest: 'three', metrics: undefined };
const FIGURES: ProbeResult = { kind: 'figures', metrics: { isFresh: true, nodeId: 0 } as MemberMetrics };
const SILENT: ProbeResult = { kind: 'silent', error: 'timed out', isUnauthorized: false, isInvalid: false };

function target(id = 0, change: Partial<SampleTarget> = {}): SampleTarget {
  return {
    podUid: `pod-uid-${id}`,
    restartCount: 0,
    name: `demo-${id}`,
    nodeId: id,
    ip: `10.0.0.${id + 1}`,
    isPodReady: true,
    isSealed: false,
    ...change,
  };
}

/** A running sampler whose members answer what the script says next, and serve when it is empty. */
function rig(options: Partial<SamplerOptions> = {}) {
  const clock = createManualClock();
  const stop = new AbortController();
  const script: (ProbeResult | Promise<ProbeResult>)[] = [];
  const asked: string[] = [];
  const changes: string[] = [];
  const sampler = createSampler({
    probe: async (address, signal) => {
      asked.push(address.host);
      const answer = await (script.shift() ?? SERVING);
      signal.throwIfAborted();
      return answer;
    },
    onChange: (key) => void changes.push(key),
    clock,
    random: () => 0.5,
    ...options,
  });
  const done = sampler.run(stop.signal);
  return {
    clock,
    sampler,
    script,
    asked,
    changes,
    follow: (targets: readonly SampleTarget[] = [target()], pace: Pace = 'settled') =>
      sampler.follow(KEY, targets, pace),
    kind: (id = 0) => sampler.sample({ uid: `pod-uid-${id}`, restartCount: 0 }).answer.kind,
    async end() {
      stop.abort();
      await done;
      expect(clock.pendingTimers, 'timers after the stop').to.equal(0);
    },
  };
}

describe('the sampler', () => {
  it('asks a new member at once and reports that its answer is new', async () => {
    const { follow, clock, asked, changes, kind, end } = rig();
    follow();
    expect(kind()).to.equal('notAsked');
    await clock.run(0);
    expect([asked, changes, kind()]).to.deep.equal([['10.0.0.1'], [KEY], 'serving']);
    await end();
  });

  it('takes a list of at most four times the nodes, and of 256 members in any case', async () => {
    for (const [nodes, most] of [
      [3, 256],
      [64, 256],
      [65, 260],
    ] as const) {
      const asked = new Set<number | undefined>();
      const { follow, clock, end } = rig({
        probe: async (_address, _signal, options) => {
          asked.add(options?.maxMembers);
          return SERVING;
        },
      });
      follow(Array.from({ length: nodes }, (_, id) => target(id)));
      await clock.run(1_000);
      expect([...asked]).to.deep.equal([most]);
      await end();
    }
  });

  it('returns the last answer of every member that it follows, and none of a forgotten one', async () => {
    const { follow, clock, sampler, end } = rig();
    follow();
    const shown = () => [...sampler.followed()].map(({ clusterKey, name, answer }) => [clusterKey, name, answer.kind]);
    expect(shown()).to.deep.equal([[KEY, 'demo-0', 'notAsked']]);
    await clock.run(0);
    expect(shown()).to.deep.equal([[KEY, 'demo-0', 'serving']]);
    sampler.forget(KEY);
    expect(shown()).to.deep.equal([]);
    await end();
  });

  it('asks settled members in turns, each after 30 s, at a moment that differs between clusters', async () => {
    for (const [random, firstMs] of [
      [0, 30_000],
      [0.5, 15_000],
      [0.9, 27_000],
    ] as const) {
      const { follow, clock, asked, end } = rig({ random: () => random });
      follow();
      await clock.run(0);
      expect(clock.nextTimerInMs()).to.be.closeTo(firstMs, 1);
      await clock.run(firstMs);
      asked.length = 0;
      await clock.run(4 * SETTLED_INTERVAL_MS);
      expect(asked).to.have.lengthOf(4);
      await end();
    }
  });

  it('asks a moving member again after a second', async () => {
    const { follow, clock, asked, end } = rig();
    follow([target()], 'moving');
    await clock.run(MOVING_INTERVAL_MS - 1);
    expect(asked).to.have.lengthOf(1);
    await clock.run(1);
    expect(asked).to.have.lengthOf(2);
    await end();
  });

  it('reports nothing while an answer stays the same', async () => {
    const { follow, clock, changes, end } = rig();
    follow([target()], 'moving');
    await clock.run(10_000);
    expect(changes).to.have.lengthOf(1);
    await end();
  });

  it('reports by the figures alone that a member has stopped writes because its disk is full, and when it accepts them', async () => {
    const { follow, clock, script, changes, sampler, end } = rig();
    const writing = (diskWriteStopped: number): ProbeResult => ({
      kind: 'serving',
      view: views(3),
      digest: 'three',
      metrics: { isFresh: true, diskWriteStopped } as MemberMetrics,
    });
    script.push(writing(0), writing(1), SERVING, writing(0));
    follow();
    const seen: (boolean | undefined)[] = [];
    for (let look = 0; look < 4; look += 1) {
      await clock.run(look === 0 ? 0 : (clock.nextTimerInMs() ?? 0));
      const { answer } = sampler.sample(FIRST);
      seen.push(answer.kind === 'serving' ? answer.isWriteStopped === true : undefined);
    }
    // A probe without figures changes nothing.
    expect(seen).to.deep.equal([false, true, true, false]);
    expect(changes).to.have.lengthOf(3);
    await end();
  });

  it('keeps the answer of a member that fails once, and reports it as silent at the second failure', async () => {
    const { follow, clock, script, changes, kind, end } = rig();
    follow();
    await clock.run(0);
    script.push(SILENT, SILENT);
    await clock.run(clock.nextTimerInMs() ?? 0);
    expect([kind(), changes.length]).to.deep.equal(['serving', 1]);
    await clock.run(999);
    expect(kind()).to.equal('serving');
    await clock.run(1);
    expect([kind(), changes.length]).to.deep.equal(['silent', 2]);
    await end();
  });

  it('does not attribute list, figures and rate of another member that has got the address', async () => {
    const { follow, clock, script, sampler, end } = rig();
    const stranger = { ...SERVING, metrics: { isFresh: true, nodeId: 1 } as MemberMetrics };
    script.push(stranger, { ...SERVING, metrics: { isFresh: true, nodeId: 0 } as MemberMetrics });
    follow([target()], 'moving');
    await clock.run(0);
    const { answer, metrics } = sampler.sample(FIRST);
    expect(answer).to.include({ kind: 'silent', error: 'member 1 answers at 10.0.0.1', isInvalid: true });
    expect(metrics).to.equal(undefined);
    await clock.run(MOVING_INTERVAL_MS);
    expect(sampler.sample(FIRST).answer.kind).to.equal('serving');
    await end();
  });

  it('forgets a single failure when the member answers again', async () => {
    const { follow, clock, script, changes, kind, end } = rig();
    follow([target()], 'moving');
    await clock.run(0);
    script.push(SILENT, SERVING, SILENT, SERVING);
    await clock.run(5_000);
    expect([kind(), changes.length]).to.deep.equal(['serving', 1]);
    await end();
  });

  it('reports a member as silent at its very first failure, since there is no earlier answer', async () => {
    const { follow, clock, script, kind, end } = rig();
    script.push(SILENT);
    follow();
    await clock.run(0);
    expect(kind()).to.equal('silent');
    await end();
  });

  it('remembers since when a member is silent, and reports when it is back', async () => {
    const { follow, clock, script, sampler, changes, kind, end } = rig();
    script.push(SILENT, SILENT, SILENT);
    const startMs = clock.nowMs();
    follow();
    await clock.run(3_000);
    expect(sampler.sample(FIRST).answer).to.deep.include({ kind: 'silent', sinceMs: startMs });
    await clock.run(4_000);
    expect([kind(), changes.length]).to.deep.equal(['serving', 2]);
    await end();
  });

  it('asks at once when the pace becomes moving, and not when it becomes settled', async () => {
    const { follow, clock, asked, end } = rig();
    follow();
    await clock.run(0);
    follow([target()], 'moving');
    await clock.run(0);
    expect(asked).to.have.lengthOf(2);
    follow([target()], 'settled');
    await clock.run(0);
    expect(asked).to.have.lengthOf(2);
    await end();
  });

  it('asks at once when the Pod became ready or not ready, or has another address', async () => {
    const { follow, clock, asked, end } = rig();
    follow();
    await clock.run(0);
    follow([target(0, { isPodReady: false })]);
    await clock.run(0);
    follow([target(0, { isPodReady: false, ip: '10.0.0.99' })]);
    await clock.run(0);
    expect(asked).to.deep.equal(['10.0.0.1', '10.0.0.1', '10.0.0.99']);
    await end();
  });

  it('knows nothing of a process that was started again in the same Pod, and asks it at once', async () => {
    const { follow, clock, asked, sampler, script, end } = rig();
    const kindOf = (restartCount: number) => sampler.sample({ uid: 'pod-uid-0', restartCount }).answer.kind;
    follow();
    await clock.run(0);
    expect([kindOf(0), kindOf(1)], 'before it is followed').to.deep.equal(['serving', 'notAsked']);
    script.push({ kind: 'joining', metrics: { isFresh: true } as MemberMetrics });
    follow([target(0, { restartCount: 1 })]);
    expect([kindOf(0), kindOf(1)]).to.deep.equal(['notAsked', 'notAsked']);
    await clock.run(0);
    expect([asked.length, kindOf(1)]).to.deep.equal([2, 'joining']);
    await end();
  });

  it('ignores the answer that a process gave before it was started again', async () => {
    const { follow, clock, sampler, script, end } = rig();
    const late = Promise.withResolvers<ProbeResult>();
    script.push(late.promise, SILENT);
    follow();
    await clock.run(0);
    follow([target(0, { restartCount: 1 })]);
    await clock.run(0);
    late.resolve(SERVING);
    await clock.run(0);
    expect(sampler.sample({ uid: 'pod-uid-0', restartCount: 1 }).answer.kind).to.equal('silent');
    await end();
  });

  it('calls a member silent since its first failure, however often its container is started again', async () => {
    const { follow, clock, sampler, script, end } = rig();
    script.push(...Array.from({ length: 20 }, () => SILENT));
    follow();
    await clock.run(0);
    const { answer } = sampler.sample(FIRST);
    await clock.run(5_000);
    follow([target(0, { restartCount: 1 })]);
    const again = () => sampler.sample({ uid: 'pod-uid-0', restartCount: 1 }).answer;
    expect(again()).to.deep.equal(answer);
    await clock.run(0);
    expect(again()).to.deep.equal(answer);
    await end();
  });

  it('asks no more often, however often it is told the same', async () => {
    const { follow, clock, asked, end } = rig();
    for (let i = 0; i < 100; i += 1) follow();
    await clock.run(0);
    for (let i = 0; i < 100; i += 1) follow();
    await clock.run(0);
    expect(asked).to.have.lengthOf(1);
    await end();
  });

  it('no longer asks a member that is not followed, and forgets it', async () => {
    const { follow, clock, sampler, asked, kind, end } = rig();
    follow([target(0), target(1)]);
    await clock.run(0);
    follow([target(1)]);
    expect([kind(0), kind(1)]).to.deep.equal(['notAsked', 'serving']);
    sampler.forget(KEY);
    expect([kind(1), clock.pendingTimers]).to.deep.equal(['notAsked', 0]);
    await clock.run(120_000);
    expect(asked).to.have.lengthOf(2);
    await end();
  });

  it('ignores the answer of a member that was forgotten meanwhile', async () => {
    const { follow, clock, script, sampler, changes, end } = rig();
    const late = Promise.withResolvers<ProbeResult>();
    script.push(late.promise);
    follow();
    await clock.run(0);
    sampler.forget(KEY);
    late.resolve(SERVING);
    await clock.run(0);
    expect([changes, clock.pendingTimers]).to.deep.equal([[], 0]);
    await end();
  });

  it('asks no more members at once than allowed, and all of them in the end', async () => {
    const { follow, clock, script, asked, kind, end } = rig({ maxInFlight: 2 });
    const answers = [0, 1, 2, 3, 4].map(() => Promise.withResolvers<ProbeResult>());
    script.push(...answers.map((answer) => answer.promise));
    follow([0, 1, 2, 3, 4].map((id) => target(id)));
    await clock.run(0);
    expect(asked).to.have.lengthOf(2);
    answers[0]?.resolve(SERVING);
    await clock.run(0);
    expect(asked).to.have.lengthOf(3);
    for (const answer of answers) answer.resolve(SERVING);
    await clock.run(0);
    expect([0, 1, 2, 3, 4].map(kind)).to.deep.equal(Array(5).fill('serving'));
    await end();
  });

  it('reports a member as silent that could not be asked without a password', async () => {
    const { follow, clock, sampler, asked, end } = rig({
      passwords: {
        first: async () => {
          throw new Error('Secret default/demo does not exist');
        },
        others: async () => [],
      },
    });
    follow();
    await clock.run(0);
    expect(sampler.sample(FIRST).answer).to.deep.include({
      kind: 'silent',
      error: 'Secret default/demo does not exist',
    });
    expect(asked).to.deep.equal([]);
    await end();
  });

  it('reads the password again after it was refused', async () => {
    const stale: boolean[] = [];
    const { follow, clock, script, end } = rig({
      passwords: {
        first: async (_key, isStale) => {
          stale.push(isStale);
          return { source: 'demo/password', password: 'x' };
        },
        others: async () => [],
      },
    });
    script.push({ ...SILENT, isUnauthorized: true }, SERVING);
    follow([target()], 'moving');
    await clock.run(2_500);
    expect(stale).to.deep.equal([false, true, false]);
    await end();
  });

  it('reports which password a member accepted, and tries the others when the first is refused', async () => {
    const tried: (string | undefined)[] = [];
    const passwords = {
      first: async () => ({ source: 'new/password', password: 'new' }),
      others: async (_key: string, first: string) => {
        expect(first).to.equal('new/password');
        return [
          { source: 'new/password', password: 'before', isOld: true as const },
          { source: 'old/password', password: 'old' },
        ];
      },
    };
    let wants = 'old';
    const { follow, clock, sampler, end } = rig({
      passwords,
      probe: async ({ password }, _signal, asked) => {
        if (asked?.onlyFigures) return FIGURES;
        tried.push(password);
        return password === wants ? { ...SERVING, isGuarded: true } : { ...SILENT, isUnauthorized: true };
      },
    });
    const shown = () => sampler.sample(FIRST).answer;
    follow([target()], 'moving');
    await clock.run(0);
    expect(tried).to.deep.equal(['new', 'before', 'old']);
    expect(shown()).to.deep.include({ isGuarded: true, wants: 'old/password' }).and.not.have.property('hasOldPassword');
    wants = 'before';
    await clock.run(2_000);
    expect(shown()).to.deep.include({ wants: 'new/password', hasOldPassword: true });
    wants = 'new';
    tried.length = 0;
    await clock.run(2_000);
    expect(new Set(tried)).to.deep.equal(new Set(['new']));
    expect(shown()).to.deep.include({ wants: 'new/password' }).and.not.have.property('hasOldPassword');
    await end();
  });

  it('has the figures of a member that accepts no password, and from them when its process began', async () => {
    const { follow, clock, sampler, end, script } = rig();
    const refused: ProbeResult = {
      ...SILENT,
      isUnauthorized: true,
      metrics: { isFresh: true, upSeconds: 100 } as MemberMetrics,
    };
    script.push(refused, refused);
    follow([target()], 'moving');
    await clock.run(0);
    expect(sampler.sample(FIRST)).to.deep.include({ metrics: undefined, rate: undefined });
    const [first] = sampler.facts(KEY);
    expect([first?.last.figures.upSeconds, first?.last.shown, first?.generation]).to.deep.equal([
      100,
      undefined,
      undefined,
    ]);
    expect(first?.bornAtMs).to.be.a('number');
    await end();
  });

  it('keeps the start of a joining member and reports when it serves', async () => {
    const { follow, clock, script, sampler, changes, kind, end } = rig();
    const metrics = { isFresh: true } as Extract<ProbeResult, { kind: 'joining' }>['metrics'];
    script.push({ kind: 'joining', metrics }, { kind: 'joining', metrics });
    const startMs = clock.nowMs();
    follow();
    await clock.run(1_500);
    expect(sampler.sample(FIRST).answer).to.deep.equal({ kind: 'joining', sinceMs: startMs });
    await clock.run(1_000);
    expect([kind(), changes.length]).to.deep.equal(['serving', 2]);
    await end();
  });

  it('leaves no timer when it is stopped in the middle of a question', async () => {
    const { follow, clock, script, end } = rig();
    const late = Promise.withResolvers<ProbeResult>();
    script.push(late.promise);
    follow([target(0), target(1)]);
    await clock.run(0);
    const ended = end();
    late.resolve(SERVING);
    await ended;
  });
});
