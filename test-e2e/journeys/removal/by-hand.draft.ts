// Nodes and volumes that a person deletes with kubectl: each is held until a new node has taken its place, and then goes by the same
// proof as any other. One cluster of 3 lives through all of it in order.

import type { MarekvsNode } from '@marekvs/api';
import { ANNOTATIONS } from '@marekvs/api';
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { clusterHandle } from '../../support/cluster-handle.ts';
import type { Ledger } from '../../support/ledger.ts';
import { expectRemovals } from '../../support/removal-claims.ts';
import type { RemovalLog } from '../../support/removal-log.ts';
import { says } from '../../support/seen.ts';
import { withWorld } from '../../support/world.ts';
import { actsOn } from '../../support/written.ts';

const NS = 'by-hand';

describe('what a person deletes by hand', function () {
  this.timeout(150_000);
  const world = withWorld({ before, after });
  const cluster = clusterHandle(world, NS);
  const kubectl = (...args: readonly string[]): Promise<string> => world().kubectl('-n', NS, ...args);
  const isActive = ({ status }: MarekvsNode): boolean => status?.phase === 'Active';
  let ledger: Ledger;
  let log: RemovalLog;

  before(async function () {
    this.timeout(120_000);
    await cluster.create(3);
    ledger = await cluster.writtenLedger();
  });
  beforeEach(async () => {
    log = await cluster.log();
  });
  afterEach(() => log?.stop());

  it('F58 a force annotation that names another UID is ignored and said so', async () => {
    const { kube, testbed, watching } = world();
    const audit = await testbed.auditReader();
    await kube.patchNode(NS, 'demo-1', {
      metadata: { annotations: { [ANNOTATIONS.forceRemove]: '00000000-0000-0000-0000-000000000000/because' } },
    });
    await watching.event(
      NS,
      'it is ignored',
      ({ reason, note }) => reason === 'ForceIgnored' && note?.includes('demo-1') === true,
    );
    await kube.patchNode(NS, 'demo-1', { metadata: { annotations: { [ANNOTATIONS.forceRemove]: null } } });
    await cluster.healthy(3);
    expect(actsOn(await audit.read(), NS)).to.deep.equal([]);
  });

  it('a node in the middle is replaced: the new one joins first, then it goes with proof, and its volume stays', async () => {
    const { testbed } = world();
    const audit = await testbed.auditReader();
    const volume = await cluster.volumeUid(1);
    await kubectl('delete', 'mkvnode', 'demo-1', '--wait=false');
    const held = await cluster.node(1, 'demo-1 is held', ({ metadata }) => metadata.deletionTimestamp !== undefined);
    await cluster.node(3, 'demo-3 is Active', isActive, 60_000);
    expect(testbed.kubelet.pod(`${NS}/demo-1`)?.isReady, 'demo-1 runs until demo-3 is Active').to.equal(true);
    expect((await cluster.node(1, 'demo-1')).metadata.uid).to.equal(held.metadata.uid);
    await log.untilEnded(1);
    await cluster.healthy(3);
    await expectRemovals(log, ['demo-1']);
    expect(log.ended()[0]).to.include({ type: 'Replace' });
    expect(await cluster.nodeNames()).to.deep.equal(['demo-0', 'demo-2', 'demo-3']);
    expect(await cluster.volumeUid(1)).to.equal(volume);
    const acts = actsOn(await audit.read(), NS);
    expect(acts.indexOf('create pods demo-3'), acts.join('; ')).to.be.within(0, acts.indexOf('delete pods demo-1'));
    await ledger.check([0, 2, 3]);
  });

  it('F44 two nodes at once go one after the other, each after its own new node', async () => {
    await kubectl('delete', 'mkvnode', 'demo-0', 'demo-2', '--wait=false');
    const isHeld = ({ metadata }: MarekvsNode): boolean => metadata.deletionTimestamp !== undefined;
    await Promise.all([0, 2].map((id) => cluster.node(id, `demo-${id} is held`, isHeld)));
    await cluster.says('the other waits for its turn', ({ status }) =>
      /demo-[02].*wait|wait.*demo-[02]/.test(status?.message ?? ''),
    );
    await log.untilEnded(2, 140_000);
    await cluster.healthy(3);
    const order = log.operations().map(({ target }) => target);
    expect([...order].sort()).to.deep.equal(['demo-0', 'demo-2']);
    await expectRemovals(log, order);
    expect(await cluster.nodeNames()).to.deep.equal(['demo-3', 'demo-4', 'demo-5']);
    await ledger.check([3, 4, 5]);
  });

  it('a volume that is deleted under its running member costs that node, after a new one has joined', async () => {
    const { watching } = world();
    await kubectl('delete', 'pvc', 'data-demo-4', '--wait=false');
    await cluster.node(6, 'demo-6 is Active', isActive, 60_000);
    await log.untilEnded(1, 90_000);
    await cluster.healthy(3);
    await expectRemovals(log, ['demo-4']);
    expect(await cluster.nodeNames()).to.deep.equal(['demo-3', 'demo-5', 'demo-6']);
    await watching.claims(NS, 'data-demo-4 is gone', (claims) =>
      claims.every(({ metadata }) => metadata.name !== 'data-demo-4'),
    );
    await ledger.check([3, 5, 6]);
  });

  it('F57 a node whose finalizer is taken off by force is made again for its member, with a warning', async () => {
    const { kube, watching } = world();
    const old = await cluster.node(5, 'demo-5');
    await kube.patchNode(NS, 'demo-5', { metadata: { finalizers: null } });
    await kubectl('delete', 'mkvnode', 'demo-5', '--wait=false');
    const again = await cluster.node(
      5,
      'demo-5 is Active again',
      (node) => node.metadata.uid !== old.metadata.uid && isActive(node),
    );
    expect(again.status?.pvcUID).to.equal(old.status?.pvcUID);
    const events = await watching.event(
      NS,
      'a warning',
      ({ type, reason, note }) =>
        type === 'Warning' && reason === 'FinalizerRemoved' && note?.includes('demo-5') === true,
    );
    expect(events).to.have.length(1);
    const { status } = await cluster.healthy(3);
    expect(says({ status }, 'Stalled', 'False')).to.equal(true);
    await ledger.check([3, 5, 6]);
  });
});
