// A MarekvsNode that was copied names a cluster without being its own: it is said so on it and on the cluster, and both
// go on as if the other were not there.

import { findCondition, type MarekvsCluster, type MarekvsNode } from '@marekvs/api';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { clusterHandle } from '../support/cluster-handle.ts';
import { withWorld } from '../support/world.ts';

const NS = 'copied';
const STRANGER = 'stranger';
/** Somebody's own, by which the copy outlives the garbage collector. */
const HELD = 'example.com/backup';

describe('a copy of a node', function () {
  this.timeout(120_000);
  const world = withWorld({ before, after }, { operator: true });
  const demo = clusterHandle(world, NS);
  const SAID = /count for nothing: copy-1, and some in other namespaces$/;
  const isForeign = ({ status }: MarekvsNode) => status?.conditions?.[0]?.reason === 'NodeForeign';

  before(async function () {
    this.timeout(90_000);
    const { kube } = world();
    await demo.create(3);
    await kube.createNamespace(STRANGER);
    const { metadata, spec } = await demo.node(1, 'demo-1');
    const { labels = {}, ownerReferences = [], finalizers = [] } = metadata;
    const shared = { labels, ownerReferences };
    const held = { ...shared, name: 'demo-1', namespace: STRANGER, finalizers: [...finalizers, HELD] };
    await kube.createNode(held, spec);
    await kube.createNode({ ...shared, name: 'copy-1', namespace: NS, finalizers }, { ...spec, clusterName: 'copy' });
  });

  it('to another clusterName is called foreign, and nothing is made for it', async () => {
    const node = await world().watching.node(NS, 'copy-1', 'copy-1 is foreign', isForeign);
    expect(node.status?.conditions).to.have.lengthOf(1);
    expect(node.status).to.not.have.any.keys('phase', 'pvcName', 'podName');
    expect(demo.runningPods()).to.have.lengthOf(3);
  });

  it('is noted by the cluster, which is Healthy and needs nobody', async () => {
    const isNoted = ({ status }: MarekvsCluster) => SAID.test(status?.message ?? '');
    const cluster = await demo.says('it notes its copies', isNoted);
    expect(cluster.status?.phase).to.equal('Healthy');
    expect(findCondition(cluster.status?.conditions, 'Stalled')?.status).to.equal('False');
  });

  it('does not keep the cluster from growing and shrinking, and its members from being replaced', async () => {
    await demo.edit({ nodes: 4 });
    await demo.healthy(4);
    await demo.edit({ nodes: 3 });
    await demo.healthy(3, 90_000);
    await world().kube.deleteNode(NS, 'demo-1');
    const isReplaced = ({ status }: MarekvsCluster) =>
      status?.phase === 'Healthy' && status.instanceNames?.includes('demo-1') === false;
    await demo.says('demo-1 is replaced', isReplaced, 90_000);
  });

  it('goes when it is deleted, and takes its note with it', async () => {
    const { kube } = world();
    await kube.deleteNode(NS, 'copy-1');
    await kube.patchNode(STRANGER, 'demo-1', { metadata: { finalizers: [] } });
    await kube.deleteNode(STRANGER, 'demo-1').catch(() => {});
    await demo.says('nothing is noted', ({ status }) => status?.message?.includes('count for nothing') === false);
    expect(await kube.nodes(STRANGER)).to.deep.equal([]);
    expect(demo.runningPods()).to.have.lengthOf(3);
  });
});
