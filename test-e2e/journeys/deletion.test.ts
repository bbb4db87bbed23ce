// A cluster that is deleted: what goes, what stays, and what a new one of the same name takes up. The tests share one
// namespace, in order; the last one deletes it.

import type { MarekvsCluster } from '@marekvs/api';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { type Keys, writeKeys } from '../support/data.ts';
import { corePath, groupPath, ownPath } from '../support/paths.ts';
import { type ClaimSeen, conditionOf, type Seen, says } from '../support/seen.ts';
import { plainSpec } from '../support/specs.ts';
import { withWorld } from '../support/world.ts';

const NS = 'deletion';
const NAME = 'demo';
const IDS = [0, 1, 2];
const NAMES = IDS.map((id) => `demo-${id}`);

describe('a cluster that is deleted', function () {
  this.timeout(120_000);
  const world = withWorld({ before, after });
  let keys: Keys;

  const create = (): Promise<void> => world().kube.createCluster(NS, NAME, plainSpec(3));
  const healthy = (): Promise<MarekvsCluster> => world().kube.healthy(NS, NAME, 3, 30_000);
  const isGone = (what: string, path: string): Promise<unknown> =>
    world().watching.until<Seen>(`no ${what} is left`, path, (all) => all.length === 0);
  const claims = async (): Promise<readonly string[]> => {
    const all = await world().watching.claims(NS, 'three claims', (seen: readonly ClaimSeen[]) => seen.length === 3);
    return all.map(({ metadata }) => `${metadata.name} ${metadata.uid}`).sort();
  };
  const nodeUids = async (): Promise<readonly string[]> =>
    (await world().kube.nodes(NS)).map(({ metadata }) => metadata.uid);
  /** Everything that a cluster consists of, except its volumes. */
  const allIsGone = (): Promise<unknown> =>
    Promise.all([
      isGone('MarekvsCluster', ownPath(NS, 'marekvsclusters')),
      isGone('MarekvsNode', ownPath(NS, 'marekvsnodes')),
      isGone('Pod', corePath(NS, 'pods')),
      isGone('Service', corePath(NS, 'services')),
      isGone('PodDisruptionBudget', groupPath('policy', NS, 'poddisruptionbudgets')),
      isGone('NetworkPolicy', groupPath('networking.k8s.io', NS, 'networkpolicies')),
    ]);

  before(async function () {
    this.timeout(60_000);
    const { kube, testbed } = world();
    await kube.createNamespace(NS);
    await create();
    await healthy();
    keys = await writeKeys(testbed.kubelet, { namespace: NS, name: NAME, ids: IDS }, 'kept');
  });

  it('takes everything except its volumes with it, and a new one of its name takes up these with their ids', async () => {
    const { kube } = world();
    const volumes = await claims();
    const uids = await nodeUids();
    await kube.deleteCluster(NS, NAME);
    await allIsGone();
    expect(await claims()).to.deep.equal(volumes);
    await create();
    await healthy();
    expect((await kube.nodes(NS)).map(({ metadata }) => metadata.name)).to.have.members(NAMES);
    expect(await nodeUids()).to.not.have.any.members([...uids]);
    expect(await claims()).to.deep.equal(volumes);
    await keys.areOnHomes(IDS);
  });

  it('goes once the operator is back when it was deleted while the operator was down', async () => {
    const { kube, testbed, watching } = world();
    await testbed.operator.stop();
    await kube.deleteCluster(NS, NAME);
    await watching.nodes(
      NS,
      'its nodes wait for the operator',
      (nodes) => nodes.length === 3 && nodes.every(({ metadata }) => metadata.deletionTimestamp !== undefined),
    );
    await testbed.operator.restart();
    await allIsGone();
    expect(await claims()).to.have.length(3);
  });

  it('is not confused with its successor of the same name, which waits until the old nodes are gone (F43)', async () => {
    const { kube, testbed, watching } = world();
    await create();
    await healthy();
    const old = await watching.node(NS, 'demo-1', 'demo-1', () => true);
    const volumes = await claims();
    testbed.kubelet.holdTermination(`${NS}/demo-1`);
    await kube.deleteCluster(NS, NAME);
    await isGone('MarekvsCluster', ownPath(NS, 'marekvsclusters'));
    await create();
    try {
      const waiting = await watching.cluster(NS, NAME, 'it waits for demo-1', (seen) =>
        says(seen, 'Ready', 'False', 'NameTaken'),
      );
      expect(waiting.status?.message).to.match(/MarekvsNode demo-\d belongs to an/);
      expect(conditionOf(waiting.status, 'Stalled')?.status).to.equal('False');
      const held = await watching.node(NS, 'demo-1', 'demo-1', () => true);
      expect(held.metadata.uid).to.equal(old.metadata.uid);
      expect(held.metadata.ownerReferences?.[0]?.uid).to.equal(old.metadata.ownerReferences?.[0]?.uid);
    } finally {
      testbed.kubelet.releaseTermination(`${NS}/demo-1`);
    }
    const { metadata } = await healthy();
    const nodes = await kube.nodes(NS);
    expect(nodes.map((node) => node.metadata.ownerReferences?.[0]?.uid)).to.deep.equal(IDS.map(() => metadata.uid));
    expect(await claims()).to.deep.equal(volumes);
    await keys.areOnHomes(IDS);
  });

  it('goes with its namespace, held by nothing, and nothing is created meanwhile (F60)', async () => {
    const { kube, testbed, watching } = world();
    const audit = await testbed.auditReader();
    await kube.core.deleteNamespace({ name: NS });
    const isOver = (namespaces: readonly Seen[]) => !namespaces.some(({ metadata }) => metadata.name === NS);
    await watching.until<Seen>(`namespace ${NS} is gone`, '/api/v1/namespaces', isOver, 45_000);
    const { requests } = await audit.read();
    // An apply can create an object, too.
    const isCreated = ({ code, namespace, resource }: (typeof requests)[number]) =>
      code === 201 && namespace === NS && resource !== 'events';
    expect(requests.filter(isCreated)).to.deep.equal([]);
  });
});
