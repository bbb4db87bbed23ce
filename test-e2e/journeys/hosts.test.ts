// Hosts that are lost under members: one whose volume is a disk of the host, and one whose volume can be mounted
// elsewhere.
// Runs first: the operator counts silence by its own clock, about two minutes of it.

import { ANNOTATIONS, type MarekvsCluster } from '@marekvs/api';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { type Keys, writeKeys } from '../support/data.ts';
import { conditionOf, isReadyElsewhere, type PodSeen, says } from '../support/seen.ts';
import { plainSpec } from '../support/specs.ts';
import { withWorld } from '../support/world.ts';

const NS = 'hosts';
const LIMIT_MS = 240_000;

describe('the loss of a host', function () {
  this.timeout(LIMIT_MS + 60_000);
  const world = withWorld({ before, after }, { nodeCount: 7 });
  let bound: Keys;
  let movable: Keys;
  const hostOf = (name: string): string => world().testbed.kubelet.pod(`${NS}/${name}`)?.nodeName ?? '';

  before(async function () {
    this.timeout(120_000);
    const { kube, testbed } = world();
    await kube.createNamespace(NS);
    await kube.createCluster(NS, 'disk', plainSpec(4, { hosts: { lostAfterSeconds: 20 } }));
    await kube.createCluster(NS, 'net', plainSpec(3));
    await Promise.all([kube.healthy(NS, 'disk', 4), kube.healthy(NS, 'net', 3)]);
    bound = await writeKeys(testbed.kubelet, { namespace: NS, name: 'disk', ids: [0, 1, 2, 3] }, 'kept');
    movable = await writeKeys(testbed.kubelet, { namespace: NS, name: 'net', ids: [0, 1, 2] }, 'kept');
    for (const id of [0, 1, 2, 3]) await testbed.kubelet.tieVolume(NS, `data-disk-${id}`, hostOf(`disk-${id}`));
  });

  it('is not concluded from a member that is silent while its host is ready', async () => {
    const { testbed, watching } = world();
    testbed.kubelet.freeze(`${NS}/net-0`);
    try {
      await watching.cluster(NS, 'net', 'MemberSilent', (seen) => says(seen, 'Ready', 'False', 'MemberSilent'));
    } finally {
      testbed.kubelet.thaw(`${NS}/net-0`);
    }
    await world().kube.healthy(NS, 'net', 3);
  });

  it('with the disk of a member is reported, a new member joins, and the old node goes once a person confirms it', async () => {
    const { testbed, watching, kubectl } = world();
    const host = hostOf('disk-2');
    await testbed.kubelet.failHost(host);
    const told = (seen: MarekvsCluster) => says(seen, 'Ready', 'False', 'HostNotReady');
    const said = await watching.cluster(NS, 'disk', 'it is told', told, LIMIT_MS);
    expect(conditionOf(said.status, 'Ready')?.message).to.include(host);
    const isMarked = ({
      metadata,
    }: {
      metadata: { annotations?: Readonly<Record<string, string>> | undefined; uid: string };
    }) => metadata.annotations?.[ANNOTATIONS.hostLost] === `${metadata.uid}/${host}`;
    await watching.node(NS, 'disk-2', 'disk-2 is given up', isMarked, LIMIT_MS);
    await watching.node(NS, 'disk-4', 'disk-4 has joined', ({ status }) => status?.phase === 'Active', LIMIT_MS);
    await bound.areOnHomes([0, 1, 3, 4]);
    await watching.cluster(NS, 'disk', 'a person is asked', (seen) => says(seen, 'Stalled', 'True', 'HostNotReady'));
    await kubectl('delete', 'node', host);
    const gone = (all: readonly { readonly metadata: { readonly name: string } }[]) =>
      all.every(({ metadata }) => metadata.name !== 'disk-2');
    await watching.nodes(NS, 'disk-2 is gone', gone, LIMIT_MS);
    const { status } = await world().kube.healthy(NS, 'disk', 4);
    expect(status?.lastOperation).to.include({
      basis: 'Dead',
      outcome: 'Succeeded',
      chosen: `its host ${host} is lost, and its volume with it`,
    });
    expect(status?.lastOperation?.proof?.post).to.include({ stage: 'Post' });
    expect(status?.detachedVolumes?.map(({ pvcName, state }) => [pvcName, state])).to.deep.equal([
      ['data-disk-2', 'HostLost'],
    ]);
    await bound.areOnHomes([0, 1, 3, 4]);
  });

  it('makes a member whose volume can be mounted elsewhere run on another host, with every key', async () => {
    const { testbed, watching } = world();
    const host = hostOf('net-1');
    await testbed.kubelet.vanishHost(host);
    const isBack = (seen: PodSeen) => isReadyElsewhere(seen, host);
    await watching.pod(NS, 'net-1', 'net-1 is back', isBack, LIMIT_MS);
    await world().kube.healthy(NS, 'net', 3);
    await movable.areOnHomes([0, 1, 2]);
  });
});
