// What a hundred clusters cost: the same measurements as `npm run bench:api`, held to their limits.
// Runs alone: it measures times, CPU and memory.

import { withTestbed } from '@marekvs/testbed';
import { after, before, describe, it } from 'mocha';
import { measureCreation, measureIdle, measureReaction, measureRestart, measureTouches } from '../bench/fleet.ts';
import type { World } from '../bench/single-cluster.ts';
import { createKube } from '../support/kube.ts';
import { expectWithinLimits } from '../support/limits.ts';

const CLUSTERS = 100;

describe(`${CLUSTERS} clusters of 3 hollow members`, function () {
  this.timeout(180_000);
  const testbed = withTestbed({ before, after }, { runner: 'hollow', operator: true });
  const world = (): World => ({ testbed: testbed(), kube: createKube(testbed().kubeconfigs.admin) });

  it('are all ready, within their budget of requests', async () => {
    expectWithinLimits(await measureCreation(world(), CLUSTERS));
  });

  it('cost nothing while they are idle', async () => {
    expectWithinLimits((await measureIdle(world(), 30, 0)).figures);
  });

  it('are checked without a write after a restart of the operator', async () => {
    expectWithinLimits(await measureRestart(world(), CLUSTERS));
  });

  it('take 100 touched labels a second without a write', async () => {
    expectWithinLimits(await measureTouches(world(), CLUSTERS, 10));
  });

  it('see a changed spec acted on', async () => {
    expectWithinLimits(await measureReaction(world(), 20));
  });
});
