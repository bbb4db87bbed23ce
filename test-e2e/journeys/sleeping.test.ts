// All members of a cluster are stopped and woken, and one is suspended and resumed, on a real control plane and by the
// plugin.

import type { AuditSummary } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { clusterHandle } from '../support/cluster-handle.ts';
import { writeKeys } from '../support/data.ts';
import { eventually } from '../support/eventually.ts';
import { installPlugin, type Plugin } from '../support/plugin.ts';
import { conditionOf } from '../support/seen.ts';
import { withWorld } from '../support/world.ts';
import { actsOn, describeWrites, writesOf } from '../support/written.ts';

const NS = 'sleeping';
const BESIDE = 'awake-beside';
const IDS = [0, 1, 2];

/** The requests for the cluster, without watches and leases. */
function ofCluster({ requests }: AuditSummary) {
  return requests.filter(
    ({ namespace, verb, resource }) => namespace === NS && verb !== 'watch' && resource !== 'leases',
  );
}

function printed(what: string, summary: AuditSummary): void {
  const own = ofCluster(summary);
  console.log(`      ${what}: ${writesOf(own).length} writes, ${own.length - writesOf(own).length} reads`);
  console.log(describeWrites(own));
}

/** What was created and deleted of nodes, Pods and volumes. */
const comings = (summary: AuditSummary) =>
  actsOn(summary, NS)
    .filter((act) => /^(create|delete) /.test(act))
    .sort();

describe('a cluster that is put to sleep', function () {
  this.timeout(180_000);
  const world = withWorld({ before, after });
  const cluster = clusterHandle(world, NS);
  let plugin: Plugin;

  const type = async (...words: string[]) => {
    const { code, out, err } = await plugin.call([...words, '-n', NS, '--yes', '--wait']);
    expect([code, err]).to.deep.equal([0, '']);
    return out;
  };

  before(async function () {
    this.timeout(120_000);
    await cluster.create(IDS.length);
    plugin = await installPlugin(world().testbed);
  });
  after(() => plugin?.remove());

  it('keeps nodes, volumes and every key, and runs nothing until it is woken', async () => {
    const keys = await writeKeys(world().testbed.kubelet, { namespace: NS, name: 'demo', ids: IDS }, 'before');
    const volumes = await Promise.all(IDS.map((id) => cluster.volumeUid(id)));
    const falling = await world().testbed.auditReader();
    expect(await type('hibernate', 'demo')).to.include('- no operation is under way\n');
    const { status } = await cluster.says('it sleeps', (seen) => seen.status?.phase === 'Hibernated');
    await eventually('nothing runs', () => cluster.runningPods().length === 0);
    expect([conditionOf(status, 'Reconciling')?.status, conditionOf(status, 'Stalled')?.status]).to.deep.equal([
      'False',
      'False',
    ]);
    expect(await cluster.ids()).to.deep.equal(IDS);
    // The last status writes of each node, which are delayed until the status stays the same.
    for (const id of IDS) await cluster.node(id, 'it says so', (node) => node.status?.phase === 'Hibernated');
    const asleep = await falling.read();
    printed('going to sleep', asleep);
    expect(comings(asleep)).to.deep.equal(IDS.map((id) => `delete pods demo-${id}`));

    await restsBeside();

    const waking = await world().testbed.auditReader();
    await type('wake', 'demo');
    await cluster.healthy(IDS.length);
    const awake = await waking.read();
    printed('waking', awake);
    expect(comings(awake)).to.deep.equal(IDS.map((id) => `create pods demo-${id}`));
    expect(await Promise.all(IDS.map((id) => cluster.volumeUid(id)))).to.deep.equal(volumes);
    await keys.areOnHomes(IDS);
  });

  /** Fails when anything is read or written for the cluster while another one is made, scaled and deleted. */
  async function restsBeside(): Promise<void> {
    const startMs = performance.now();
    const resting = await world().testbed.auditReader();
    const beside = clusterHandle(world, BESIDE);
    await beside.create(3);
    await beside.scale(4);
    await beside.healthy(4);
    await beside.scale(3);
    await beside.healthy(3, 120_000);
    await world().kubectl('-n', BESIDE, 'delete', 'mkv/demo', '--wait=false');
    await beside.untilGone();
    // Events may be a moment late.
    const own = ofCluster(await resting.read()).filter(({ resource }) => resource !== 'events');
    const seconds = Math.round((performance.now() - startMs) / 1000);
    console.log(`      asleep for ${seconds} s: ${own.length} requests`);
    expect(own.map(({ verb, resource, name }) => `${verb} ${resource} ${name}`)).to.deep.equal([]);
  }

  it('has at most one member suspended, and lets nobody be evicted meanwhile', async () => {
    await type('suspend', 'demo-1', '--reason', 'fsck');
    const { spec } = await cluster.node(1, 'it is off', (node) => node.status?.phase === 'Suspended');
    expect(spec.stopped).to.equal('Suspended');
    await eventually('two run', () => cluster.runningPods().length === 2);
    const budget = await world().kubectl('-n', NS, 'get', 'pdb', 'demo', '-o', 'jsonpath={.spec.minAvailable}');
    expect(budget).to.equal('3');
    const second = await plugin.call(['suspend', 'demo-2', '-n', NS, '--yes']);
    expect([second.code, second.err.includes('kubectl mkv resume-member demo-1')]).to.deep.equal([4, true]);
    const { out } = await plugin.call(['explain', 'demo', '-n', NS]);
    expect(out).to.include('fsck').and.include('kubectl mkv resume-member demo-1 -n sleeping');
    await type('resume-member', 'demo-1');
    await cluster.healthy(IDS.length);
  });
});
