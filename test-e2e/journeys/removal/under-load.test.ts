// From 5 to 3 while clients write all the time: the bounded proof, which allows no more repairs than a healthy cluster has.

import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { clusterHandle } from '../../support/cluster-handle.ts';
import { eventually } from '../../support/eventually.ts';
import type { Ledger } from '../../support/ledger.ts';
import { expectDetached, expectOneEventEach, expectRemovals } from '../../support/removal-claims.ts';
import type { RemovalLog } from '../../support/removal-log.ts';
import { withWorld } from '../../support/world.ts';

const NS = 'under-load';

describe('a cluster that is scaled from 5 to 3 while clients write', function () {
  this.timeout(180_000);
  const world = withWorld({ before, after });
  const cluster = clusterHandle(world, NS);
  let ledger: Ledger;
  let log: RemovalLog;

  before(async function () {
    this.timeout(120_000);
    await cluster.create(5, { removal: { proof: 'Bounded', audit: true, deadlineSeconds: 3600 } });
    ledger = await cluster.ledger();
    log = await cluster.log();
  });
  after(async () => {
    await ledger?.stop();
    log?.stop();
  });

  it('removes demo-4 and then demo-3 on bounded proofs, and clients write on', async () => {
    await cluster.scale(3);
    await cluster.healthy(3, 170_000);
    const atHealthy = ledger.acknowledged();
    await eventually('clients still write', () => ledger.acknowledged() > atHealthy + 100);
    await expectRemovals(log, ['demo-4', 'demo-3']);
    for (const { proof, target } of log.ended()) {
      expect(proof?.pre, target?.name).to.include({ tier: 'Bounded', audited: true });
      expect(proof?.post, target?.name).to.include({ tier: 'Bounded', audited: true });
    }
  });

  it('stored the bounds it judged by with each operation, none above the cap', () => {
    for (const { target, records } of log.operations()) {
      const bounds = Object.entries(records.at(-1)?.baselines ?? {}).filter(([name]) => name.startsWith('bound/'));
      expect(bounds.length, `bounds for ${target}`).to.be.at.least(1);
      for (const [name, bound] of bounds) expect(Number(bound), `${target} ${name}`).to.be.within(10, 100);
    }
  });

  it('has every acknowledged write on every home that is left', async () => {
    process.stdout.write(`      ${await ledger.stop()}\n`);
    await ledger.check([0, 1, 2]);
  });

  it('keeps both volumes and tells of each removal in one event', async () => {
    await expectDetached(world(), NS, 'demo', [3, 4]);
    await expectOneEventEach(world(), NS, ['demo-4', 'demo-3']);
  });
});
