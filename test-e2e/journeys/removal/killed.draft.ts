// F38: the operator dies by SIGKILL in every phase of a removal and is started again. Each time exactly one node leaves, the one that
// was chosen, and nothing that was acknowledged is missing.
// Runs first: it is six removals one after the other.

import type { OperationPhase } from '@marekvs/api';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { clusterHandle } from '../../support/cluster-handle.ts';
import type { Ledger } from '../../support/ledger.ts';
import { followDeletes } from '../../support/operator-deletes.ts';
import { expectRemovals } from '../../support/removal-claims.ts';
import { PHASES } from '../../support/removal-log.ts';
import { withWorld } from '../../support/world.ts';

const NS = 'killed';
const KILLED_AT: readonly OperationPhase[] = ['Claimed', 'Isolating', 'Proving', 'Deleting', 'Departing', 'Settling'];
const LARGEST = 3 + KILLED_AT.length;

describe('an operator that is killed in the middle of a removal', function () {
  this.timeout(120_000);
  // One identity for all lives, as a restarted container has it: it takes its own lease back at once.
  const world = withWorld({ before, after }, { operator: { extraEnv: { POD_UID: 'journey' } } });
  const cluster = clusterHandle(world, NS);
  let ledger: Ledger;

  before(async function () {
    this.timeout(120_000);
    await cluster.create(LARGEST);
    ledger = await cluster.writtenLedger();
  });

  for (const [index, phase] of KILLED_AT.entries()) {
    const left = LARGEST - 1 - index;
    const target = `demo-${left}`;

    it(`at ${phase} finishes with ${target} gone and everybody else in place`, async () => {
      const { testbed } = world();
      const log = await cluster.log();
      const deletes = await followDeletes(testbed);
      // A Pod ends in a moment here; the phase that waits for that would be over before anybody sees it.
      if (phase === 'Departing') testbed.kubelet.holdTermination(`${NS}/${target}`);
      await cluster.scale(left);
      const isReached = PHASES.slice(PHASES.indexOf(phase));
      const at = await log.until(`${target} is at ${phase}`, (operation) => isReached.includes(operation.phase));
      await testbed.operator.kill();
      process.stdout.write(`      killed at ${at.phase}\n`);
      await testbed.operator.restart();
      if (phase === 'Departing') testbed.kubelet.releaseTermination(`${NS}/${target}`);
      await cluster.healthy(left, 110_000);
      log.stop();
      expectRemovals(log, [target]);
      expect(await deletes.nodes(NS)).to.deep.equal([target]);
      expect(await deletes.claims(NS)).to.deep.equal([]);
      const ids = Array.from({ length: left }, (_, id) => id);
      expect(await cluster.nodeNames()).to.deep.equal(ids.map((id) => `demo-${id}`));
      await ledger.check(ids);
    });
  }
});
