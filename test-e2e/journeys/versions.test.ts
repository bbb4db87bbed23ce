// Operators of two versions on a real control plane, one after the other: the present one takes over what an earlier
// one has made and restarts nobody; the earlier one takes over in the middle of a member's turn, which it does not
// know, and waits without harm.
// Runs first: it takes minutes.

import { join } from 'node:path';
import { type MarekvsCluster, OPERATOR_NAMESPACE } from '@marekvs/api';
import { OPERATOR_USER } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { clusterHandle } from '../support/cluster-handle.ts';
import type { Ledger } from '../support/ledger.ts';
import { type LoneOperator, startLoneOperator } from '../support/lone-operator.ts';
import { bundleOlderOperator } from '../support/older-operator.ts';
import { conditionOf, isRolledOut, says } from '../support/seen.ts';
import { withWorld } from '../support/world.ts';

const NS = 'versions';
const NODES = 3;
/** The last commit before rolling updates. */
const OLDER = 'b3737f7e295dd2327812e34a1df742b7a364d13a';
/** The rest of the lease of an operator that was killed, and a minute after which a standstill is reported. */
const REPORTED_WITHIN_MS = 150_000;

describe('an operator from before rolling updates', function () {
  this.timeout(240_000);
  const world = withWorld({ before, after }, { operator: false });
  const cluster = clusterHandle(world, NS);
  let older = '';
  let ledger: Ledger;
  let running: LoneOperator | undefined;

  /** @param program the present one when it is undefined */
  function start(program?: string): void {
    const { testbed } = world();
    const args = [
      `--kubeconfig=${testbed.kubeconfigs.operator}`,
      `--namespace=${OPERATOR_NAMESPACE}`,
      '--metrics-bind-address=0',
      '--health-probe-bind-address=0',
    ];
    running = startLoneOperator(args, { HOME: testbed.dir }, program);
  }

  /** Fails as soon as the operator ends, because then nobody does the work. */
  async function unlessEnded<T>(work: Promise<T>): Promise<T> {
    const operator = running;
    const ended = operator?.exited.then((code) => {
      throw new Error(`the operator has ended with ${code}:\n${operator.lines.slice(-5).join('\n')}`);
    });
    return ended === undefined ? work : Promise.race([work, ended]);
  }

  before(async function () {
    const file = await bundleOlderOperator(OLDER, join(world().testbed.dir, 'older'));
    if (file === undefined) this.skip();
    older = file;
    // A right that the installation of that time grants and the present one does not.
    const { kubectl } = world();
    await kubectl('create', 'clusterrole', NS, '--verb=get', '--resource=secrets');
    await kubectl('create', 'clusterrolebinding', NS, `--clusterrole=${NS}`, `--user=${OPERATOR_USER}`);
  });
  after(async () => {
    await running?.stop();
  });

  it('makes a cluster, and the present one takes it over and restarts nobody', async () => {
    start(older);
    await unlessEnded(cluster.create(NODES));
    const uids = cluster.podUids();
    await running?.stop();
    start();
    // The earlier one reports the same reason, but no status.update.
    const isTakenOver = (seen: MarekvsCluster) =>
      seen.status?.update !== undefined && says(seen, 'RollingOut', 'False', 'TemplateCurrent');
    const { status } = await unlessEnded(cluster.says('its template is known', isTakenOver));
    expect(status?.update).to.deep.include({ updated: NODES, total: NODES });
    await cluster.healthy(NODES);
    expect(cluster.podUids()).to.deep.equal(uids);
  });

  it('that takes over in the middle of a turn touches nobody, keeps its record and says why it does not go on', async () => {
    ledger = await cluster.ledger({ perSecond: 100 });
    const { kubelet } = world().testbed;
    const uids = cluster.podUids();
    // So that the turn is still under way when the operator is killed.
    kubelet.holdScheduling(({ namespace, name }) => namespace === NS && name === 'demo-2');
    await cluster.edit({ extraEnv: { ROLLED: 'once' } });
    const last = uids.get(`${NS}/demo-2`);
    await cluster.pod(2, 'its Pod is another one', ({ metadata }) => metadata?.uid !== last);
    await running?.kill();
    kubelet.holdScheduling(undefined);
    const { status } = await cluster.says('the turn of a member', () => true);
    const turn = status?.operation;
    expect(turn?.roll?.name).to.equal('demo-2');
    start(older);
    const isSaid = (seen: MarekvsCluster) => conditionOf(seen.status, 'Ready')?.reason === 'OperationInProgress';
    const stalled = await unlessEnded(cluster.says('it says why it does not go on', isSaid, REPORTED_WITHIN_MS));
    expect(stalled.status?.operation).to.deep.include({ id: turn?.id, type: 'Roll' });
    expect(stalled.status?.operation?.roll).to.deep.equal(turn?.roll);
    expect(await cluster.ids()).to.deep.equal([0, 1, 2]);
    const others = [0, 1].map((id) => `${NS}/demo-${id}`);
    expect(others.map((key) => cluster.podUids().get(key))).to.deep.equal(others.map((key) => uids.get(key)));
  });

  it('is followed by the present one, which ends the turn and the update, and no write is lost', async () => {
    await running?.kill();
    start();
    await cluster.says('it is in force', isRolledOut, 150_000);
    await cluster.healthy(NODES);
    await ledger.check([0, 1, 2]);
  });
});
