// The size follows the load on a real control plane: up in one step while clients write, down one by one when they send
// less, every decision with its arithmetic, without a lost write, and without API writes while nothing changes.
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
const TARGET = 500;
/** Windows of seconds instead of minutes; the ledger's writers alone are far below the target. */
const AUTOSCALE = {
  minNodes: 3,
  maxNodes: 6,
  targetOpsPerNode: TARGET,
  scaleUpCooldownSeconds: 5,
  scaleDownStabilizationSeconds: 15,
};
/** Asks for five nodes at 500 commands per second each, if the machine keeps up. */
const OPS = 2_250;
const STEADY_MS = 20_000;
const STEADY_WINDOWS = 3;

describe('a cluster whose size follows its load', function () {
  this.timeout(240_000);
  const world = withWorld({ before, after });
  const cluster = clusterHandle(world, NS);
  let ledger: Ledger;

  /** The addresses of the members that stay to the end. */
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

  it('grows from 3 in one step to what the load asks for, and says why', async () => {
    const load = await startLoad(addresses(), OPS, 'GET');
    const seen = await cluster.says('it is sized up', (one) => (one.status?.autoscale?.size ?? 3) > 3, 60_000);
    const { size = 0, ideal, message = '' } = seen.status?.autoscale ?? {};
    expect(seen.status?.autoscale).to.include({ target: TARGET, reason: 'LoadAboveTarget', nodes: 3 });
    // Not the load that was sent: a machine that stands still for a moment carries less of it, and then more.
    const [, measured = '', told] = /^(\d,\d00) ops\/s at 500 a node: (\d) nodes instead of 3$/.exec(message) ?? [];
    const ops = Number(measured.replace(',', ''));
    expect(ideal, message).to.be.within(Math.ceil((ops - 50) / TARGET), Math.ceil((ops + 50) / TARGET));
    expect([size, Number(told)], message).to.deep.equal([Math.min(ideal ?? 0, AUTOSCALE.maxNodes), size]);
    const rests = ({ status }: MarekvsCluster) =>
      status?.phase === 'Healthy' && status.readyNodes === status.autoscale?.size && status.opsPerSecond !== undefined;
    const { status } = await cluster.says('it rests at its size', rests, 120_000);
    expect(status?.desiredNodes).to.equal(status?.autoscale?.size);
    await load.runFor(1_000);
    await load.stop();
  });

  it('goes back to 3 one by one while clients write, with the arithmetic of each step', async () => {
    await cluster.says('it is sized down', decided(4), 150_000);
    await cluster.says('it is sized down again', decided(3), 120_000);
    const { status } = await cluster.healthy(3, 60_000);
    expect(status?.autoscale?.reason).to.equal('LoadBelowTarget');
    await told(/3 nodes instead of 4/);
    const notes = (await told(/instead of/)).map(({ note = '' }) => note);
    const largest = Math.max(...notes.map((note) => Number(/(\d) nodes instead/.exec(note)?.[1])));
    const down = notes.filter((note) => note.includes('below 60 % of 500'));
    const steps = Array.from({ length: largest - 3 }, (_, at) => `${at + 3} nodes instead of ${at + 4}`);
    expect(down.map((note) => /\d nodes instead of \d/.exec(note)?.[0]).sort()).to.deep.equal(steps);
    expect(notes.filter((note) => !down.includes(note)).join('; ')).to.include('nodes instead of 3');
  });

  it('costs the API server no write at a steady size except the figure that is shown once a minute', async () => {
    // The last statuses about the removal are written after it.
    await cluster.says('they are compared', (seen) => says(seen, 'FullyReplicated', 'True'));
    const load = await startLoad(addresses(), 700, 'GET');
    // A member that the machine keeps from answering is reported, which costs writes in that window; what the load
    // costs would be in every window.
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
