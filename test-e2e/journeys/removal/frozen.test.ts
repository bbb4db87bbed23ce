// F24: the operator is frozen in the middle of a removal for longer than its lease. A second one takes over and
// finishes the removal; the first wakes up with its old state and must not delete a second node because of it.
// Runs first: it takes a minute.

import { OPERATOR_NAMESPACE } from '@marekvs/api';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { clusterHandle } from '../../support/cluster-handle.ts';
import { eventually } from '../../support/eventually.ts';
import type { Ledger } from '../../support/ledger.ts';
import { type LoneOperator, startLoneOperator } from '../../support/lone-operator.ts';
import { followDeletes } from '../../support/operator-deletes.ts';
import { scrape } from '../../support/operator-metrics.ts';
import { expectRemovals } from '../../support/removal-claims.ts';
import { MOMENTS, type Moment } from '../../support/removal-moments.ts';
import { withWorld } from '../../support/world.ts';

const NS = 'frozen';
/** The shortest that an operator accepts, since the freeze has to be longer. */
const SHORT_LEASE = ['--lease-duration=6s', '--renew-interval=1s'];
const FROZEN_AT: readonly Moment[] = ['when it has stored the proof'];
const LARGEST = 3 + 2 * FROZEN_AT.length;

describe('an operator that is frozen in the middle of a removal for longer than its lease', function () {
  this.timeout(180_000);
  const world = withWorld({ before, after }, { operator: { extraArgs: SHORT_LEASE, extraEnv: { POD_UID: 'first' } } });
  const cluster = clusterHandle(world, NS);
  let ledger: Ledger;
  let second: LoneOperator | undefined;

  before(async function () {
    this.timeout(120_000);
    await cluster.create(LARGEST);
    ledger = await cluster.writtenLedger();
  });
  after(() => second?.stop());

  for (const [index, moment] of FROZEN_AT.entries()) {
    const left = LARGEST - 2 - 2 * index;
    const targets = [`demo-${left + 1}`, `demo-${left}`];

    it(`${moment}, and wakes up during the next removal, deletes no node of its own: two leave in two removals`, async () => {
      const { testbed, kubectl } = world();
      const log = await cluster.log();
      const deletes = await followDeletes(testbed);
      await cluster.scale(left);
      await MOMENTS[moment]({ world: world(), cluster, log, target: left + 1, survivor: 0 });
      testbed.operator.freeze();
      const args = [
        `--kubeconfig=${testbed.kubeconfigs.operator}`,
        `--namespace=${OPERATOR_NAMESPACE}`,
        '--metrics-bind-address=0',
        '--health-probe-bind-address=0',
        ...SHORT_LEASE,
      ];
      second = startLoneOperator(args, { HOME: testbed.dir, POD_NAME: 'second', POD_UID: `second-${index}` });
      await eventually('the second has the lease', async () => /second/.test(await holder()), 60_000);
      await log.untilEnded(1, 90_000);
      await log.until(
        `${targets[1]} is on its way`,
        ({ target, phase: now }) => target?.name === targets[1] && now !== 'Claimed',
        90_000,
      );
      testbed.operator.thaw();
      await cluster.healthy(left, 110_000);
      // The first one is awake: it has ended because it lost its lease, or it answers as a standby.
      await eventually(
        'the first has noticed',
        async () => testbed.operator.exit() !== undefined || (await isAwake()),
        30_000,
      );
      await expectRemovals(log, targets);
      expect(await deletes.nodes(NS)).to.deep.equal(targets);
      expect(await deletes.claims(NS)).to.deep.equal([]);
      const ids = Array.from({ length: left }, (_, id) => id);
      expect(await cluster.nodeNames()).to.deep.equal(ids.map((id) => `demo-${id}`));
      log.stop();
      await ledger.check(ids);
      // So that the first one leads again in the next round.
      await second.stop();
      await testbed.operator.restart();
      await eventually('the first has the lease', async () => !/second/.test(await holder()), 60_000);

      async function holder(): Promise<string> {
        return kubectl(
          '-n',
          OPERATOR_NAMESPACE,
          'get',
          'lease',
          'marekvs-operator',
          '-o',
          'jsonpath={.spec.holderIdentity}',
        );
      }

      async function isAwake(): Promise<boolean> {
        return (await scrape(testbed.operator)).sum('process_cpu_seconds_total') > 0;
      }
    });
  }
});
