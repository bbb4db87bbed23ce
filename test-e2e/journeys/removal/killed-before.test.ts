// The operator dies before the point of no return of a removal: everything could still be undone, and is finished instead.
// Runs first: it is four removals one after the other.

import { after, before, describe } from 'mocha';
import { clusterHandle } from '../../support/cluster-handle.ts';
import { killAtEach } from '../../support/killing.ts';
import type { Ledger } from '../../support/ledger.ts';
import { withWorld } from '../../support/world.ts';

describe('an operator that is killed before it deletes a node', function () {
  this.timeout(120_000);
  // One identity for all lives, as a restarted container has it: it takes its own lease back at once.
  const world = withWorld({ before, after }, { operator: { extraEnv: { POD_UID: 'journey' } } });
  const cluster = clusterHandle(world, 'killed-before');
  let ledger: Ledger;

  before(async function () {
    this.timeout(120_000);
    await cluster.create(7);
    ledger = await cluster.writtenLedger();
  });

  killAtEach(
    [
      'when it has claimed the operation',
      'when it has marked the node as leaving',
      'when the member has handed its clients over',
      'when it has stored the proof',
    ],
    world,
    cluster,
    () => ledger,
  );
});
