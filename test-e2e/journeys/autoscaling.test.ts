// The size follows the load on a real control plane: up in one step while clients write, down one by one when they ask
// for less, every decision with its arithmetic, and nothing is lost or written in between.
// Runs first: it takes a minute and a half.

import type { MarekvsCluster } from '@marekvs/api';
import type { AuditSummary } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { clusterHandle } from '../support/cluster-handle.ts';
import type { Ledger } from '../support/ledger.ts';
import { startLoad } from '../support/load.ts';
import { says } from '../support/seen.ts';
import { withWorld } from '../support/world.ts';
import { describeWrites, writesTo } from '../support/written.ts';

const NS = 'autoscaling';
/** Windows of seconds in place of minutes; the ledger's writers alone are far below the target. */
const AUTOSCALE = {
  minNodes: 3,
  maxNodes: 6,
  targetOpsPerNode: 500,
  scaleUpCooldownSeconds: 5,
  scaleDownStabilizationSeconds: 15,
};
/** Five nodes at 500 a node, with a wide margin on both sides for a machine that does not keep up. */
const OPS = 2_250;
const STEADY_MS = 20_000;
const STEADY_WINDOWS = 3;

describe('a cluster whose size follows its load', function () {
  this.timeout(240_000);
  const world = withWorld({ before, after });
  const cluster = clusterHandle(world, NS);
  let ledger: Ledger;

  /** Of the members that stay to the end. */
  const addresses = () =>
    world()
      .testbed.kubelet.pods()
      .flatMap(({ key, ip }) => (ip !== undefined && [0, 1, 2].some((id) => key === `${NS}/demo-${id}`) ? [ip] : []));
  const decided = (size: number) => (seen: MarekvsCluster) => seen.status?.autoscale?.size === size;
  const told = (what: RegExp) =>
    world().watching.event(NS, String(what), ({ action, note = '' }) => action === 'Autoscale' && what.test(note));

  before(async function () {
    this.timeout(120_000);
    await cluster.create(3, { autoscale: AUTOSCALE });
    ledger = await cluster.ledger({ perSecond: 60 });
  });

  it('grows from 3 to 5 in one step, and says why', async () => {
    const load = await startLoad(addresses(), OPS, 'GET');
    const seen = await cluster.says('it is sized up', (one) => (one.status?.autoscale?.size ?? 3) > 3, 60_000);
    expect(seen.status?.autoscale).to.include({ size: 5, ideal: 5, target: 500, reason: 'LoadAboveTarget', nodes: 3 });
    expect(seen.status?.autoscale?.message).to.match(/^2,\d00 ops\/s at 500 a node: 5 nodes instead of 3$/);
    await cluster.healthy(5, 120_000);
    const { status } = await cluster.says('it rests', (one) => one.status?.opsPerSecond !== undefined);
    expect(status?.desiredNodes).to.equal(5);
    await load.runFor(1_000);
    await load.stop();
  });

  it('goes back to 3 one by one while clients write, with the arithmetic of each step', async () => {
    await cluster.says('it is sized down', decided(4), 90_000);
    await cluster.says('it is sized down again', decided(3), 120_000);
    const { status } = await cluster.healthy(3, 60_000);
    expect(status?.autoscale?.reason).to.equal('LoadBelowTarget');
    for (const note of [
      /5 nodes instead of 3/,
      /below 60 % of 500: 4 nodes instead of 5/,
      /below 60 % of 500: 3 nodes instead of 4/,
    ])
      expect(await told(note), String(note)).to.have.length(1);
    expect(await told(/instead of/)).to.have.length(3);
  });

  it('costs the API server nothing at a steady size but the figure that is shown once a minute', async () => {
    // What is said of the last removal comes after it.
    await cluster.says('they are compared', (seen) => says(seen, 'FullyReplicated', 'True'));
    const load = await startLoad(addresses(), 700, 'GET');
    // A member that the machine keeps from answering is reported, which costs writes: what the load costs is in every
    // window.
    let summary: AuditSummary;
    let writes: number;
    let windows = 0;
    do {
      const audit = await world().testbed.auditReader();
      await load.runFor(STEADY_MS);
      summary = await audit.read();
      writes = writesTo(summary, NS).filter((one) => !one.startsWith('update marekvsnodes/status')).length;
      windows += 1;
    } while (writes > 1 && windows < STEADY_WINDOWS);
    await load.stop();
    expect(writes, describeWrites(summary.requests)).to.be.at.most(1);
  });

  it('has its bounds in the wide table', async () => {
    const stdout = await world().kubectl('-n', NS, 'get', 'mkv', 'demo', '-o', 'wide');
    expect(stdout).to.match(/ MIN +MAX /);
    expect(stdout).to.match(/ 3 +6 /);
  });

  it('has lost no acknowledged write', async () => {
    await ledger.stop();
    await ledger.check(await cluster.ids());
  });
});
