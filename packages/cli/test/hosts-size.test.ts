// What the plugin says about a size that is the number of hosts: it cannot be scaled, and the refusal says what to do
// instead.

import type { MarekvsClusterStatus } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { sizeChange } from '../src/changing/size.ts';
import { sizeLine } from '../src/sizing/text.ts';
import { sizingRow } from '../src/verbs/autoscale/list-row.ts';
import { cancellation } from '../src/verbs/cancel/cancellation.ts';
import { type FakeOptions, runFake } from './support/fake-cli.ts';
import { serverWith } from './support/fake-server.ts';
import { cluster, NOW_MS, node, SINCE } from './support/objects.ts';

const RULE = { nodeSelector: { pool: 'db', disk: 'nvme' }, minNodes: 3, maxNodes: 9 };
const DECIDED = {
  size: 4,
  nodes: 3,
  reason: 'SizedByHosts',
  message: '4 hosts have the labels: 4 nodes',
  since: SINCE,
};
const byHosts = (status: Partial<MarekvsClusterStatus> = {}) =>
  cluster({ spec: { nodes: 3, hosts: { onePerHost: RULE } }, status: { autoscale: DECIDED, ...status } });
/** The plan with so many hosts with the labels, for a cluster of four whose decision is four. */
function serverOf(hosts: number): ReturnType<typeof serverWith> {
  const server = serverWith(4, {
    spec: { nodes: 3, hosts: { onePerHost: RULE } },
    status: { desiredNodes: 4, readyNodes: 4, replicas: 4, autoscale: DECIDED },
  });
  for (let id = 0; id < hosts; id += 1) {
    const ref = { name: `host-${id}` };
    if (server.find('nodes', ref) === undefined) server.create('nodes', { metadata: ref, spec: {} });
    server.patch('nodes', ref, { metadata: { labels: { ...RULE.nodeSelector } } });
  }
  return server;
}
const planOf = async (hosts: number, refusal?: FakeOptions['refusal']) => {
  const server = serverOf(hosts);
  const options = { server, nowMs: NOW_MS, columns: 'none' as const, ...(refusal === undefined ? {} : { refusal }) };
  const { out } = await runFake(['plan', 'demo'], options);
  return out;
};

const nodes = [0, 1, 2, 3, 4].map((id) => node(id));

describe('a size that is the number of hosts', () => {
  it('cannot be scaled, and the refusal names the label for a host and the patch that takes the rule out', () => {
    const change = sizeChange(byHosts(), nodes, 7);
    expect(change.kind).to.equal('refused');
    expect(change).to.include({
      why: 'demo has spec.hosts.onePerHost, so its size is the number of hosts with disk=nvme,pool=db, now 4',
    });
    expect(change.kind === 'refused' ? change.next : '').to.match(
      /^label a host: kubectl label node <host> disk=nvme pool=db; or .*'\{"spec":\{"hosts":\{"onePerHost":null\}\}\}'$/,
    );
  });

  it('cannot be kept by cancel, which says that the label on the host takes the removal back', () => {
    const undone = cancellation(byHosts(), nodes);
    expect(undone.kind).to.equal('impossible');
    expect(undone.kind === 'impossible' ? undone.next : '').to.match(
      /^the label on its host again takes the removal back/,
    );
  });

  it('is shown with the labels of the hosts', () => {
    expect(sizeLine(byHosts(), NOW_MS)).to.match(/^4 nodes, one on each host with disk=nvme,pool=db, for /);
    expect(sizeLine(byHosts({ autoscale: undefined }), NOW_MS)).to.equal(
      'size one on each host with disk=nvme,pool=db, not decided yet',
    );
  });

  it('is listed among the sizes by load', () => {
    expect(sizingRow(byHosts(), NOW_MS)).to.include({ size: 4, minNodes: 3, maxNodes: 9, reason: 'SizedByHosts' });
  });

  it('is shown as kept once spec.hosts.onePerHost is taken out', () => {
    const kept = cluster({ spec: { nodes: 3 }, status: { autoscale: DECIDED } });
    expect(sizeLine(kept, NOW_MS)).to.equal('4 nodes, kept since spec.hosts.onePerHost was taken out');
  });

  it('is planned by the present hosts, as this user can read them', async () => {
    expect(await planOf(4)).to.include('  - stays: 4 hosts have the labels: 4 nodes\n');
    const more = await planOf(5);
    expect(more).to.include('  - 5 instead of 4 nodes, at once: 5 hosts have disk=nvme,pool=db: 5 nodes\n');
    expect(more).to.include('create MarekvsNode demo-4 (ScalingUp)');
    const fewer = await planOf(3);
    expect(fewer).to.include('  - 3 instead of 4 nodes, once there have been fewer hosts for 30 s: 3 hosts have');
    expect(fewer).to.include('next to leave: demo-3');
    expect(fewer).to.include('its host host-3 is none of those that spec.hosts.onePerHost selects');
  });

  it('does not change in a plan when no host has the labels', async () => {
    const none = await planOf(0);
    expect(none).to.include('  - stays 4 nodes: no host takes a member\n').and.include('NoHostMatches');
    expect(none).to.not.include('next to leave');
  });

  it('is the last stored one in a plan for a user who may not read hosts, which the plan says', async () => {
    const hidden = await planOf(5, ({ path }) =>
      path.startsWith('/api/v1/nodes') ? { code: 403, reason: 'Forbidden', message: 'no' } : undefined,
    );
    expect(hidden).to.include('  - 4 nodes, as it was decided last: you may not read hosts\n');
    expect(hidden).to.include('which hosts spec.hosts.onePerHost selects: Nodes may not be read');
    expect(hidden).to.not.include('create MarekvsNode');
  });
});
