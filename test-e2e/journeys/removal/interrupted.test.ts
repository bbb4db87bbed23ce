// What else a person can do to a cluster in the middle of a removal: pause it, delete it, delete its namespace.

import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { type ClusterHandle, clusterHandle } from '../../support/cluster-handle.ts';
import { eventually } from '../../support/eventually.ts';
import { followDeletes } from '../../support/operator-deletes.ts';
import { patientStore } from '../../support/patient-store.ts';
import { expectRemovals } from '../../support/removal-claims.ts';
import type { RemovalLog } from '../../support/removal-log.ts';
import { MOMENTS } from '../../support/removal-moments.ts';
import { type Seen, says } from '../../support/seen.ts';
import { withWorld } from '../../support/world.ts';
import { actsOn } from '../../support/written.ts';

/** More rounds of anti-entropy than any proof needs. */
const PLENTY_OF_ROUNDS = 15;

describe('a removal in the middle of which', function () {
  this.timeout(120_000);
  const world = withWorld({ before, after });
  const paused = clusterHandle(world, 'paused');
  const deleted = clusterHandle(world, 'deleted');
  const vanishing = clusterHandle(world, 'vanishing');
  const logs: RemovalLog[] = [];

  const begin = async (cluster: ClusterHandle): Promise<RemovalLog> => {
    const log = await cluster.log();
    logs.push(log);
    await cluster.scale(3);
    await MOMENTS['when it has marked the node as leaving']({ world: world(), cluster, log, target: 3, survivor: 0 });
    return log;
  };

  before(async function () {
    this.timeout(120_000);
    await Promise.all([paused, deleted, vanishing].map((cluster) => cluster.create(4)));
  });
  after(() => {
    for (const log of logs) log.stop();
  });

  it('the cluster is paused stops at the next step, with its node in place, and goes on when it is resumed (F62)', async () => {
    const { testbed } = world();
    const ledger = await paused.writtenLedger();
    // While clients have their time it can neither end nor have a step under way, however late the pause comes.
    await paused.edit({ removal: { clientGraceSeconds: 60 } });
    const log = await begin(paused);
    await paused.edit({ paused: true });
    await paused.says(
      'Paused',
      (seen) => says(seen, 'Paused', 'True', 'Paused') && seen.status?.observedGeneration === seen.metadata.generation,
    );
    const audit = await testbed.auditReader();
    const from = await roundsOf('paused/demo-0');
    await eventually(
      'any proof would have been complete',
      async () => (await roundsOf('paused/demo-0')) > from + PLENTY_OF_ROUNDS,
      60_000,
    );
    expect(actsOn(await audit.read(), 'paused')).to.deep.equal([]);
    const { status } = await paused.says('the operation stands', (seen) => seen.status?.operation !== undefined);
    expect(status?.operation?.target?.name).to.equal('demo-3');
    expect(await paused.nodeNames()).to.deep.equal(['demo-0', 'demo-1', 'demo-2', 'demo-3']);
    await paused.edit({ paused: false, removal: { clientGraceSeconds: 5 } });
    await paused.healthy(3, 90_000);
    await expectRemovals(log, ['demo-3']);
    await ledger.check([0, 1, 2]);
  });

  it('the cluster is deleted ends with it: nothing is held by a finalizer, and every volume stays (F42)', async () => {
    const { kube, testbed } = world();
    await begin(deleted);
    const deletes = await followDeletes(testbed);
    await kube.deleteCluster('deleted', 'demo');
    await deleted.untilGone();
    expect(await deletes.claims('deleted')).to.deep.equal([]);
    for (const id of [0, 1, 2, 3]) expect(await deleted.volumeUid(id), `volume of demo-${id}`).to.be.a('string');
  });

  it('the namespace is deleted does not hold it up for longer than a minute (F60)', async () => {
    const { kube, watching } = world();
    await begin(vanishing);
    await kube.core.deleteNamespace({ name: 'vanishing' });
    const isOver = (namespaces: readonly Seen[]): boolean =>
      namespaces.every(({ metadata }) => metadata.name !== 'vanishing');
    await watching.until<Seen>('the namespace is gone', '/api/v1/namespaces', isOver, 60_000);
  });

  async function roundsOf(key: string): Promise<number> {
    const host = world().testbed.kubelet.pod(key)?.ip ?? '';
    return (await patientStore.metrics({ host })).aeRounds ?? 0;
  }
});
