// F38: the operator dies by SIGKILL at one moment of each of a series of removals and is started again. Each time exactly one node
// leaves, the one that was chosen, and nothing that was acknowledged is missing.

import { expect } from 'chai';
import { it } from 'mocha';
import type { ClusterHandle } from './cluster-handle.ts';
import type { Ledger } from './ledger.ts';
import { followDeletes } from './operator-deletes.ts';
import { expectRemovals } from './removal-claims.ts';
import { MOMENTS, MOMENTS_OF_ENDING, type Moment } from './removal-moments.ts';
import type { World } from './world.ts';

/** One test per moment; the cluster has one node more than 3 for each. */
export function killAtEach(
  moments: readonly Moment[],
  world: () => World,
  cluster: ClusterHandle,
  ledger: () => Ledger,
): void {
  for (const [index, moment] of moments.entries()) {
    const target = 3 + moments.length - 1 - index;
    it(`F38 ${moment} leaves a removal that its successor finishes once`, async () => {
      const { testbed } = world();
      const { namespace } = cluster;
      const name = `${cluster.name}-${target}`;
      const log = await cluster.log();
      const deletes = await followDeletes(testbed);
      const isHeld = MOMENTS_OF_ENDING.includes(moment);
      if (isHeld) testbed.kubelet.holdTermination(`${namespace}/${name}`);
      await cluster.scale(target);
      await MOMENTS[moment]({ world: world(), cluster, log, target, survivor: 0 });
      await testbed.operator.kill();
      await testbed.operator.restart();
      if (isHeld) testbed.kubelet.releaseTermination(`${namespace}/${name}`);
      await cluster.healthy(target, 110_000);
      await expectRemovals(log, [name]);
      log.stop();
      expect(await deletes.nodes(namespace)).to.deep.equal([name]);
      expect(await deletes.claims(namespace)).to.deep.equal([]);
      const ids = Array.from({ length: target }, (_, id) => id);
      expect(await cluster.nodeNames()).to.deep.equal(ids.map((id) => `${cluster.name}-${id}`));
      await ledger().check(ids);
    });
  }
}
