// From 5 to 3 on a quiet cluster, as a person can follow it in status, events and kubectl.

import { type MarekvsCluster, PARTITIONS } from '@marekvs/api';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { clusterHandle } from '../../support/cluster-handle.ts';
import { parseTable } from '../../support/kubectl.ts';
import type { Ledger } from '../../support/ledger.ts';
import { patientStore } from '../../support/patient-store.ts';
import { expectDetached, expectOneEventEach, expectRemovals } from '../../support/removal-claims.ts';
import type { RemovalLog } from '../../support/removal-log.ts';
import { conditionOf, says } from '../../support/seen.ts';
import { withWorld } from '../../support/world.ts';

const NS = 'shrinking';

describe('a quiet cluster that is scaled from 5 to 3', function () {
  this.timeout(120_000);
  const world = withWorld({ before, after });
  const cluster = clusterHandle(world, NS);
  const volumes = new Map<number, string | undefined>();
  let ledger: Ledger;
  let log: RemovalLog;

  before(async function () {
    this.timeout(120_000);
    await cluster.create(5);
    ledger = await cluster.writtenLedger();
    for (const id of [3, 4]) volumes.set(id, await cluster.volumeUid(id));
    log = await cluster.log();
  });
  after(() => log?.stop());

  it('says that it removes a node, which one, and what it waits for', async () => {
    // As long as this client is connected, the removal stays under way.
    const host = world().testbed.kubelet.pod(`${NS}/demo-4`)?.ip ?? '';
    const client = await patientStore.session({ host });
    await cluster.scale(3);
    const seen = await cluster.says('a removal is under way', ({ status }) => status?.operation !== undefined);
    expect(seen.status?.operation).to.deep.include({ type: 'Remove', specGeneration: seen.metadata.generation });
    expect(seen.status?.operation?.target?.name).to.equal('demo-4');
    expect(seen.status?.operation?.chosen).to.include('highest id');
    expect(conditionOf(seen.status, 'Rescaling')).to.include({ status: 'True', reason: 'ScalingClusterDown' });
    expect(seen.status).to.include({ phase: 'ScalingDown', desiredNodes: 3 });
    const [row] = parseTable(await world().kubectl('-n', NS, 'get', 'mkv', '-o', 'wide'));
    expect(row?.OPERATION, JSON.stringify(row)).to.match(/Claimed|Isolating/);
    client.close();
  });

  it('removes demo-4 and then demo-3, each on its own proof before and after, never two at once', async () => {
    await cluster.healthy(3, 110_000);
    await expectRemovals(log, ['demo-4', 'demo-3']);
    expect(log.rescaling()).to.deep.equal(['ScalingClusterDown']);
    expect(log.vanished()).to.deep.equal(['demo-4', 'demo-3']);
    expect(await cluster.nodeNames()).to.deep.equal(['demo-0', 'demo-1', 'demo-2']);
  });

  it('compared all partitions of the node before it went, and of every survivor afterwards', () => {
    const survivors = [4, 3];
    log.ended().forEach(({ proof, target }, index) => {
      expect(proof?.pre?.partitions, target?.name).to.equal(PARTITIONS);
      expect(proof?.pre?.records, target?.name).to.be.above(0);
      expect(proof?.post?.partitions, target?.name).to.equal(PARTITIONS * (survivors[index] ?? 0));
    });
  });

  it('says afterwards that every record is on all its homes', async () => {
    const isCovered = (seen: MarekvsCluster) => says(seen, 'FullyReplicated', 'True', 'RecordsCovered');
    const { status } = await cluster.says('FullyReplicated', isCovered);
    expect(status?.verification).to.include({ state: 'Covered' });
  });

  it('named the target in every message while one was removed, and says afterwards that none is under way', async () => {
    const said = log.saidOf();
    expect([...new Set(said.map(({ target }) => target))]).to.deep.equal(['demo-4', 'demo-3']);
    for (const { target, message } of said) expect(message).to.include(target);
    const { status } = await cluster.healthy(3);
    expect(says({ status }, 'Rescaling', 'False', 'ReplicasMatchSpec')).to.equal(true);
    expect(status).to.include({ replicas: 3 });
    expect(status?.operation).to.equal(undefined);
  });

  it('has every acknowledged write on every home that is left', async () => {
    await ledger.check([0, 1, 2]);
  });

  it('keeps the volumes of both, lists them, and reports each removal in one event', async () => {
    await expectDetached(world(), NS, 'demo', [3, 4]);
    for (const [id, uid] of volumes) expect(await cluster.volumeUid(id), `volume of demo-${id}`).to.equal(uid);
    await expectOneEventEach(world(), NS, ['demo-4', 'demo-3']);
  });
});
