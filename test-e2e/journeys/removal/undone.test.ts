// What stops a removal before its point of no return, and what does not: a member that is silent, a person who changes
// their mind, writers that never pause, a client that never hangs up, the floor. The tests share one cluster of 5, in
// order. Runs first: it takes more than a minute.

import { LABELS } from '@marekvs/api';
import { StoreUnreachableError } from '@marekvs/store-client';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { clusterHandle } from '../../support/cluster-handle.ts';
import type { Ledger } from '../../support/ledger.ts';
import { patientStore } from '../../support/patient-store.ts';
import { expectDetached } from '../../support/removal-claims.ts';
import type { RemovalLog } from '../../support/removal-log.ts';
import { MOMENTS } from '../../support/removal-moments.ts';
import { isPodReady, says } from '../../support/seen.ts';
import { withWorld } from '../../support/world.ts';
import { writesTo } from '../../support/written.ts';

const NS = 'undone';
const ALL = ['demo-0', 'demo-1', 'demo-2', 'demo-3', 'demo-4'];

describe('a removal', function () {
  this.timeout(120_000);
  const world = withWorld({ before, after });
  const cluster = clusterHandle(world, NS);
  let kept: Ledger;
  let writer: Ledger | undefined;
  let log: RemovalLog;

  before(async function () {
    this.timeout(120_000);
    await cluster.create(5);
    kept = await cluster.writtenLedger();
    log = await cluster.log();
  });
  after(async () => {
    log?.stop();
    await writer?.stop();
  });

  const connectTo = (pod: string) =>
    patientStore.session({ host: world().testbed.kubelet.pod(`${NS}/${pod}`)?.ip ?? '' });

  it('waits for a member that does not answer, names it, and deletes nothing (F45)', async () => {
    const { testbed } = world();
    // Long enough for the member to fall silent before the door is closed.
    await cluster.edit({ removal: { clientGraceSeconds: 30 } });
    await cluster.scale(4);
    await MOMENTS['when it has marked the node as leaving']({ world: world(), cluster, log, target: 4, survivor: 0 });
    testbed.kubelet.freeze(`${NS}/demo-1`);
    const waiting = await log.until(
      'it waits for demo-1',
      ({ blocked }) => blocked?.message.includes('demo-1') === true,
    );
    // Which of them depends on who notices first: the operator, the others, or its host.
    expect(waiting.blocked?.reason).to.be.oneOf(['MemberSilent', 'ViewsDisagree', 'MemberNotActive']);
    expect(waiting.blocked?.unblock).to.be.a('string').with.length.at.least(10);
    expect(['Isolating', 'Sealing', 'Proving']).to.include(waiting.phase);
    expect(await cluster.nodeNames()).to.deep.equal(ALL);
  });

  it('is taken back when the size is raised again: its target serves as before, on its own volume (F41)', async () => {
    const { testbed, watching } = world();
    const audit = await testbed.auditReader();
    const node = await cluster.node(4, 'demo-4');
    const volume = await cluster.volumeUid(4);
    await cluster.scale(5);
    testbed.kubelet.thaw(`${NS}/demo-1`);
    const [last] = await log.untilEnded(1);
    expect(last).to.include({ outcome: 'Cancelled', reason: 'CancelledByUser' });
    expect(last?.phases?.map(({ phase }) => phase))
      .to.include('Cancelling')
      .and.not.include('Deleting');
    await watching.pod(
      NS,
      'demo-4',
      'demo-4 serves again',
      (pod) => isPodReady(pod) && pod.metadata.labels?.[LABELS.serving] === 'true',
    );
    const { status } = await cluster.healthy(5);
    expect(says({ status }, 'Rescaling', 'False', 'ReplicasMatchSpec')).to.equal(true);
    const now = await cluster.node(4, 'demo-4 is Active', (seen) => seen.status?.phase === 'Active');
    expect(now.metadata.uid).to.equal(node.metadata.uid);
    expect(now.spec).to.include({ intent: 'Active', serving: true });
    expect(await cluster.volumeUid(4)).to.equal(volume);
    const writes = writesTo(await audit.read(), NS);
    expect(writes.filter((write) => write.startsWith('delete '))).to.deep.equal(['delete pods demo-4']);
    await kept.check([0, 1, 2, 3, 4]);
  });

  it('succeeds by proof while clients write all the time', async () => {
    writer = await cluster.ledger({ prefix: 'writer-' });
    await cluster.edit({ removal: { clientGraceSeconds: 5 } });
    await cluster.scale(4);
    await cluster.healthy(4, 110_000);
    const last = (await log.untilEnded(2, 5_000)).at(-1);
    expect(last).to.include({ outcome: 'Succeeded', reason: 'RemovalFinished' });
    await writer.check([0, 1, 2, 3]);
    await kept.check([0, 1, 2, 3]);
  });

  it('does not wait for a client that stays connected: its connection ends when the door is closed', async () => {
    const client = await connectTo('demo-3');
    await client.commands([['GET', 'nothing']]);
    await cluster.scale(3);
    await cluster.healthy(3, 110_000);
    const last = (await log.untilEnded(3, 5_000)).at(-1);
    expect(last).to.include({ outcome: 'Succeeded', reason: 'RemovalFinished' });
    expect(last?.target?.sealedPodUID).to.equal(last?.proof?.pre?.podUID);
    const answer = await client.commands([['GET', 'nothing']]).catch((error: unknown) => error);
    expect(answer).to.be.instanceOf(StoreUnreachableError);
  });

  it('never leaves fewer than replicationFactor + 1 nodes, however few are asked for, which is reported', async () => {
    await cluster.scale(1);
    const { status } = await cluster.says(
      'the floor is reached and said',
      (seen) =>
        seen.status?.readyNodes === 3 &&
        seen.status.replicas === 3 &&
        seen.status.operation === undefined &&
        says(seen, 'Reconciling', 'True', 'BelowFloor'),
      90_000,
    );
    expect(status?.message).to.include('spec.nodes: 1 is asked for and 3 is in force');
    expect(status).to.include({ desiredNodes: 3, replicas: 3 });
    expect(await cluster.nodeNames()).to.deep.equal(['demo-0', 'demo-1', 'demo-2']);
    expect(log.mostLeaving()).to.equal(1);
    await expectDetached(world(), NS, 'demo', [3, 4]);
    await kept.check([0, 1, 2]);
    await writer?.check([0, 1, 2]);
  });
});
