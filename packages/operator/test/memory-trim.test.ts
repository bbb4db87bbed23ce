import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { collectGarbage, createMemoryTrim } from '../src/process/memory-trim.ts';

const MINUTE_MS = 60_000;

describe('memory that a burst of passes has left', () => {
  const clock = createManualClock();
  let ending: AbortController;
  let ended: Promise<unknown>;
  let passes: number;
  let isIdle: boolean;
  let collections: number;

  beforeEach(() => {
    ending = new AbortController();
    passes = 0;
    isIdle = true;
    collections = 0;
    const trim = createMemoryTrim(
      () => passes,
      () => isIdle,
      clock,
      () => {
        collections += 1;
      },
    );
    ended = trim.run(ending.signal);
  });
  afterEach(async () => {
    ending.abort();
    await ended;
  });

  it('is given back once no pass runs', () => {
    passes = 100;
    isIdle = false;
    clock.advance(MINUTE_MS);
    expect(collections).to.equal(0);
    isIdle = true;
    clock.advance(MINUTE_MS);
    expect(collections).to.equal(1);
  });

  it('is not worth a collection after few passes, nor when it has not grown since the last one', () => {
    passes = 99;
    clock.advance(MINUTE_MS);
    expect(collections).to.equal(0);
    passes = 100;
    clock.advance(MINUTE_MS);
    expect(collections).to.equal(1);
    passes = 200;
    clock.advance(MINUTE_MS);
    expect(collections).to.equal(1);
  });

  it('is collected, whatever the process was started with', async () => {
    const waste = new WeakRef({});
    // An object is kept for the turn of the event loop in which it was made.
    await new Promise((done) => setImmediate(done));
    collectGarbage();
    expect(waste.deref()).to.equal(undefined);
  });
});
