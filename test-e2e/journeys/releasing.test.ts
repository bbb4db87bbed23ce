// The way back: members that were taken over are handed to a StatefulSet again, whose real controller takes them under
// load and without a restart. What the existing operator does next changes nothing; a Pod that ends is made again on
// its data; and the members are taken over once more. No acknowledged write is lost on the way.

import { type MarekvsCluster, selectorString, servingSelector } from '@marekvs/api';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { eventually } from '../support/eventually.ts';
import { applyAsExistingOperator } from '../support/existing-operator.ts';
import { type Ledger, startLedger } from '../support/ledger.ts';
import { installPlugin, type Plugin } from '../support/plugin.ts';
import { conditionOf, isPodReady, type PodSeen, type Seen } from '../support/seen.ts';
import { plainSpec } from '../support/specs.ts';
import { withWorld } from '../support/world.ts';

const NS = 'given-back';
const NAME = 'demo';
const COUNT = 3;

interface SetSeen extends Seen {
  readonly metadata: Seen['metadata'] & { readonly generation?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly readyReplicas?: number;
    readonly currentRevision?: string;
    readonly updateRevision?: string;
  };
}

describe('a cluster that was taken over from the existing operator', function () {
  this.timeout(120_000);
  // Our operator would form a cluster whose StatefulSet does not exist yet.
  const world = withWorld({ before, after }, { operator: false });
  let plugin: Plugin;
  let ledger: Ledger;
  let processes: readonly string[];

  const mkv = (...args: readonly string[]) => plugin.call([...args, '-n', NS]);
  const sets = (what: string, isMeant: (set: SetSeen) => boolean) =>
    world().watching.until<SetSeen>(what, `/apis/apps/v1/namespaces/${NS}/statefulsets`, ([set]) => {
      return set !== undefined && isMeant(set);
    });

  /** One line per Pod: its UID, how often its process has started, and its volume. */
  async function lives(): Promise<readonly string[]> {
    const { core } = world().kube;
    const [{ items: pods }, { items: claims }] = await Promise.all([
      core.listNamespacedPod({ namespace: NS }),
      core.listNamespacedPersistentVolumeClaim({ namespace: NS }),
    ]);
    return pods.map(({ metadata, status }) => {
      const claim = claims.find((one) => one.metadata?.name === `data-${metadata?.name}`);
      return `${metadata?.name} ${metadata?.uid} ${status?.containerStatuses?.[0]?.restartCount} ${claim?.metadata?.uid}`;
    });
  }

  async function owners(): Promise<readonly string[]> {
    const { items } = await world().kube.core.listNamespacedPod({ namespace: NS });
    return items.flatMap(({ metadata }) => metadata?.ownerReferences ?? []).map(({ kind }) => kind);
  }

  /** Does what the existing operator does in a pass. */
  async function existingOperator(): Promise<void> {
    const { kube, testbed } = world();
    const { metadata, spec } = await kube.clusterUntil(NS, NAME, 'it is stored', () => true);
    const { uid } = metadata;
    await applyAsExistingOperator(testbed, {
      namespace: NS,
      name: NAME,
      uid,
      image: spec.image,
      nodes: COUNT,
      claimTemplate: 'data',
    });
  }

  async function selectors(): Promise<readonly unknown[]> {
    const { items } = await world().kube.core.listNamespacedService({ namespace: NS });
    return items.map(({ spec }) => spec?.selector);
  }

  const isFound = ({ status }: MarekvsCluster) => conditionOf(status, 'Stalled')?.reason === 'StatefulSetFound';

  before(async function () {
    this.timeout(180_000);
    const { testbed, kube, watching } = world();
    plugin = await installPlugin(testbed);
    await kube.createNamespace(NS);
    await kube.createCluster(NS, NAME, plainSpec(COUNT, { gcGraceSeconds: 3600, deletionProtection: true }));
    await existingOperator();
    await watching.pods(NS, `${COUNT} Pods of a StatefulSet`, (pods: readonly PodSeen[]) => {
      return pods.length === COUNT && pods.every(isPodReady);
    });
    await testbed.startOperator();
    await kube.clusterUntil(NS, NAME, 'the StatefulSet is found', isFound);
    const { code, err } = await mkv('adopt', NAME);
    expect(code, err).to.equal(0);
    await kube.healthy(NS, NAME, COUNT, 60_000);
    processes = await lives();
    ledger = await startLedger(world(), { namespace: NS, name: NAME });
  });
  after(async () => {
    await ledger?.stop();
    await plugin?.remove();
  });

  it('cannot be released while its spec has what the old form lacks; the command against that is named', async () => {
    const { kubectl, kube } = world();
    const { code, out, err } = await mkv('release', NAME);
    expect([code, out]).to.deep.equal([4, '']);
    expect(err).to.include('deletionProtection').and.include('"deletionProtection":false');
    const { metadata } = await kube.clusterUntil(NS, NAME, 'it is there', () => true);
    expect(metadata.annotations?.['marekvs.io/release']).to.equal(undefined);
    await kubectl('patch', 'mkv', NAME, '-n', NS, '--type=merge', '-p', '{"spec":{"deletionProtection":false}}');
    await kube.clusterUntil(NS, NAME, 'that is seen', ({ status, metadata: { generation } }) => {
      return status?.observedGeneration === generation;
    });
  });

  it('is released by one command under load: the same processes on the same volumes, in the StatefulSet', async () => {
    const { kube } = world();
    const tried = await mkv('release', NAME, '--dry-run');
    expect([tried.code, tried.err]).to.deep.equal([0, '']);
    expect(tried.out).to.include('kind: StatefulSet').and.include('type: OnDelete');
    expect(await owners()).to.deep.equal(Array(COUNT).fill('MarekvsNode'));
    const { code, out, err } = await mkv('release', NAME);
    expect([code, err], out).to.deep.equal([0, '']);
    await sets('its status counts all of them', ({ status }) => status?.readyReplicas === COUNT);
    expect([await lives(), await owners()]).to.deep.equal([processes, Array(COUNT).fill('StatefulSet')]);
    expect([await kube.nodes(NS), await selectors()]).to.deep.equal([[], [{ app: NAME }, { app: NAME }]]);
    const { status, metadata } = await kube.clusterUntil(NS, NAME, 'it is what it was', isFound);
    expect([status?.formed, status?.release, metadata.annotations]).to.deep.equal([undefined, undefined, undefined]);
  });

  it('keeps its processes when the existing operator goes on with it', async () => {
    await existingOperator();
    await sets('its controller has seen that', ({ status, metadata }) => {
      const isSeen = status?.observedGeneration === metadata.generation;
      return isSeen && status?.readyReplicas === COUNT && status.updateRevision === status.currentRevision;
    });
    expect(await lives()).to.deep.equal(processes);
  });

  it('gets a Pod that was deleted made again by its StatefulSet', async () => {
    const { kube, kubectl, watching } = world();
    const { metadata } = await kube.core.readNamespacedPod({ namespace: NS, name: 'demo-1' });
    await kubectl('delete', 'pod', 'demo-1', '-n', NS);
    await watching.pod(NS, 'demo-1', 'a new Pod is ready', (seen) => {
      return seen.metadata.uid !== metadata?.uid && isPodReady(seen);
    });
    expect(await owners()).to.deep.equal(Array(COUNT).fill('StatefulSet'));
    processes = await lives();
  });

  it('is taken over again by the same command as before', async () => {
    const { kube } = world();
    const { code, err } = await mkv('adopt', NAME);
    expect(code, err).to.equal(0);
    await kube.healthy(NS, NAME, COUNT, 60_000);
    expect([await lives(), await owners()]).to.deep.equal([processes, Array(COUNT).fill('MarekvsNode')]);
  });

  it('is taken back from a release that was stopped half-way', async () => {
    const { kube, kubectl } = world();
    const { metadata, status } = await kube.clusterUntil(NS, NAME, 'it is formed', () => true);
    // This is what the command leaves when it is killed after its first write.
    const asked = `marekvs.io/release=${metadata.uid}/${status?.formed?.at}`;
    await kubectl('annotate', 'mkv', NAME, '-n', NS, asked);
    const isSaid = ({ status: { conditions = [] } = {} }: MarekvsCluster) =>
      conditions.some(({ reason }) => reason === 'ReleaseWaiting');
    await kube.clusterUntil(NS, NAME, 'it waits, and says so', isSaid);
    const explained = await mkv('explain', NAME);
    expect(explained.out).to.include('ReleaseWaiting').and.include(`kubectl mkv release ${NAME} -n ${NS}`);
    const { code, err } = await mkv('adopt', NAME);
    expect(code, err).to.equal(0);
    await kube.healthy(NS, NAME, COUNT, 60_000);
    expect(await lives()).to.deep.equal(processes);
  });

  it('has lost no acknowledged write, and has all its Pods behind the client Service', async () => {
    const { items } = await world().kube.core.listNamespacedPod({
      namespace: NS,
      labelSelector: selectorString(servingSelector(NAME)),
    });
    expect(items).to.have.lengthOf(COUNT);
    await eventually('clients have written much', () => ledger.acknowledged() > 2_000);
    console.log(`      ${await ledger.stop()}`);
    await ledger.check([0, 1, 2]);
  });
});
