// A cluster of the existing operator, whose Pods the real StatefulSet controller has made, is taken over by ours: first
// it is left alone, then one command hands it over. The same Pods run on, on the same volumes, with every key; from
// then on it is a cluster like any other.

import { type MarekvsCluster, selectorString, servingSelector } from '@marekvs/api';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { type Keys, writeKeys } from '../support/data.ts';
import { applyAsExistingOperator, reportAsExistingOperator } from '../support/existing-operator.ts';
import { installPlugin, type Plugin } from '../support/plugin.ts';
import { conditionOf, isPodReady, type PodSeen, type Seen } from '../support/seen.ts';
import { plainSpec } from '../support/specs.ts';
import { withWorld } from '../support/world.ts';

const NS = 'taken-over';
const OTHER_NS = 'not-taken-over';
const NAME = 'demo';
const COUNT = 3;

describe('a cluster of the existing operator', function () {
  this.timeout(120_000);
  const world = withWorld({ before, after }, { operator: false });
  let plugin: Plugin;
  let keys: Keys;
  let processes: readonly string[];

  const mkv = (namespace: string, ...args: readonly string[]) => plugin.call([...args, '-n', namespace]);

  /** One line per Pod: its UID, how often its process has started, and its volume. */
  async function livesOf(namespace: string): Promise<readonly string[]> {
    const { core } = world().kube;
    const [{ items: pods }, { items: claims }] = await Promise.all([
      core.listNamespacedPod({ namespace }),
      core.listNamespacedPersistentVolumeClaim({ namespace }),
    ]);
    return pods.map(({ metadata, status }) => {
      const claim = claims.find((one) => one.metadata?.name === `data-${metadata?.name}`);
      return `${metadata?.name} ${metadata?.uid} ${status?.containerStatuses?.[0]?.restartCount} ${claim?.metadata?.uid}`;
    });
  }

  /** Does what the existing operator does in a pass. */
  async function run(namespace: string, isOwned: boolean, claimTemplate = 'data'): Promise<void> {
    const { kube, testbed } = world();
    const { metadata, spec } = await kube.clusterUntil(namespace, NAME, 'it is stored', () => true);
    const uid = isOwned ? metadata.uid : undefined;
    await applyAsExistingOperator(testbed, {
      namespace,
      name: NAME,
      uid,
      image: spec.image,
      nodes: COUNT,
      claimTemplate,
    });
  }

  async function start(namespace: string, isOwned: boolean, claimTemplate?: string): Promise<void> {
    const { kube, watching } = world();
    await kube.createNamespace(namespace);
    await kube.createCluster(namespace, NAME, plainSpec(COUNT));
    await run(namespace, isOwned, claimTemplate);
    await watching.pods(namespace, `${COUNT} Pods of a StatefulSet`, (pods: readonly PodSeen[]) => {
      return pods.length === COUNT && pods.every(isPodReady);
    });
  }

  const selectorOf = async (name: string) =>
    (await world().kube.core.readNamespacedService({ namespace: NS, name })).spec?.selector;
  const isFound = ({ status }: MarekvsCluster) => conditionOf(status, 'Stalled')?.reason === 'StatefulSetFound';

  before(async function () {
    this.timeout(180_000);
    const { testbed } = world();
    [plugin] = await Promise.all([installPlugin(testbed), start(NS, true), start(OTHER_NS, false, 'store')]);
    await reportAsExistingOperator(world(), NS, NAME);
    keys = await writeKeys(testbed.kubelet, { namespace: NS, name: NAME, ids: [0, 1, 2] }, 'brought');
    processes = await livesOf(NS);
  });
  after(() => plugin?.remove());

  it('is not taken over while its spec differs from what runs, and the command that puts it right is named', async () => {
    const { kubectl } = world();
    const { code, err } = await mkv(NS, 'adopt', NAME, '--dry-run');
    expect([code, err]).to.deep.equal([
      4,
      `error: spec.gcGraceSeconds is 604800, and the members run with 3600. Next: kubectl patch mkv demo -n ${NS} --type=merge -p '{"spec":{"gcGraceSeconds":3600}}'\n`,
    ]);
    await kubectl('patch', 'mkv', NAME, '-n', NS, '--type=merge', '-p', '{"spec":{"gcGraceSeconds":3600}}');
  });

  it('goes back, without a restart, to an existing operator that still runs, which the command reports', async () => {
    const { testbed, watching } = world();
    const path = `/apis/apps/v1/namespaces/${NS}/statefulsets`;
    const again = watching.until<Seen>('it is let go', path, (all) => all.length === 0).then(() => run(NS, true));
    const [{ code, out, err }] = await Promise.all([mkv(NS, 'adopt', NAME), again]);
    expect([code, out], err).to.deep.equal([4, '']);
    expect(err).to.include('was made again at once, with the same Pods: the existing operator still runs');
    await watching.until<Seen & { readonly status?: { readonly readyReplicas?: number } }>(
      'its Pods are back in it',
      path,
      (all) => all.length === 1 && all[0]?.status?.readyReplicas === COUNT,
    );
    expect(await livesOf(NS)).to.deep.equal(processes);
    await testbed.startOperator();
  });

  it('is left as it is by our operator, whose status names the command for taking it over', async () => {
    const { kube } = world();
    const { status } = await kube.clusterUntil(NS, NAME, 'the StatefulSet is found', isFound);
    expect(status?.message).to.include(`kubectl mkv adopt ${NAME} -n ${NS}`);
    expect([await kube.nodes(NS), await selectorOf(NAME)]).to.deep.equal([[], { app: NAME }]);
    const { code, out } = await mkv(NS, 'explain', NAME);
    expect([code, out.includes(`kubectl mkv adopt ${NAME} -n ${NS}`)], out).to.deep.equal([4, true]);
  });

  it('is not taken over when its StatefulSet is somebody else’s, and nothing is written', async () => {
    const { kube } = world();
    const { code, out, err } = await mkv(OTHER_NS, 'adopt', NAME);
    expect([code, out]).to.deep.equal([4, '']);
    expect(err).to.match(/^error: StatefulSet demo belongs to somebody else\. Next: [^\n]+\n$/);
    const cluster = await kube.clusterUntil(OTHER_NS, NAME, 'it is there', () => true);
    expect(cluster.metadata.annotations?.['marekvs.io/adopt']).to.equal(undefined);
  });

  it('is taken over by one command: the same Pods and volumes, no restart, every key on its homes', async () => {
    const { kube } = world();
    const tried = await mkv(NS, 'adopt', NAME, '--dry-run');
    expect([tried.code, tried.err]).to.deep.equal([0, '']);
    const { code, out, err } = await mkv(NS, 'adopt', NAME);
    expect([code, err], out).to.deep.equal([0, '']);
    const { status } = await kube.healthy(NS, NAME, COUNT, 60_000);
    expect(status?.formed?.clusterId).to.equal('marekvs');
    expect(status?.conditions?.map(({ type }) => type)).to.not.include('MetricsAvailable');
    expect(await livesOf(NS)).to.deep.equal(processes);
    await keys.areOnHomes([0, 1, 2]);
    expect(await kube.nodes(NS)).to.have.lengthOf(COUNT);
    const { items } = await kube.core.listNamespacedPod({ namespace: NS });
    const owners = items.flatMap(({ metadata }) => metadata?.ownerReferences ?? []);
    expect(owners.map(({ kind, controller }) => [kind, controller])).to.deep.equal(
      Array(COUNT).fill(['MarekvsNode', true]),
    );
  });

  it('has the same Services, which find the same Pods by our labels alone', async () => {
    const { kube, watching } = world();
    await watching.until<Seen & { readonly spec?: { readonly selector?: object } }>(
      'the client Service is switched',
      `/api/v1/namespaces/${NS}/services`,
      (all) => all.length === 2 && all.every(({ spec }) => !Object.hasOwn(spec?.selector ?? {}, 'app')),
    );
    expect(await selectorOf(NAME)).to.deep.equal({ ...servingSelector(NAME) });
    const { items } = await kube.core.listNamespacedPod({
      namespace: NS,
      labelSelector: selectorString(servingSelector(NAME)),
    });
    expect(items).to.have.lengthOf(COUNT);
  });

  it('needs nothing when the same command is typed again, which says that this operator runs it already', async () => {
    const { code, out } = await mkv(NS, 'adopt', NAME);
    expect([code, out]).to.deep.equal([0, `${NAME} is run by this operator already\n`]);
  });

  it('gets a new Pod on the same volume for a Pod that ends', async () => {
    const { kube, kubectl } = world();
    const before = await kube.core.readNamespacedPod({ namespace: NS, name: 'demo-1' });
    await kubectl('delete', 'pod', 'demo-1', '-n', NS);
    const pod = await world().watching.pod(
      NS,
      'demo-1',
      'a new Pod is ready',
      (seen) => seen.metadata.uid !== before.metadata?.uid && isPodReady(seen),
    );
    // Copies would come back from the other members as well, so it is checked that the Pod reads its volume.
    const { spec } = await kube.core.readNamespacedPod({ namespace: NS, name: 'demo-1' });
    const dataDir = spec?.containers[0]?.env?.find(({ name }) => name === 'MAREKVS_DATA_DIR')?.value;
    expect([pod.metadata.uid === before.metadata?.uid, dataDir]).to.deep.equal([false, '/data']);
    await kube.healthy(NS, NAME, COUNT, 60_000);
    await keys.areOnHomes([0, 1, 2]);
  });

  it('grows by one node, loses one again by proof, and keeps every key', async () => {
    const { kube, kubectl } = world();
    await kubectl('-n', NS, 'scale', `mkv/${NAME}`, '--replicas=4');
    await kube.healthy(NS, NAME, 4, 60_000);
    await keys.areOnHomes([0, 1, 2, 3]);
    await kubectl('-n', NS, 'scale', `mkv/${NAME}`, '--replicas=3');
    const { status } = await kube.healthy(NS, NAME, 3, 110_000);
    expect(status?.lastOperation).to.deep.include({ basis: 'Proof', reason: 'RemovalFinished' });
    await keys.areOnHomes([0, 1, 2]);
  });
});
