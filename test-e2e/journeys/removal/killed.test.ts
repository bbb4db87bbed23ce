// F38: the operator dies by SIGKILL at every phase of one removal, nine times in all, and is started again each time.
// Exactly one node leaves, the one that was chosen first, and no acknowledged write is missing. A death at every single
// write, each in a removal of its own, is tested in the deterministic world (packages/reliability).
// Runs first: every death costs the evidence gathered so far.

import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { clusterHandle } from '../../support/cluster-handle.ts';
import type { Ledger } from '../../support/ledger.ts';
import { followDeletes } from '../../support/operator-deletes.ts';
import { expectRemovals } from '../../support/removal-claims.ts';
import { MOMENTS, MOMENTS_OF_ENDING, type Moment } from '../../support/removal-moments.ts';
import { withWorld } from '../../support/world.ts';

const IN_ORDER: readonly Moment[] = [
  'when it has claimed the operation',
  'when it has marked the node as leaving',
  'when the member has handed its clients over',
  'when it has permitted to close the door',
  'when it has made the Pod with the closed door',
  'when it has stored the proof',
  'when it has deleted the MarekvsNode',
  'when the Pod is ending',
  'when the node is gone and its absence is being proven',
];

describe('an operator that is killed at every phase of a removal', function () {
  this.timeout(180_000);
  // One identity for all lives, as a restarted container has it: it takes its own lease back at once.
  const world = withWorld({ before, after }, { operator: { extraEnv: { POD_UID: 'journey' } } });
  const cluster = clusterHandle(world, 'killed');
  let ledger: Ledger;

  before(async function () {
    this.timeout(120_000);
    await cluster.create(5);
    ledger = await cluster.writtenLedger();
  });

  it('leaves a removal that its ninth successor finishes, once (F38)', async () => {
    const { testbed } = world();
    const name = `${cluster.name}-4`;
    const pod = `${cluster.namespace}/${name}`;
    const log = await cluster.log();
    const deletes = await followDeletes(testbed);
    await cluster.scale(4);
    for (const moment of IN_ORDER) {
      // From now on the end of its Pod is its last one.
      if (moment === 'when it has stored the proof') testbed.kubelet.holdTermination(pod);
      if (!isBeforeOrInEnding(moment)) testbed.kubelet.releaseTermination(pod);
      await MOMENTS[moment]({ world: world(), cluster, log, target: 4, survivor: 0 });
      await testbed.operator.kill();
      await testbed.operator.restart();
    }
    await cluster.healthy(4, 110_000);
    await expectRemovals(log, [name]);
    log.stop();
    expect(await deletes.nodes(cluster.namespace)).to.deep.equal([name]);
    expect(await deletes.claims(cluster.namespace)).to.deep.equal([]);
    expect(await cluster.nodeNames()).to.deep.equal([0, 1, 2, 3].map((id) => `${cluster.name}-${id}`));
    await ledger.check([0, 1, 2, 3]);
  });
});

/** The Pod is held until it has been seen ending. */
function isBeforeOrInEnding(moment: Moment): boolean {
  const last = Math.max(...MOMENTS_OF_ENDING.map((one) => IN_ORDER.indexOf(one)));
  return IN_ORDER.indexOf(moment) <= last;
}
