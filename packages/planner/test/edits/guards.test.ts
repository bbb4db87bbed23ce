// Every guard in the table is needed: its sequence ends badly without it, and well with it.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { GUARDS, liveWithout } from './guards.ts';
import { live } from './life.ts';

describe('a missing guard that made-up edits have found', () => {
  for (const guard of GUARDS)
    it(`${guard.name}: ${guard.without}`, async () => {
      live(guard.sequence);
      const run = await liveWithout(guard);
      expect(() => run(guard.sequence)).to.throw(guard.found);
    });
});
