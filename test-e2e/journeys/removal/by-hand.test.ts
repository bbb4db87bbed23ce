// Nodes and volumes that a person deletes with kubectl: each is held until a new node has taken its place, and then
// goes by the same proof as any other. The tests share one cluster of 3, in order.
// Runs first: it takes a minute.

import type { MarekvsNode } from '@marekvs/api';
import { ANNOTATIONS, pvcName } from '@marekvs/api';
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { clusterHandle } from '../../support/cluster-handle.ts';
import { eventually } from '../../support/eventually.ts';
import type { Ledger } from '../../support/ledger.ts';
import { expectRemovals } from '../../support/removal-claims.ts';
import type { RemovalLog } from '../../support/removal-log.ts';
import { says } from '../../support/seen.ts';
import { withWorld } from '../../support/world.ts';
import { actsOn } from '../../support/written.ts';

const NS = 'by-hand';

describe('after an edit or a deletion by hand,', function () {
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

  it('a force annotation with a UID that is not the node’s has no effect, which is reported (F58)', async () => {
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

  it('a node that is deleted is replaced: a new one joins, then the old one goes by proof, and its volume stays', async () => {
    const { testbed, watching } = world();
    const audit = await testbed.auditReader();
    const volume = await cluster.volumeUid(1);
    const old = await cluster.node(1, 'demo-1');
    // One list of one watch, which shows all nodes at the moment when demo-3 is first Active.
    const grown = watching.nodes(NS, 'demo-3 is Active', (nodes) =>
      nodes.some((node) => node.metadata.name === 'demo-3' && isActive(node)),
    );
    await kubectl('delete', 'mkvnode', 'demo-1', '--wait=false');
    const held = (await grown).find(({ metadata }) => metadata.uid === old.metadata.uid);
    expect(held?.metadata.deletionTimestamp, 'demo-1 is held until demo-3 is Active').to.be.a('string');
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

  it('two nodes that are deleted at once go one after the other, each after another has joined (F44)', async () => {
    const gone = [await cluster.node(0, 'demo-0'), await cluster.node(2, 'demo-2')].map(({ metadata }) => metadata.uid);
    await kubectl('delete', 'mkvnode', 'demo-0', 'demo-2', '--wait=false');
    await eventually('the other waits for its turn', () =>
      log.messages().some((message) => /demo-[02].*wait|wait.*demo-[02]/.test(message)),
    );
    await log.untilEnded(2, 140_000);
    const { status } = await cluster.healthy(3);
    const order = log.operations().map(({ target }) => target);
    expect([...order].sort()).to.deep.equal(['demo-0', 'demo-2']);
    await expectRemovals(log, order);
    // Names may come back: the kept volume of the node that went first is taken up before a new id is used.
    const nodes = await world().kube.nodes(NS);
    expect(nodes.map(({ metadata }) => metadata.uid)).to.not.have.any.members(gone);
    expect(status).to.include({ readyNodes: 3, replicas: 3 });
    await ledger.check(await cluster.ids());
  });

  it('a volume that is deleted under its running member goes with its node, after another one has joined', async () => {
    const id = (await cluster.ids()).at(-1) ?? 0;
    const volume = await cluster.volumeUid(id);
    const node = await cluster.node(id, 'its node');
    const before = await cluster.nodeNames();
    await kubectl('delete', 'pvc', pvcName('demo', id), '--wait=false');
    const isSaid = (seen: MarekvsNode): boolean => says(seen, 'VolumeReady', 'False', 'VolumeLost');
    await cluster.node(id, 'its node says so', isSaid);
    await log.until('its node is on its way', ({ target }) => target?.uid === node.metadata.uid, 60_000);
    const joined = (await cluster.nodeNames()).filter((name) => !before.includes(name));
    expect(joined, 'joined before it began').to.have.length(1);
    await log.untilEnded(1, 90_000);
    await cluster.healthy(3);
    await expectRemovals(log, [node.metadata.name]);
    expect(await cluster.nodeNames()).to.have.members([
      ...before.filter((name) => name !== node.metadata.name),
      ...joined,
    ]);
    await cluster.untilNoVolume(id);
    expect(volume).to.be.a('string');
    await ledger.check(await cluster.ids());
  });
});
