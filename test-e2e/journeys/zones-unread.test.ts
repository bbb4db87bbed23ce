// Where members are, zone by zone, for an operator without any right on hosts, as in a namespaced installation: the API
// server writes the zone on each Pod, and that needs none.
// Own API server: the rights are taken away.
// Runs first: it takes a minute.

import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { scrape } from '../support/operator-metrics.ts';
import { installPlugin, type Plugin } from '../support/plugin.ts';
import { plainSpec } from '../support/specs.ts';
import { withWorld } from '../support/world.ts';

const NS = 'zoned';
const NAME = 'demo';
const ZONE = 'topology.kubernetes.io/zone';

describe('members in zones, where the operator may not read hosts', function () {
  this.timeout(120_000);
  const world = withWorld({ before, after }, { operator: false });
  let plugin: Plugin;

  before(async function () {
    this.timeout(120_000);
    const { kube, kubectl, testbed } = world();
    await kubectl('delete', 'clusterrolebinding', 'marekvs-operator-hosts');
    const { rules } = JSON.parse(await kubectl('get', 'clusterrole', 'marekvs-operator', '-o', 'json'));
    const others = (rules as readonly { readonly resources: readonly string[] }[]).filter(
      ({ resources }) => !resources.includes('nodes'),
    );
    const patch = JSON.stringify({ rules: others });
    await kubectl('patch', 'clusterrole', 'marekvs-operator', '--type=merge', '-p', patch);
    await testbed.startOperator();
    await kube.createNamespace(NS);
    await kube.createCluster(NS, NAME, plainSpec(3));
    await kube.healthy(NS, NAME, 3);
    plugin = await installPlugin(testbed);
  });
  after(() => plugin?.remove());

  it('are recorded with the zone of their Pods, and the operator reads no host', async () => {
    const { testbed, kube, watching, kubectl } = world();
    const audit = await testbed.auditReader();
    const before = (await kube.nodes(NS)).find(({ spec }) => spec.nodeId === 2)?.status?.podUID;
    // So that a Pod is made while requests are counted.
    await kubectl('delete', 'pod', '-n', NS, `${NAME}-2`, '--wait=false');
    const node = await watching.node(
      NS,
      `${NAME}-2`,
      'another Pod is a home again',
      ({ status }) =>
        status?.podUID !== before && status?.zoneSource !== undefined && (status.ownedPartitions ?? 0) > 0,
    );
    expect(node.status).to.include({ zone: 'testbed', zoneSource: 'Pod' });
    await kube.healthy(NS, NAME, 3);
    const all = await kube.nodes(NS);
    expect(all.map(({ status }) => [status?.zone, status?.zoneSource])).to.deep.equal(
      all.map(() => ['testbed', 'Pod']),
    );
    const { requests } = await audit.read();
    expect(requests.filter(({ verb, resource }) => verb === 'get' && resource === 'nodes')).to.deep.equal([]);
  });

  it('are told with their zones, by the plugin and by the metrics', async () => {
    const { code, out } = await plugin.call(['status', NAME, '-n', NS]);
    expect([code, out.replace(/\s+/g, ' ')]).to.deep.include(0);
    expect(out).to.include('zones: all 3 members are in testbed');
    const shown = await scrape(world().testbed.operator);
    expect(shown.sum('marekvs_operator_zones', {})).to.equal(1);
    expect(shown.sum('marekvs_operator_cluster_one_zone_ratio', { namespace: NS, cluster: NAME })).to.equal(0);
  });

  it('are not known of a Pod that does not say it, which is told with what would help', async () => {
    const { testbed, watching, kubectl } = world();
    const audit = await testbed.auditReader();
    await kubectl('label', 'pods', '-n', NS, `${NAME}-1`, `${ZONE}-`);
    const isUnread = ({ status }: { status?: { zoneSource?: string | undefined } }) =>
      status?.zoneSource === 'NotReadable';
    const node = await watching.node(NS, `${NAME}-1`, 'its host may not be read', isUnread, 90_000);
    expect(node.status?.zone).to.equal(undefined);
    const { requests } = await audit.read();
    const asked = requests.filter(({ verb, resource }) => verb === 'get' && resource === 'nodes');
    expect(asked.map(({ name, code }) => [name, code])).to.deep.equal([[node.status?.hostName, 403]]);
    const { out } = await plugin.call(['status', NAME, '-n', NS]);
    expect(out.replace(/\s+/g, ' ')).to.match(/not known of demo-1: .*the operator may not read hosts/);
  });
});
