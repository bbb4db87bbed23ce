// Where members are, zone by zone, on a real API server: by the labels it writes on Pods, by those of hosts where a Pod
// has none, and what the plugin makes of it.

import { homesAt, type MarekvsNode, PARTITIONS, placementOf } from '@marekvs/api';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import { installPlugin, type Plugin } from '../support/plugin.ts';
import { plainSpec } from '../support/specs.ts';
import { withWorld } from '../support/world.ts';

const NS = 'zoned';
const NAME = 'demo';
const ZONE = 'topology.kubernetes.io/zone';
const IDS = [0, 1, 2];

describe('members in zones', function () {
  this.timeout(120_000);
  const world = withWorld({ before, after });
  let plugin: Plugin;
  /** Zones by host: two of the three have the same. */
  const zones = new Map<string, string>();

  const nodes = async (): Promise<readonly MarekvsNode[]> => world().kube.nodes(NS);
  const zoneOf = ({ status }: MarekvsNode): string => zones.get(status?.hostName ?? '') ?? 'no zone';
  const status = async (...words: readonly string[]) => {
    const { code, out, err } = await plugin.call(['status', NAME, '-n', NS, ...words]);
    expect([code, err]).to.deep.equal([0, '']);
    return out.replace(/\s+/g, ' ');
  };

  /** The API server copies labels of hosts from a cache: a Pod made in a dry run shows what it would get. */
  async function untilCopied(host: string, zone: string): Promise<void> {
    const { core } = world().kube;
    const spec = { nodeName: host, containers: [{ name: 'none', image: 'none' }] };
    await eventually(`a Pod on ${host} gets zone ${zone}`, async () => {
      const body = { metadata: { name: 'asked', namespace: NS }, spec };
      const { metadata } = await core.createNamespacedPod({ namespace: NS, body, dryRun: 'All' });
      return metadata?.labels?.[ZONE] === zone;
    });
  }

  before(async function () {
    this.timeout(120_000);
    const { kube, kubectl } = world();
    await kube.createNamespace(NS);
    const names = (await kubectl('get', 'nodes', '-o', 'name')).trim().split('\n').sort().slice(0, 3);
    for (const [index, name] of names.entries()) {
      const host = name.replace('node/', '');
      const zone = index === 2 ? 'b' : 'a';
      zones.set(host, zone);
      await kubectl('label', '--overwrite', 'nodes', host, `${ZONE}=${zone}`, 'example.com/zoned=yes');
      await untilCopied(host, zone);
    }
    const onePerHost = { nodeSelector: { 'example.com/zoned': 'yes' } };
    await kube.createCluster(NS, NAME, { ...plainSpec(3), hosts: { onePerHost } });
    await kube.healthy(NS, NAME, 3);
    plugin = await installPlugin(world().testbed);
  });
  after(async () => {
    await plugin?.remove();
    const hosts = [...zones.keys()];
    await world().kubectl('label', '--overwrite', 'nodes', ...hosts, `${ZONE}=testbed`, 'example.com/zoned-');
  });

  it('are recorded with the zone that the API server writes on their Pods', async () => {
    // Statuses of nodes follow a moment after their cluster's.
    const found = await world().watching.nodes(NS, 'every zone is known', (all) =>
      all.every(({ status: seen }) => seen?.zoneSource !== undefined),
    );
    expect(found.map(({ status: seen }) => [seen?.zone, seen?.zoneSource])).to.deep.equal(
      found.map((node) => [zoneOf(node), 'Pod']),
    );
    expect(found.map(zoneOf).sort()).to.deep.equal(['a', 'a', 'b']);
    const columns = await world().kubectl('get', 'mkvnode', '-n', NS, '-o', 'wide');
    expect(columns).to.match(/ ZONE /);
  });

  it('are reported with the share of partitions that one zone has alone, as the placement has it', async () => {
    const found = await nodes();
    const inA = new Set(found.filter((node) => zoneOf(node) === 'a').map(({ spec }) => spec.nodeId));
    const placement = placementOf(IDS, 2);
    const isAlone = (pid: number) => homesAt(placement, pid).every((id) => inA.has(id));
    const alone = Array.from({ length: PARTITIONS }, (_, pid) => pid).filter(isAlone).length;
    expect(await status()).to.include(
      `zones: a has 2 members, b has 1; ${alone} of 4096 partitions (${Math.round((alone / PARTITIONS) * 100)} %)`,
    );
    expect(await status('-o', 'wide')).to.match(/ HOST ZONE /);
  });

  it('are as many as hosts with the label, which plan looks at by itself', async () => {
    const { code, out } = await plugin.call(['plan', NAME, '-n', NS]);
    expect(code).to.equal(0);
    expect(out.replace(/\s+/g, ' ')).to.include('stays: 3 hosts have example.com/zoned=yes: 3 nodes');
  });

  it('are known by their hosts where a Pod does not say it, and a host is asked once', async () => {
    const { testbed, kubectl, watching } = world();
    const audit = await testbed.auditReader();
    await kubectl('label', 'pods', '-n', NS, `${NAME}-1`, `${ZONE}-`);
    const isOfHost = ({ status: seen }: MarekvsNode) => seen?.zoneSource === 'Host';
    const node = await watching.node(NS, `${NAME}-1`, 'its host was asked', isOfHost, 90_000);
    expect(node.status?.zone).to.equal(zoneOf(node));
    const { requests } = await audit.read();
    const asked = requests.filter(({ verb, resource }) => verb === 'get' && resource === 'nodes');
    expect(asked.map(({ name, code }) => [name, code])).to.deep.equal([[node.status?.hostName, 200]]);
    expect(await status()).to.include('zones: a has 2 members, b has 1; ');
  });
});
