// Changed resources on a real control plane: running members are resized in place, and nobody is restarted. Where a
// host or the API server makes that impossible, the member is restarted in its turn.
// Runs first: it takes a minute.

import { ANNOTATIONS, type MarekvsCluster } from '@marekvs/api';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { clusterHandle } from '../support/cluster-handle.ts';
import { eventually } from '../support/eventually.ts';
import { parseTable } from '../support/kubectl.ts';
import type { Ledger } from '../support/ledger.ts';
import { conditionOf, isRolledOut } from '../support/seen.ts';
import { withWorld } from '../support/world.ts';
import { describeWrites, writesTo } from '../support/written.ts';

const NS = 'resize';
const NODES = 3;
/** API writes of one member: the turn, the stamp, the resize, the revision on its Pod, and the status of its node. */
const MOST_WRITES = 5;
/** API writes for all together: the stored template, and the end of the last turn. */
const WRITES_AROUND = 2;

describe('changed resources', function () {
  this.timeout(180_000);
  const world = withWorld({ before, after });
  const cluster = clusterHandle(world, NS);
  let ledger: Ledger;

  const uidsOf = (all: readonly string[]) => all.map((life) => life.split(' ')[1]);
  const listPods = async () => (await world().kube.core.listNamespacedPod({ namespace: NS })).items;
  const eventsOf = async () =>
    parseTable(
      await world().kubectl('-n', NS, 'get', 'events', '--field-selector', 'involvedObject.kind=MarekvsCluster'),
    )
      .map(({ REASON = '', MESSAGE = '' }) => `${REASON} ${MESSAGE}`)
      .filter((line) => line.startsWith('Resize'));

  before(async function () {
    this.timeout(120_000);
    await cluster.create(NODES);
    ledger = await cluster.ledger({ perSecond: 100 });
  });

  it('reach every member in place, under writes, for five API writes each, and nobody is restarted', async () => {
    const before = cluster.lives();
    const audit = await world().testbed.auditReader();
    await cluster.edit({ resources: { cpu: '750m', memory: '2Gi' } });
    const { status } = await cluster.says('they are in force', isRolledOut, 60_000);
    expect(cluster.lives()).to.deep.equal(before);
    expect(status?.update).to.deep.include({ updated: NODES, total: NODES });
    expect(status?.lastOperation).to.deep.include({ type: 'Roll', outcome: 'Succeeded', reason: 'ResizedInPlace' });
    expect(conditionOf(status, 'Ready')).to.include({ status: 'True' });
    for (const { metadata, status: own } of await listPods()) {
      expect(metadata?.annotations?.[ANNOTATIONS.templateHash], metadata?.name).to.equal(status?.update?.revision);
      const { requests, limits } = own?.containerStatuses?.[0]?.resources ?? {};
      expect([requests?.cpu, requests?.memory, limits?.memory], metadata?.name).to.deep.equal(['750m', '2Gi', '2Gi']);
    }
    await cluster.healthy(NODES);
    const summary = await audit.read();
    const writes = writesTo(summary, NS);
    const resizes = writes.filter((write) => write.includes(' pods/resize '));
    expect(resizes).to.deep.equal([2, 1, 0].map((id) => `patch pods/resize demo-${id}`));
    console.log(`      ${writes.length} writes for ${NODES} members`);
    expect(writes.length, describeWrites(summary.requests)).to.be.at.most(NODES * MOST_WRITES + WRITES_AROUND);
  });

  it('are reported as resizes in place, in one event per member and in the column UPDATED', async () => {
    const events = await eventually('each has its event', async () => {
      const told = await eventsOf();
      return told.length >= NODES && told;
    });
    expect(events).to.have.length(NODES);
    for (const event of events) expect(event).to.match(/^ResizedInPlace demo-\d has revision \w+: resized in place/);
    const [row] = parseTable(await world().kubectl('-n', NS, 'get', 'mkv', '-o', 'wide'));
    expect(row?.UPDATED).to.equal(String(NODES));
  });

  it('that a host defers are waited for, and come in place once there is room', async () => {
    const { kubelet } = world().testbed;
    const before = cluster.lives();
    kubelet.holdResizes(({ name }) => (name === 'demo-2' ? 'Deferred' : undefined));
    await cluster.edit({ resources: { cpu: '750m', memory: '3Gi' } });
    const phase = (seen: MarekvsCluster) => seen.status?.operation?.phase;
    await cluster.says('demo-2 waits', (seen) => phase(seen) === 'Resizing', 30_000);
    const waits = async () =>
      (await listPods()).some(({ status }) => status?.conditions?.some(({ type }) => type === 'PodResizePending'));
    await eventually('its host puts it off', waits, 30_000);
    kubelet.holdResizes(undefined);
    await cluster.says('they are in force', isRolledOut, 60_000);
    expect(cluster.lives()).to.deep.equal(before);
  });

  it('that a host can never give come with a restart of each member', async () => {
    const before = cluster.lives();
    world().testbed.kubelet.holdResizes(() => 'Infeasible');
    await cluster.edit({ resources: { cpu: '1', memory: '4Gi' } });
    await cluster.says('they are in force', isRolledOut, 150_000);
    world().testbed.kubelet.holdResizes(undefined);
    const again = cluster.lives();
    expect(uidsOf(again).filter((uid) => uidsOf(before).includes(uid))).to.deep.equal([]);
    const isTold = async () => /^ResizeImpossible demo-2 .* held by the test/m.test((await eventsOf()).join('\n'));
    await eventually('why is told', isTold);
  });

  it('that the API server refuses for a host come with a restart of each member, too', async () => {
    const before = cluster.lives();
    // More than a host of the testbed has: its scheduler does not consider resources.
    await cluster.edit({ resources: { cpu: '1', memory: '300Gi' } });
    const why = /node didn't have enough allocatable resources: memory/;
    await cluster.says('the refusal is told', ({ status }) => why.test(status?.lastOperation?.message ?? ''), 60_000);
    await cluster.says('they are in force', isRolledOut, 150_000);
    expect(uidsOf(cluster.lives()).filter((uid) => uidsOf(before).includes(uid))).to.deep.equal([]);
  });

  it('with less memory come with a restart of each member, and no write is lost in all of this', async () => {
    const before = cluster.lives();
    await cluster.edit({ resources: { cpu: '500m', memory: '1Gi' } });
    await cluster.says('they are in force', isRolledOut, 150_000);
    expect(uidsOf(cluster.lives()).filter((uid) => uidsOf(before).includes(uid))).to.deep.equal([]);
    await cluster.healthy(NODES);
    await ledger.check([0, 1, 2]);
  });
});
