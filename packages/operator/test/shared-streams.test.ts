// One stream for each thing that clusters want to follow: begun for the first, ended with the last, and not begun again
// at once when it was refused.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createSharedStreams, type SharedStream } from '../src/background/shared-streams.ts';

function rig() {
  const clock = createManualClock();
  const streams = createSharedStreams(clock);
  /** Does what a follower does: begins a stream where there is none. */
  const begin = (cluster: string, key: string): SharedStream => {
    const there = streams.want(cluster, key);
    if (there !== undefined) return there;
    const made = { clusters: new Set([cluster]), end: new AbortController() };
    streams.put(key, made);
    return made;
  };
  return { clock, streams, begin };
}

describe('a stream that clusters share', () => {
  it('is one for all that want the same, and notifies each of them', () => {
    const { streams, begin } = rig();
    const first = begin('a', 'x');
    expect(begin('b', 'x')).to.equal(first);
    expect([[...first.clusters], streams.size()]).to.deep.equal([['a', 'b'], 1]);
  });

  it('ends when the last of them wants another one, or none', () => {
    const { streams, begin } = rig();
    const first = begin('a', 'x');
    begin('b', 'x');
    begin('a', 'y');
    expect([first.end.signal.aborted, [...first.clusters]]).to.deep.equal([false, ['b']]);
    expect(streams.want('b', undefined)).to.equal(undefined);
    expect([first.end.signal.aborted, streams.size()]).to.deep.equal([true, 1]);
  });

  it('ends for all when it is refused, and may be begun again after ten minutes', async () => {
    const { clock, streams, begin } = rig();
    const first = begin('a', 'x');
    streams.refuse('x', first);
    expect([first.end.signal.aborted, streams.size(), streams.isRefused('x')]).to.deep.equal([true, 0, true]);
    await clock.run(599_999);
    expect(streams.isRefused('x')).to.equal(true);
    await clock.run(1);
    expect([streams.isRefused('x'), streams.wasRefused('x')]).to.deep.equal([false, true]);
    streams.allow('x');
    expect(streams.wasRefused('x')).to.equal(false);
  });

  it('does not end a later one of the same key when it is refused late', () => {
    const { streams, begin } = rig();
    const first = begin('a', 'x');
    streams.want('a', undefined);
    const second = begin('a', 'x');
    streams.refuse('x', first);
    expect([second.end.signal.aborted, streams.want('a', 'x')]).to.deep.equal([false, second]);
  });
});
