// From 5 to 3 while clients write all the time: the records of the target are on their other homes at the first scans
// or a second later.

import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { clusterHandle } from '../../support/cluster-handle.ts';
import { eventually } from '../../support/eventually.ts';
import type { Ledger } from '../../support/ledger.ts';
import { expectDetached, expectOneEventEach, expectRemovals } from '../../support/removal-claims.ts';
import type { RemovalLog } from '../../support/removal-log.ts';
import { withWorld } from '../../support/world.ts';

const NS = 'under-load';
const CONTENTS = { name: 'contents', passed: true };

describe('a cluster that is scaled from 5 to 3 while clients write', function () {
  this.timeout(180_000);
  // One process per member, so that members copy to each other over a network.
  const world = withWorld({ before, after }, { runner: 'process' });
  const cluster = clusterHandle(world, NS);
  let ledger: Ledger;
  let log: RemovalLog;

  before(async function () {
    this.timeout(120_000);
    await cluster.create(5);
    ledger = await cluster.ledger();
    log = await cluster.log();
  });
  after(async () => {
    await ledger?.stop();
    log?.stop();
  });

  it('removes demo-4 and then demo-3 by proof, and clients write on', async () => {
    await cluster.scale(3);
    await cluster.healthy(3, 170_000);
    const atHealthy = ledger.acknowledged();
    await eventually('clients still write', () => ledger.acknowledged() > atHealthy + 100);
    await expectRemovals(log, ['demo-4', 'demo-3']);
    for (const { proof, target } of log.ended()) {
      expect(proof?.pre?.inputs, target?.name).to.deep.include.members([
        { ...CONTENTS, value: '4,096 partitions covered' },
      ]);
      expect(
        proof?.post?.inputs?.map(({ name }) => name),
        target?.name,
      ).to.include(CONTENTS.name);
    }
  });

  it('has every acknowledged write on every home that is left', async () => {
    process.stdout.write(`      ${await ledger.stop()}\n`);
    await ledger.check([0, 1, 2]);
  });

  it('keeps both volumes and reports each removal in one event', async () => {
    await expectDetached(world(), NS, 'demo', [3, 4]);
    await expectOneEventEach(world(), NS, ['demo-4', 'demo-3']);
  });
});
