// How long a control plane takes to start. It is printed, because it says as much of the machine as of us.
// Runs alone: that is what it measures.
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { obtainControlPlane, startControlPlane } from '@marekvs/testbed';
import { expect } from 'chai';
import { describe, it } from 'mocha';

describe('the control plane', () => {
  it('takes requests once it calls itself started', async function () {
    this.timeout(60_000);
    const programs = await obtainControlPlane();
    const dir = join(tmpdir(), `marekvs-cp-${process.pid}`);
    const startedAt = performance.now();
    const controlPlane = await startControlPlane({ dir, programs });
    const tookMs = performance.now() - startedAt;
    try {
      const ask = { verb: 'get', path: '/version', resource: 'version', subject: 'version' } as const;
      const { major } = await controlPlane.admin.request<{ readonly major?: string }>(ask);
      expect(major).to.be.a('string');
    } finally {
      await controlPlane.stop();
      await rm(dir, { recursive: true, force: true, maxRetries: 5 });
    }
    process.stdout.write(`      ready after ${tookMs.toFixed(0)} ms\n`);
  });
});
