// From 3 to 8 in one jump and back to 3 one by one: five proofs in a row, each on what the one before has left.
// Runs first: it takes more than two minutes.

import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { clusterHandle } from '../../support/cluster-handle.ts';
import type { Ledger } from '../../support/ledger.ts';
import { expectDetached, expectOneEventEach, expectRemovals } from '../../support/removal-claims.ts';
import type { RemovalLog } from '../../support/removal-log.ts';
import { withWorld } from '../../support/world.ts';

const NS = 'far';
const NAMES = ['demo-7', 'demo-6', 'demo-5', 'demo-4', 'demo-3'];

describe('a cluster that is scaled from 3 to 8 and back', function () {
  this.timeout(240_000);
  const world = withWorld({ before, after });
  const cluster = clusterHandle(world, NS);
  const ledgers: Ledger[] = [];
  let log: RemovalLog | undefined;

  before(async function () {
    this.timeout(120_000);
    await cluster.create(3);
    ledgers.push(await cluster.writtenLedger());
  });
  after(() => log?.stop());

  it('has every acknowledged write on its homes among the 8', async () => {
    await cluster.scale(8);
    await cluster.healthy(8);
    await ledgers[0]?.check([0, 1, 2, 3, 4, 5, 6, 7], 30_000);
  });

  it('removes five nodes in five removals and loses no acknowledged write, neither an old one nor a new one', async () => {
    log = await cluster.log();
    ledgers.push(await cluster.ledger({ prefix: 'later', perSecond: 600 }));
    await ledgers[1]?.stop();
    await cluster.scale(3);
    await cluster.healthy(3, 230_000);
    await expectRemovals(log, NAMES);
    expect(await cluster.nodeNames()).to.deep.equal(['demo-0', 'demo-1', 'demo-2']);
    for (const ledger of ledgers) await ledger.check([0, 1, 2]);
  });

  it('keeps all five volumes and reports each removal in one event', async () => {
    await expectDetached(world(), NS, 'demo', [3, 4, 5, 6, 7]);
    await expectOneEventEach(world(), NS, NAMES);
  });
});
