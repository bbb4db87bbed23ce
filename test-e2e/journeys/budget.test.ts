// What one cluster costs the API server until it is Healthy, and again for a lost Pod: the same measurements as `npm run bench:api`,
// held to their limits. What it costs afterwards: quiet.test.ts.
// Runs alone: members that start late because something else has the CPU take up to a minute longer to form (marekvs.md 11).

import { withTestbed } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { measureForming, measurePodLoss, type World } from '../bench/single-cluster.ts';
import { createKube } from '../support/kube.ts';
import { expectWithinLimits } from '../support/limits.ts';

describe('the API budget of one cluster with real-timer members', function () {
  this.timeout(240_000);
  const testbed = withTestbed({ before, after }, { runner: 'process', operator: true });
  const world = (): World => ({ testbed: testbed(), kube: createKube(testbed().kubeconfigs.admin) });

  it('forms the sample within 31 writes, 45 requests and 15 s of its Pods, and says Healthy only when every member is ready', async () => {
    const forming = await measureForming(world(), 'idle');
    expect(forming.saidHealthyTooEarly).to.equal(false);
    expectWithinLimits(forming.figures);
  });

  it('brings a deleted Pod back on the same volume', async () => {
    expectWithinLimits(await measurePodLoss(world(), 'idle'));
  });
});
