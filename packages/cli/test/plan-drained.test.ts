// What plan says about hosts that are being drained: which members would be moved or replaced, which stay, and what
// this user cannot see.

import type { MarekvsClusterSpec } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type FakeOptions, runFake } from './support/fake-cli.ts';
import { serverWith } from './support/fake-server.ts';
import { NAMESPACE, NOW_MS } from './support/objects.ts';

interface Given {
  readonly spec?: Partial<MarekvsClusterSpec>;
  /** A change of host-1, on which demo-1 runs. */
  readonly host?: Readonly<Record<string, unknown>>;
  /** The volume of demo-1 is a disk of host-1. */
  readonly isBound?: boolean;
  readonly refusal?: FakeOptions['refusal'];
}

const CORDONED = { unschedulable: true };
const taint = (key: string, timeAdded?: string) => ({ taints: [{ key, effect: 'NoSchedule', timeAdded }] });

async function plan({ spec = {}, host = {}, isBound = false, refusal }: Given): Promise<string> {
  const server = serverWith(3, { spec });
  server.patch('nodes', { name: 'host-1' }, { spec: host });
  const requirement = { key: 'kubernetes.io/hostname', operator: 'In', values: ['host-1'] };
  const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions: [requirement] }] } };
  server.create('persistentvolumes', { metadata: { name: 'disk-1' }, spec: isBound ? { nodeAffinity } : {} });
  server.patch(
    'persistentvolumeclaims',
    { namespace: NAMESPACE, name: 'data-demo-1' },
    { spec: { volumeName: 'disk-1' } },
  );
  for (const id of [0, 1, 2])
    server.patch('nodes', { name: `host-${id}` }, { metadata: { labels: { 'kubernetes.io/hostname': `host-${id}` } } });
  const options = { server, nowMs: NOW_MS, columns: 'none' as const, ...(refusal === undefined ? {} : { refusal }) };
  const { out } = await runFake(['plan', 'demo'], options);
  return out.replace(/\s+/g, ' ');
}

const MOVED =
  'members that are moved with their volumes, one after the other: - demo-1 leaves host-1, which is being drained';

describe('plan, for a host that is being drained,', () => {
  it('names the member that is moved if its volume can be mounted elsewhere', async () => {
    expect(await plan({ host: CORDONED })).to.include(MOVED);
  });

  it('names no member while no host is drained', async () => {
    expect(await plan({})).to.not.include('are moved');
  });

  it('says that a member stays whose volume is a disk of the host', async () => {
    const out = await plan({ host: CORDONED, isBound: true });
    expect(out).to.include(
      'HostDraining: demo-1 stays on host host-1, which is being drained: its volume can be on no other',
    );
    expect(out).to.not.include('are moved');
  });

  it('says that such a member is replaced if the spec asks for that', async () => {
    const hosts = { replaceOnDrain: true };
    expect(await plan({ spec: { hosts }, host: CORDONED, isBound: true })).to.include(
      'replace demo-1: its host host-1 is being drained, and its volume can be on no other',
    );
  });

  it('moves no member if the spec does not want that, or while the cluster is paused', async () => {
    expect(await plan({ spec: { hosts: { moveOnDrain: false } }, host: CORDONED })).to.not.include('are moved');
    expect(await plan({ spec: { paused: true }, host: CORDONED })).to.not.include('are moved');
  });

  it('does not move a member that was scheduled there after the drain began', async () => {
    const cordoned = { ...CORDONED, ...taint('node.kubernetes.io/unschedulable', '2020-01-01T00:00:00Z') };
    expect(await plan({ host: cordoned })).to.not.include('are moved');
  });

  it('says that it does not know whether a taint means a drain to the operator', async () => {
    expect(await plan({ host: taint('karpenter.sh/disrupted') }))
      .to.include('whether the taints of host-1 mean a drain to the operator (--drain-taints)')
      .and.not.include('are moved');
  });

  it('says that it cannot tell when the user may not read Nodes', async () => {
    const refused = { code: 403, reason: 'Forbidden', message: 'no' };
    const out = await plan({
      host: CORDONED,
      refusal: ({ path }) => (path.startsWith('/api/v1/nodes') ? refused : undefined),
    });
    expect(out).to.include('whether hosts are being drained: Nodes may not be read').and.not.include('are moved');
  });
});
