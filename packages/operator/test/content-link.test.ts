// One member of a comparison: which questions it is asked, and which failures count as its own.

import { EMPTY_DIGEST } from '@marekvs/api';
import type { ContentQuestion } from '@marekvs/planner';
import { type ContentReader, StoreProtocolError, StoreUnreachableError } from '@marekvs/store-client';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createContentLink, UNUSED_MS } from '../src/comparisons/content-link.ts';
import { comparedMember } from './support/fake-comparison.ts';

const DIGESTS: ContentQuestion = { kind: 'digests', nodeId: 3, partitions: [7, 8] };
const RECORDS: ContentQuestion = { kind: 'records', nodeId: 3, partition: 7, bucket: 9, hashes: [11n, 12n] };
const STORED = { key: Uint8Array.of(1), value: Uint8Array.of(2) };
const timeout = () => new StoreUnreachableError('timeout', 'no answer');

/** Member 3, and every call as `name ...arguments limit`. */
function linked(change: Partial<ContentReader> = {}, onOpen: () => void = () => {}, isPaced = false) {
  const clock = createManualClock();
  const calls: unknown[][] = [];
  const reader: ContentReader = {
    async digests(partitions, options) {
      calls.push(['digests', partitions, options?.timeoutMs]);
      return partitions.map(() => EMPTY_DIGEST);
    },
    async entries(partition, buckets, own, options) {
      calls.push(['entries', partition, buckets, own, options?.timeoutMs]);
      return new Map([[1, []]]);
    },
    async records(partition, bucket, hashes, options) {
      calls.push(['records', partition, bucket, hashes, options?.timeoutMs]);
      return [STORED];
    },
    stream: () => Promise.resolve(undefined),
    close: () => void calls.push(['close']),
    ...change,
  };
  const link = createContentLink({
    client: {
      async open(address, options) {
        calls.push(['open', address, options.nodeId, options.timeoutMs]);
        onOpen();
        return reader;
      },
    },
    clock,
    random: () => 0,
    member: comparedMember(3),
    isPaced,
  });
  const { signal } = new AbortController();
  return { clock, link, calls, ask: (question: ContentQuestion) => link.ask(question, signal) };
}

describe('the link to a member whose contents are read', () => {
  it('asks what the planner says, every call with a limit, and addresses the member by its id', async () => {
    const { ask, calls } = linked();
    expect(await ask(DIGESTS)).to.deep.equal({ kind: 'digests', digests: [EMPTY_DIGEST, EMPTY_DIGEST] });
    const entries = await ask({ kind: 'entries', nodeId: 3, partition: 7, buckets: [1], own: EMPTY_DIGEST });
    expect(entries).to.deep.equal({ kind: 'entries', entries: new Map([[1, []]]) });
    expect(await ask(RECORDS)).to.deep.equal({ kind: 'records', records: [STORED] });
    expect(calls).to.deep.equal([
      ['open', { host: '127.0.1.3' }, 3, 5_000],
      ['digests', [7, 8], 30_000],
      ['entries', 7, [1], EMPTY_DIGEST, 30_000],
      ['records', 7, 9, [11n, 12n], 10_000],
    ]);
  });

  it('does not count against the member that records never come, since they may be larger than a frame', async () => {
    const { ask, link, clock, calls } = linked({ records: () => Promise.reject(timeout()) });
    for (let i = 0; i < 5; i += 1) {
      expect(await ask(RECORDS)).to.deep.equal({ kind: 'failed' });
      expect(link.pausedUntilMs).to.equal(clock.steadyMs() + 1_000);
      await clock.run(1_000);
    }
    expect(link.problem).to.equal(undefined);
    // The connection cannot be used any more.
    expect(calls.filter(([name]) => name === 'close')).to.have.lengthOf(5);
  });

  it('does not add up invalid answers across usable ones', async () => {
    let asked = 0;
    const { ask, link } = linked({
      async digests(partitions) {
        asked += 1;
        if (asked % 2 === 1) throw new StoreProtocolError('garbage');
        return partitions.map(() => EMPTY_DIGEST);
      },
    });
    for (let i = 0; i < 6; i += 1) {
      await ask(DIGESTS);
      expect(link.problem).to.equal(undefined);
    }
  });

  it('counts against the member that it cannot be reached, or does not answer about its digests', async () => {
    const unreachable = linked({}, () => {
      throw timeout();
    });
    const silent = linked({ digests: () => Promise.reject(timeout()) });
    for (const [{ ask, link }, question] of [
      [unreachable, RECORDS],
      [silent, DIGESTS],
    ] as const) {
      for (let i = 0; i < 3; i += 1) {
        expect(link.problem).to.equal(undefined);
        await ask(question);
      }
      expect(link.problem).to.equal('no answer');
    }
  });

  it('asks the member nothing when only others are to have their turn', async () => {
    const { ask, calls } = linked();
    expect(await ask({ kind: 'turn', nodeId: 3 })).to.deep.equal({ kind: 'turn' });
    expect(calls).to.deep.equal([]);
  });

  it('counts nothing after it was stopped, and closes what opens too late', async () => {
    const stop = new AbortController();
    const { link, calls } = linked({}, () => stop.abort());
    expect(await link.ask(DIGESTS, stop.signal)).to.deep.equal({ kind: 'failed' });
    expect(calls.map(([name]) => name)).to.deep.equal(['open', 'close']);
    expect([link.problem, link.pausedUntilMs]).to.deep.equal([undefined, 0]);
  });

  it('closes a connection that was unused for ten seconds, and opens another one with the next question', async () => {
    const { ask, calls, clock, link } = linked();
    await ask(DIGESTS);
    clock.advance(UNUSED_MS);
    link.rest();
    expect(namesOf(calls)).to.deep.equal(['open', 'digests']);
    clock.advance(1);
    link.rest();
    link.rest();
    await ask(DIGESTS);
    expect(namesOf(calls)).to.deep.equal(['open', 'digests', 'close', 'open', 'digests']);
  });

  it('closes the connection for a pause of more than ten seconds, in which the member would be read for nothing', async () => {
    let tookMs = 0;
    const change: Partial<ContentReader> = {
      async digests(partitions) {
        clock.advance(tookMs);
        return partitions.map(() => EMPTY_DIGEST);
      },
    };
    const { ask, calls, clock, link } = linked(change, () => {}, true);
    const wide: ContentQuestion = { ...DIGESTS, partitions: Array.from({ length: 64 }, (_, partition) => partition) };
    await ask(wide);
    expect([link.pausedUntilMs - clock.steadyMs(), namesOf(calls)]).to.deep.equal([8_000, ['open']]);
    tookMs = 1_001;
    await ask(wide);
    expect([link.pausedUntilMs - clock.steadyMs(), namesOf(calls)]).to.deep.equal([16_000, ['open', 'close']]);
  });
});

const namesOf = (calls: readonly (readonly unknown[])[]) => calls.map(([name]) => name);
