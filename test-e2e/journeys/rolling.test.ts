// A changed template on a real control plane: it reaches every member under writes, one after the other; a bad one
// stops at its first member, which goes back; and the next edit still rolls out.
// Runs first: it takes a minute.

import type { MarekvsCluster } from '@marekvs/api';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { clusterHandle } from '../support/cluster-handle.ts';
import { parseTable } from '../support/kubectl.ts';
import type { Ledger } from '../support/ledger.ts';
import { conditionOf, isRolledOut, says } from '../support/seen.ts';
import { withWorld } from '../support/world.ts';
import { actsOn, describeWrites, writesTo } from '../support/written.ts';

const NS = 'rolling';
const NODES = 4;
/** API writes of one member's turn. */
const MOST_WRITES = 10;
/** API writes around all turns: the stored template, the disruption budget before and after, and the first claim. */
const WRITES_AROUND = 4;

describe('a changed template', function () {
  this.timeout(180_000);
  const world = withWorld({ before, after });
  const cluster = clusterHandle(world, NS);
  let ledger: Ledger;

  before(async function () {
    this.timeout(120_000);
    await cluster.create(NODES);
    ledger = await cluster.ledger({ perSecond: 100 });
  });

  it('reaches every member under writes, one at a time, with the highest id first, for ten API writes each', async () => {
    const { testbed } = world();
    const uids = cluster.podUids();
    const audit = await testbed.auditReader();
    await cluster.edit({ extraEnv: { ROLLED: 'once' } });
    await cluster.says('it is taken up', (seen) => says(seen, 'RollingOut', 'True'), 30_000);
    const { status } = await cluster.says('it is in force', isRolledOut, 150_000);
    await cluster.healthy(NODES);
    const summary = await audit.read();
    const acts = actsOn(summary, NS).filter((act) => act.includes(' pods '));
    const turns = acts.filter((act) => act.startsWith('delete') || act.startsWith('create'));
    const wanted = [3, 2, 1, 0].flatMap((id) => [`delete pods demo-${id}`, `create pods demo-${id}`]);
    expect(turns).to.deep.equal(wanted);
    expect([...cluster.podUids()].filter(([key, uid]) => uids.get(key) === uid)).to.deep.equal([]);
    expect(status?.update).to.deep.include({ updated: NODES, total: NODES });
    expect(conditionOf(status, 'Ready')?.status).to.equal('True');
    const writes = writesTo(summary, NS);
    console.log(`      ${writes.length} writes for ${NODES} turns`);
    expect(writes.length, describeWrites(summary.requests)).to.be.at.most(NODES * MOST_WRITES + WRITES_AROUND);
  });

  it('is kept as a ControllerRevision beside the previous one', async () => {
    const { status } = await cluster.says('the cluster', () => true);
    const rows = parseTable(await world().kubectl('-n', NS, 'get', 'controllerrevisions'));
    const names = rows.map(({ NAME, CONTROLLER, REVISION }) => `${NAME} ${CONTROLLER} ${REVISION}`);
    const { revision, previous } = status?.update ?? {};
    expect(names).to.have.members([
      `demo-${previous} marekvscluster.marekvs.io/demo 1`,
      `demo-${revision} marekvscluster.marekvs.io/demo 2`,
    ]);
  });

  it('whose image cannot be pulled stops at its first member, which goes back to the previous revision', async () => {
    const uids = cluster.podUids();
    await cluster.edit({ image: 'ghcr.io/yannick/marekvs:missing' });
    const stopped = await cluster.says('it stops', (seen) => seen.status?.update?.stopped !== undefined, 90_000);
    expect(stopped.status?.update?.stopped).to.include({ node: 'demo-3', reason: 'ImagePullFailed' });
    const { status } = await cluster.says(
      'demo-3 is back',
      (seen) => seen.status?.operation === undefined && seen.status?.lastOperation?.reason === 'RolledBack',
      150_000,
    );
    expect(status).to.include({ phase: 'Blocked' });
    expect(conditionOf(status, 'Stalled')).to.include({ status: 'True', reason: 'RolloutStopped' });
    const same = [...cluster.podUids()].filter(([key, uid]) => uids.get(key) === uid).map(([key]) => key);
    expect(same).to.have.members([0, 1, 2].map((id) => `${NS}/demo-${id}`));
  });

  it('that is set back after that restarts nobody, and every acknowledged write is on every home', async () => {
    const uids = cluster.podUids();
    await cluster.edit({ image: 'ghcr.io/yannick/marekvs:latest' });
    await cluster.says('it is in force', isRolledOut, 60_000);
    await cluster.healthy(NODES);
    expect(cluster.podUids()).to.deep.equal(uids);
    await ledger.check([0, 1, 2, 3]);
  });

  it('with another replicationFactor reaches all, and is over when every write is on that many homes', async () => {
    await cluster.edit({ replicationFactor: 3 });
    const isOver = (seen: MarekvsCluster) => isRolledOut(seen) && says(seen, 'FullyReplicated', 'True');
    await cluster.says('all have three homes', isOver, 150_000);
    await ledger.check([0, 1, 2, 3], 30_000, 3);
    await cluster.healthy(NODES);
  });
});
