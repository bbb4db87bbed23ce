import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createQueue, type QueueOptions, type WorkQueue } from '../src/queue/queue.ts';
import { createManualClock, type ManualClock } from './support/manual-clock.ts';

function setUp(options: Partial<QueueOptions> = {}): { clock: ManualClock; queue: WorkQueue } {
  const clock = createManualClock();
  return { clock, queue: createQueue({ clock, backoff: { jitter: 0 }, ...options }) };
}

/** Takes and finishes until nothing is startable. */
function drain(queue: WorkQueue): string[] {
  const keys: string[] = [];
  for (let taken = queue.take(); taken !== undefined; taken = queue.take()) {
    keys.push(taken.key);
    queue.done(taken.key);
  }
  return keys;
}

describe('work queue', () => {
  it('holds a key once however often it is added', () => {
    const { queue } = setUp();
    for (let i = 0; i < 10; i++) queue.add('ns/a');
    expect(drain(queue)).to.deep.equal(['ns/a']);
  });

  it('never runs one key twice at once, and runs it again when it was added meanwhile', () => {
    const { clock, queue } = setUp();
    queue.add('ns/a');
    expect(queue.take()?.key).to.equal('ns/a');
    queue.add('ns/a');
    clock.advance(1000);
    expect(queue.take()).to.equal(undefined);
    queue.done('ns/a');
    expect(queue.take()?.key).to.equal('ns/a');
  });

  it('refuses the end of a run that was not started', () => {
    const { queue } = setUp();
    queue.add('ns/a');
    expect(() => queue.done('ns/a')).to.throw(/ns\/a: it is not running/);
    expect(() => queue.retry('ns/b')).to.throw(/ns\/b: it is not running/);
  });

  it('starts the first of a burst at once and the rest as one run 200 ms after that start', () => {
    const { clock, queue } = setUp();
    queue.add('ns/a');
    expect(drain(queue)).to.deep.equal(['ns/a']);
    for (let i = 0; i < 50; i++) {
      clock.advance(3);
      queue.add('ns/a');
    }
    expect(drain(queue)).to.deep.equal([]);
    clock.advance(49);
    expect(drain(queue)).to.deep.equal([]);
    clock.advance(1);
    expect(drain(queue)).to.deep.equal(['ns/a']);
    clock.advance(10_000);
    expect(drain(queue)).to.deep.equal([]);
  });

  it('keeps the earliest of several delays', () => {
    const { clock, queue } = setUp();
    queue.add('ns/a', { afterMs: 5000 });
    queue.add('ns/a', { afterMs: 1000 });
    queue.add('ns/a', { afterMs: 9000 });
    clock.advance(999);
    expect(drain(queue)).to.deep.equal([]);
    clock.advance(1);
    expect(drain(queue)).to.deep.equal(['ns/a']);
    clock.advance(20_000);
    expect(drain(queue)).to.deep.equal([]);
  });

  it('has one timer for ten thousand delays', () => {
    const { clock, queue } = setUp();
    for (let i = 0; i < 10_000; i++) queue.add(`ns/${i}`, { afterMs: 1000 + ((i * 7919) % 10_000) });
    expect(clock.pendingTimers).to.equal(1);
    clock.advance(6000);
    expect(clock.pendingTimers).to.equal(1);
    expect(queue.stats().high).to.equal(5001);
  });

  it('doubles the delay of a failing key from 50 ms to 5 min, and starts over after a success', () => {
    const { clock, queue } = setUp({ minIntervalMs: 0 });
    const delays: number[] = [];
    queue.add('ns/a');
    for (let i = 0; i < 15; i++) {
      queue.take();
      const delayMs = queue.retry('ns/a');
      delays.push(delayMs);
      clock.advance(delayMs - 1);
      expect(queue.take()).to.equal(undefined);
      clock.advance(1);
    }
    expect(delays.slice(0, 4)).to.deep.equal([50, 100, 200, 400]);
    expect(delays.slice(-2)).to.deep.equal([300_000, 300_000]);
    expect(queue.take()?.failures).to.equal(15);
    queue.done('ns/a');
    queue.add('ns/a');
    queue.take();
    expect(queue.retry('ns/a')).to.equal(50);
  });

  it('shortens the backoff by up to a fifth at random', () => {
    const delays = [0, 0.5, 1].map((random) => {
      const { queue } = setUp({ backoff: { random: () => random } });
      queue.add('ns/a');
      queue.take();
      return queue.retry('ns/a');
    });
    expect(delays).to.deep.equal([50, 45, 40]);
  });

  it('lets an event shorten a long backoff to 2 s after the last start, and no further', () => {
    const { clock, queue } = setUp();
    queue.add('ns/a');
    for (let i = 0; i < 12; i++) {
      clock.advance(300_000);
      queue.take();
      queue.retry('ns/a');
    }
    queue.add('ns/a');
    clock.advance(1999);
    expect(drain(queue)).to.deep.equal([]);
    clock.advance(1);
    expect(drain(queue)).to.deep.equal(['ns/a']);
  });

  it('does not delay an event during a failing run by the long backoff after it', () => {
    const { clock, queue } = setUp();
    queue.add('ns/a');
    for (let i = 0; i < 12; i++) {
      clock.advance(300_000);
      queue.take();
      if (i === 11) queue.add('ns/a');
      queue.retry('ns/a');
    }
    clock.advance(1999);
    expect(drain(queue)).to.deep.equal([]);
    clock.advance(1);
    expect(drain(queue)).to.deep.equal(['ns/a']);
  });

  it('lets a key in backoff delay no other', () => {
    const { queue } = setUp({ concurrency: 1 });
    queue.add('ns/broken');
    queue.take();
    queue.retry('ns/broken');
    queue.add('ns/fine');
    expect(drain(queue)).to.deep.equal(['ns/fine']);
  });

  it('runs keys of high priority first, and a low key that is added as high with those', () => {
    const { queue } = setUp();
    queue.add('ns/low-1', { priority: 'low' });
    queue.add('ns/low-2', { priority: 'low' });
    queue.add('ns/high');
    queue.add('ns/low-2');
    expect(drain(queue)).to.deep.equal(['ns/high', 'ns/low-2', 'ns/low-1']);
  });

  it('raises a low key to high after 1 s', () => {
    const { clock, queue } = setUp();
    queue.add('ns/old', { priority: 'low' });
    clock.advance(1000);
    queue.add('ns/new');
    // Promoted behind the keys that are high already, ahead of all later ones.
    queue.take();
    queue.add('ns/newer');
    expect(queue.take()?.key).to.equal('ns/old');
  });

  it('takes groups in turn: a tenant with a thousand keys delays another by one of them', () => {
    const { queue } = setUp({ concurrency: 1 });
    for (let i = 0; i < 1000; i++) queue.add(`big/${i}`);
    queue.add('small/a');
    queue.add('small/b');
    expect(drain(queue).slice(0, 4)).to.deep.equal(['big/0', 'small/a', 'big/1', 'small/b']);
  });

  it('keeps slots for others while 50 keys of one tenant hang', () => {
    const { queue } = setUp({ concurrency: 16 });
    for (let i = 0; i < 50; i++) queue.add(`broken/${i}`);
    let hanging = 0;
    while (queue.take() !== undefined) hanging++;
    expect(hanging).to.equal(12);
    queue.add('healthy/a');
    expect(queue.take()?.key).to.equal('healthy/a');
  });

  it('keeps a slot for a healthy tenant while two tenants hang', () => {
    const { queue } = setUp({ concurrency: 16 });
    for (let i = 0; i < 50; i++) for (const ns of ['broken-1', 'broken-2']) queue.add(`${ns}/${i}`);
    while (queue.take() !== undefined) {}
    queue.add('healthy/a');
    expect(queue.take()?.key).to.equal('healthy/a');
  });

  it('starts each of 10,000 listed keys within the bound under constant churn beyond its capacity (F20)', () => {
    const { clock, queue } = setUp({ concurrency: 4, minIntervalMs: 0 });
    const listed = new Set<string>();
    for (let i = 0; i < 10_000; i++) {
      listed.add(`ns-${i % 40}/${i}`);
      queue.add(`ns-${i % 40}/${i}`, { priority: 'low' });
    }
    // 4 starts a millisecond, 6 events a millisecond.
    let hot = 0;
    for (; listed.size > 0 && clock.steadyMs() < 60_000; clock.advance(1)) {
      for (let i = 0; i < 6; i++) queue.add(`hot-${hot % 3}/${hot++ % 2000}`);
      for (let i = 0; i < 4; i++) {
        const taken = queue.take();
        if (taken === undefined) continue;
        listed.delete(taken.key);
        queue.done(taken.key);
      }
    }
    expect(listed.size).to.equal(0);
    // maxWait, and then half of the starts go to the oldest: 10 s + 10,000 / 2 per ms.
    expect(clock.steadyMs()).to.be.below(10_000 + 5000 + 100);
  });

  it('gives the oldest key every second start once it waited 10 s, even against a stream of its own group', () => {
    const { clock, queue } = setUp({ concurrency: 1, minIntervalMs: 0, ageAfterMs: 1e9 });
    queue.add('ns/old', { priority: 'low' });
    const startedAtMs = ((): number | undefined => {
      for (; clock.steadyMs() < 20_000; clock.advance(1)) {
        queue.add(`ns/${clock.steadyMs()}`);
        const taken = queue.take();
        if (taken?.key === 'ns/old') return clock.steadyMs();
        if (taken !== undefined) queue.done(taken.key);
      }
      return undefined;
    })();
    expect(startedAtMs).to.be.within(10_000, 10_001);
  });

  it('does not grow while low keys come and go under a stream of high ones', () => {
    const { clock, queue } = setUp({ concurrency: 1, minIntervalMs: 0 });
    for (let i = 0; i < 20_000; i++) {
      queue.add(`ns/low-${i % 10}`, { priority: 'low' });
      queue.add(`ns/high-${i % 10}`);
      const taken = queue.take();
      if (taken !== undefined) queue.done(taken.key);
      clock.advance(1);
    }
    expect(queue.size).to.be.at.most(20);
  });

  for (const minIntervalMs of [0, 200])
    it(`keeps nothing of keys that came and went, ${minIntervalMs} ms between two starts of one (F64)`, () => {
      const { clock, queue } = setUp({ concurrency: 1, minIntervalMs });
      for (let i = 0; i < 5_000; i++) {
        queue.add(`ns-${i}/key`);
        const taken = queue.take();
        if (taken !== undefined) queue.done(taken.key);
        clock.advance(1);
      }
      expect(queue.size).to.be.at.most(minIntervalMs + 1);
    });

  it('reports wait, depth and oldest', () => {
    const waits: number[] = [];
    const { clock, queue } = setUp({ hooks: { started: (waitMs) => waits.push(waitMs) } });
    queue.add('ns/a');
    queue.add('ns/b', { priority: 'low' });
    queue.add('ns/c', { afterMs: 60_000 });
    clock.advance(30);
    expect(queue.stats()).to.deep.equal({ high: 1, low: 1, delayed: 1, running: 0, oldestWaitMs: 30 });
    expect(queue.take()?.waitMs).to.equal(30);
    expect(waits).to.deep.equal([30]);
  });

  it('forgets keys that wait, are delayed, or are to run again, and no others', () => {
    const { clock, queue } = setUp({ concurrency: 4 });
    for (const key of ['gone/running', 'stays/a']) queue.add(key);
    queue.take();
    queue.take();
    queue.add('gone/running');
    queue.add('gone/waiting', { priority: 'low' });
    queue.add('gone/delayed', { afterMs: 60_000 });
    queue.add('stays/b');
    queue.forget((key) => key.startsWith('gone/'));
    expect(queue.stats()).to.deep.equal({ high: 1, low: 0, delayed: 0, running: 2, oldestWaitMs: 0 });
    queue.done('gone/running');
    queue.done('stays/a');
    clock.advance(120_000);
    expect(drain(queue)).to.deep.equal(['stays/b']);
    expect(clock.pendingTimers).to.equal(0);
    queue.add('gone/waiting');
    expect(drain(queue)).to.deep.equal(['gone/waiting']);
  });

  it('starts nothing after close, keeps no timer, and still accepts the end of runs', () => {
    const { clock, queue } = setUp();
    queue.add('ns/a');
    queue.add('ns/b');
    queue.add('ns/c', { afterMs: 1000 });
    queue.take();
    queue.close();
    queue.add('ns/d');
    expect(queue.take()).to.equal(undefined);
    expect(clock.pendingTimers).to.equal(0);
    queue.done('ns/a');
    expect(queue.size).to.equal(0);
  });
});
