// How slots of a replica end when its lease does, before what it had given up is over.
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { silentLogger } from '../src/log/logger.ts';
import { createHeldSlots } from '../src/sharing/slots/held-slots.ts';
import { createManualClock } from './support/manual-clock.ts';

describe('what is under way in slots that were given up', () => {
  it('ends when the lease does, and has no part in the next term', async () => {
    const clock = createManualClock();
    let leftMs = 9_000;
    const lease = { left: () => leftMs, signal: new AbortController().signal };
    const held = createHeldSlots({
      part: { hold: () => Promise.resolve(), settled: () => new Promise(() => {}), letGo: () => {} },
      leaseGrant: () => (leftMs > 0 ? lease : undefined),
      clock,
      logger: silentLogger,
      onCount: () => {},
      onChange: () => {},
      onSettled: () => {},
    });
    held.take([7], (slots) => slots);
    await clock.run(1);
    const grant = held.grant(7);
    held.letGo([7], 'they belong to somebody else', false);
    expect(grant?.left()).to.equal(9_000);
    leftMs = 0;
    held.letGo([], 'the lease is over', true);
    leftMs = 9_000;
    expect(grant?.left()).to.equal(0);
  });
});
