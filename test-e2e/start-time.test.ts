// How long a control plane takes to start.
// Runs alone: that is what it measures.
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { obtainControlPlane, startControlPlane } from '@marekvs/testbed';
import { expect } from 'chai';
import { describe, it } from 'mocha';

const LIMIT_MS = 6000;
/** The best of so many: this machine may do something else as well. */
const ROUNDS = 2;

describe('the control plane', () => {
  it('is ready to take requests within 6 s when nothing else runs', async function () {
    this.timeout(60_000);
    const programs = await obtainControlPlane();
    const times: number[] = [];
    while (times.length < ROUNDS && !times.some((ms) => ms <= LIMIT_MS)) {
      const dir = join(tmpdir(), `marekvs-cp-${process.pid}-${times.length}`);
      const startedAt = performance.now();
      const controlPlane = await startControlPlane({ dir, programs });
      times.push(performance.now() - startedAt);
      await controlPlane.stop();
      await rm(dir, { recursive: true, force: true, maxRetries: 5 });
    }
    expect(Math.min(...times)).to.be.at.most(LIMIT_MS);
  });
});
