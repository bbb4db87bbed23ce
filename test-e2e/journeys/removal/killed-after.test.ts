// The operator dies after the point of no return of a removal: nothing can be undone any more, and it is finished.
// Runs first: it is three removals one after the other.

import { after, before, describe } from 'mocha';
import { clusterHandle } from '../../support/cluster-handle.ts';
import { killAtEach } from '../../support/killing.ts';
import type { Ledger } from '../../support/ledger.ts';
import { withWorld } from '../../support/world.ts';

describe('an operator that is killed after it has deleted a node', function () {
  this.timeout(120_000);
  // One identity for all lives, as a restarted container has it: it takes its own lease back at once.
  const world = withWorld({ before, after }, { operator: { extraEnv: { POD_UID: 'journey' } } });
  const cluster = clusterHandle(world, 'killed-after');
  let ledger: Ledger;

  before(async function () {
    this.timeout(120_000);
    await cluster.create(6);
    ledger = await cluster.writtenLedger();
  });

  killAtEach(
    [
      'when it has deleted the MarekvsNode',
      'when the Pod is ending',
      'when the node is gone and its absence is being proven',
    ],
    world,
    cluster,
    () => ledger,
  );
});
