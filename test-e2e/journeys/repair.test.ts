// What breaks below a running cluster comes back by itself, on its own volume, and is reported while it lasts. The
// tests share one cluster, in order; the last one but one costs it a volume for good.

import { LABELS, type MarekvsCluster, type MarekvsNode, selectorString } from '@marekvs/api';
import type { AuditReader } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { type Keys, membersOf, writeKeys } from '../support/data.ts';
import { holdService, type ServiceSeen } from '../support/foreign-controller.ts';
import { corePath } from '../support/paths.ts';
import { conditionOf, isPodReady, type PodSeen, restartsOf, says } from '../support/seen.ts';
import { plainSpec } from '../support/specs.ts';
import { withWorld } from '../support/world.ts';
import { actsOn, writesTo } from '../support/written.ts';

const NS = 'repair';
const NAME = 'demo';
const IDS = [0, 1, 2, 3];
const STUCK_NS = 'stuck';

describe('a cluster in which something breaks', function () {
  this.timeout(120_000);
  // Longer than the operator is ever frozen here, so that it goes on with the state it had.
  const world = withWorld({ before, after }, { operator: { extraArgs: ['--lease-duration=60s'] } });
  let keys: Keys;
  let heldVolume: string | undefined;
  let heldAudit: AuditReader;

  const pod = (name: string): Promise<PodSeen> => world().watching.pod(NS, name, `Pod ${name}`, () => true);
  const node = (name: string): Promise<MarekvsNode> => world().watching.node(NS, name, name, () => true);
  const claimUid = async (name: string, namespace = NS): Promise<string | undefined> =>
    (await world().kube.core.readNamespacedPersistentVolumeClaim({ namespace, name })).metadata?.uid;
  const healthy = (): Promise<MarekvsCluster> => world().kube.healthy(NS, NAME, IDS.length, 30_000);
  const hasNewPod = (name: string, old: PodSeen): Promise<PodSeen> => {
    const isNew = (seen: PodSeen) => seen.metadata.uid !== old.metadata.uid && isPodReady(seen);
    return world().watching.pod(NS, name, `a new ready ${name}`, isNew);
  };

  before(async function () {
    this.timeout(90_000);
    const { kube, testbed } = world();
    await kube.createNamespace(NS);
    await kube.createNamespace(STUCK_NS);
    await kube.createCluster(NS, NAME, plainSpec(IDS.length));
    await kube.createCluster(STUCK_NS, 'held', plainSpec(2, { replicationFactor: 1 }));
    await Promise.all([healthy(), kube.healthy(STUCK_NS, 'held', 2)]);
    keys = await writeKeys(testbed.kubelet, { namespace: NS, name: NAME, ids: IDS }, 'kept');
    heldVolume = await claimUid('data-held-1', STUCK_NS);
    heldAudit = await testbed.auditReader();
    // Asserted at the very end, because the operator takes half a minute of real time to call a Pod stuck.
    testbed.kubelet.holdTermination(`${STUCK_NS}/held-1`);
    await kube.core.deleteNamespacedPod({ namespace: STUCK_NS, name: 'held-1', gracePeriodSeconds: 1 });
  });

  it('gets a deleted Pod back on the same volume and node id, with its data', async () => {
    const { kube } = world();
    const old = await pod('demo-1');
    const volume = await claimUid('data-demo-1');
    const before = await node('demo-1');
    await kube.core.deleteNamespacedPod({ namespace: NS, name: 'demo-1' });
    const back = await hasNewPod('demo-1', old);
    // The status of the cluster cannot be waited for: it says nothing of a Pod that is back before its absence was
    // reported.
    const isKnown = ({ status }: MarekvsNode) => status?.podUID === back.metadata.uid && status.phase === 'Active';
    const now = await world().watching.node(NS, 'demo-1', 'demo-1 Active in its new Pod', isKnown);
    await healthy();
    expect(await claimUid('data-demo-1')).to.equal(volume);
    expect(now.metadata.uid).to.equal(before.metadata.uid);
    expect(now.status).to.include({ pvcUID: volume });
    await keys.areOnHomes(IDS);
  });

  it('gets two Pods that were deleted at once back, one after the other', async () => {
    const { kube, watching } = world();
    const old = [await pod('demo-0'), await pod('demo-1')];
    const starting: string[][] = [];
    const isNew = (seen: PodSeen) => !old.some(({ metadata }) => metadata.uid === seen.metadata.uid);
    const areBack = watching.pods(NS, 'both Pods are back', (pods) => {
      const fresh = pods.filter((one) => IDS.some((id) => one.metadata.name === `demo-${id}`) && isNew(one));
      const unready = fresh.filter((one) => !isPodReady(one) && one.metadata.deletionTimestamp === undefined);
      starting.push(unready.map((one) => one.metadata.name));
      return ['demo-0', 'demo-1'].every((name) => fresh.some((one) => one.metadata.name === name && isPodReady(one)));
    });
    await Promise.all(['demo-0', 'demo-1'].map((name) => kube.core.deleteNamespacedPod({ namespace: NS, name })));
    await areBack;
    expect(starting.filter((names) => names.length > 1)).to.deep.equal([]);
    await healthy();
    await keys.areOnHomes(IDS);
  });

  it('gets a new Pod on the same volume for one that was evicted', async () => {
    const old = await pod('demo-2');
    const volume = await claimUid('data-demo-2');
    await world().testbed.kubelet.evict(`${NS}/demo-2`);
    await hasNewPod('demo-2', old);
    await healthy();
    expect(await claimUid('data-demo-2')).to.equal(volume);
    await keys.areOnHomes(IDS);
  });

  it('leaves a killed member to the kubelet, which starts it again', async () => {
    const { testbed, watching } = world();
    const old = await pod('demo-0');
    const audit = await testbed.auditReader();
    testbed.kubelet.kill(`${NS}/demo-0`);
    const restarted = (seen: PodSeen) => restartsOf(seen) > restartsOf(old) && isPodReady(seen);
    const back = await watching.pod(NS, 'demo-0', 'demo-0 runs again', restarted);
    await healthy();
    expect(back.metadata.uid).to.equal(old.metadata.uid);
    expect(actsOn(await audit.read(), NS)).to.deep.equal([]);
    await keys.areOnHomes(IDS);
  });

  it('names a frozen member as silent and is Healthy again once it thaws', async () => {
    const { testbed, watching } = world();
    testbed.kubelet.freeze(`${NS}/demo-1`);
    try {
      const names = ({ status }: MarekvsCluster) => status?.message?.includes('demo-1') === true;
      await watching.cluster(
        NS,
        NAME,
        'MemberSilent',
        (seen) => says(seen, 'Ready', 'False', 'MemberSilent') && names(seen),
      );
      await watching.node(NS, 'demo-1', 'demo-1 is MemberSilent', (seen) =>
        says(seen, 'Ready', 'False', 'MemberSilent'),
      );
    } finally {
      testbed.kubelet.thaw(`${NS}/demo-1`);
    }
    await healthy();
    await keys.areOnHomes(IDS);
  });

  it('gets the labels of a Pod back that a user has edited, and counts no member twice (F55)', async () => {
    const { patching, watching, kube } = world();
    const old = await pod('demo-0');
    const wanted = old.metadata.labels;
    for (const labels of [{ [LABELS.serving]: null }, { [LABELS.nodeId]: '7', [LABELS.cluster]: 'x' }]) {
      await patching.pod(NS, 'demo-0', { metadata: { labels } });
      await watching.pod(NS, 'demo-0', `demo-0 has its labels again after ${JSON.stringify(labels)}`, (seen) =>
        Object.entries(wanted ?? {}).every(([key, value]) => seen.metadata.labels?.[key] === value),
      );
    }
    await healthy();
    expect((await pod('demo-0')).metadata.uid).to.equal(old.metadata.uid);
    expect((await kube.nodes(NS)).map((one) => one.metadata.name)).to.have.members(IDS.map((id) => `demo-${id}`));
  });

  it('gets the labels and the selector of a Service back, and a deleted Service', async () => {
    const { kube, patching, watching } = world();
    const path = corePath(NS, 'services');
    await patching.service(NS, NAME, { metadata: { labels: { [LABELS.instance]: 'x' } } });
    await watching.one<ServiceSeen>(
      'its label is back',
      path,
      NAME,
      ({ metadata }) => metadata.labels?.[LABELS.instance] === NAME,
    );
    await patching.service(NS, NAME, { spec: { selector: { [LABELS.serving]: 'no' } } });
    await watching.one<ServiceSeen>(
      'its selector is back',
      path,
      NAME,
      ({ spec }) => spec.selector?.[LABELS.serving] === 'true',
    );
    const old = await kube.core.readNamespacedService({ namespace: NS, name: NAME });
    await kube.core.deleteNamespacedService({ namespace: NS, name: NAME });
    await watching.one<ServiceSeen>(
      'another Service',
      path,
      NAME,
      ({ metadata }) => metadata.uid !== old.metadata?.uid,
    );
  });

  it('has only serving Pods behind the client Service', async () => {
    const { kube, testbed, watching } = world();
    const { [LABELS.serving]: _, ...labels } = (await pod('demo-0')).metadata.labels ?? {};
    await testbed.apply(
      [
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'stray', labels },
          spec: { containers: [{ name: 'c', image: 'pause' }] },
        } as never,
      ],
      NS,
    );
    const stray = await watching.pod(NS, 'stray', 'the stray Pod runs', (seen) => isPodReady(seen));
    const behind = async (service: string): Promise<readonly string[]> => {
      const { spec } = await kube.core.readNamespacedService({ namespace: NS, name: service });
      const labelSelector = selectorString(spec?.selector ?? {});
      const { items } = await kube.core.listNamespacedPod({ namespace: NS, labelSelector });
      return items.map((item) => item.status?.podIP ?? '');
    };
    const members = [...membersOf(testbed.kubelet, NS, NAME).values()];
    expect(await behind(NAME)).to.have.members(members);
    expect(await behind(`${NAME}-headless`)).to.have.members([...members, stray.status?.podIP]);
    await kube.core.deleteNamespacedPod({ namespace: NS, name: 'stray', gracePeriodSeconds: 0 });
  });

  it('is left to a foreign controller for a while after three rounds with it, which is reported (F18)', async () => {
    const { kube, testbed, watching } = world();
    await healthy();
    const audit = await testbed.auditReader();
    const wish = { spec: { selector: { [LABELS.serving]: 'foreign' } } };
    const foreign = await holdService(
      kube,
      NS,
      NAME,
      ({ spec }) => spec.selector?.[LABELS.serving] === 'foreign',
      wish,
    );
    const said = await watching.cluster(NS, NAME, 'DriftLoop', (seen) => says(seen, 'Stalled', 'True', 'DriftLoop'));
    await foreign.stop();
    expect(conditionOf(said.status, 'Stalled')?.message).to.include(`Service ${NAME}`);
    const rounds = writesTo(await audit.read(), NS).filter((write) => write === `patch services ${NAME}`);
    expect(rounds).to.have.length(3);
    await world().patching.service(NS, NAME, { spec: { selector: { [LABELS.serving]: 'true' } } });
    await healthy();
  });

  it('gets a node that vanished without its finalizer back, with the same id and volume (F57)', async () => {
    const { kube, testbed, watching } = world();
    const old = await node('demo-3');
    const volume = await claimUid('data-demo-3');
    // An operator that runs would put the finalizer back in between, which would make it an ordinary deletion.
    testbed.operator.freeze();
    await kube.patchNode(NS, 'demo-3', { metadata: { finalizers: null } });
    await kube.deleteNode(NS, 'demo-3');
    testbed.operator.thaw();
    const again = await watching.node(
      NS,
      'demo-3',
      'demo-3 is Active again',
      ({ metadata, status }) => metadata.uid !== old.metadata.uid && status?.phase === 'Active',
    );
    expect(again.spec.nodeId).to.equal(3);
    expect(again.status?.pvcUID).to.equal(volume);
    await healthy();
    expect(await claimUid('data-demo-3')).to.equal(volume);
    await keys.areOnHomes(IDS);
    await watching.event(NS, 'an event', ({ action, note }) => action === 'CreateNode' && note === 'created demo-3');
    await watching.event(NS, 'a warning', ({ type, reason }) => type === 'Warning' && reason === 'FinalizerRemoved');
  });

  it('gets a node with a new id for one whose volume is lost, and never has the old id on an empty volume (H2)', async function () {
    this.timeout(120_000);
    const { kube, testbed, watching } = world();
    const audit = await testbed.auditReader();
    // Both at once, as when a host is lost with its disk: an operator that sees the volume go first would still get an
    // answer of the member.
    testbed.operator.freeze();
    await kube.core.deleteNamespacedPersistentVolumeClaim({ namespace: NS, name: 'data-demo-2' });
    await kube.core.deleteNamespacedPod({ namespace: NS, name: 'demo-2' });
    await watching.claims(NS, 'data-demo-2 is gone', (all) =>
      all.every(({ metadata }) => metadata.name !== 'data-demo-2'),
    );
    testbed.operator.thaw();
    const atRisk = await watching.cluster(NS, NAME, 'data is at risk', (seen) =>
      says(seen, 'DataAtRisk', 'True', 'VolumeLost'),
    );
    expect(conditionOf(atRisk.status, 'DataAtRisk')?.message).to.include('demo-2');
    await watching.node(NS, 'demo-4', 'demo-4 is Active', ({ status }) => status?.phase === 'Active');
    await watching.nodes(
      NS,
      'demo-2 is gone',
      (all) => all.every(({ metadata }) => metadata.name !== 'demo-2'),
      90_000,
    );
    const { status } = await healthy();
    expect(status?.lastOperation).to.include({ basis: 'Dead', outcome: 'Succeeded' });
    expect(status?.lastOperation?.proof?.post).to.include({ stage: 'Post' });
    await keys.areOnHomes([0, 1, 3, 4]);
    const made = actsOn(await audit.read(), NS).filter((write) => write.startsWith('create '));
    expect(made).to.have.members([
      'create marekvsnodes demo-4',
      'create persistentvolumeclaims data-demo-4',
      'create pods demo-4',
    ]);
    await watching.event(NS, 'an event', (event) => event.reason === 'VolumeLost' && event.type === 'Warning');
  });

  it('says that a Pod is stuck Terminating, waits for it, and is Healthy once it is gone (F50)', async () => {
    const { kube, testbed, watching } = world();
    const said = await watching.node(
      STUCK_NS,
      'held-1',
      'held-1 is stuck',
      (seen) => says(seen, 'Ready', 'False', 'PodStuckTerminating'),
      60_000,
    );
    expect(conditionOf(said.status, 'Ready')?.message).to.include('held-1');
    await watching.cluster(STUCK_NS, 'held', 'a person has to act', (seen) =>
      says(seen, 'Stalled', 'True', 'PodStuckTerminating'),
    );
    const pods = await watching.pods(STUCK_NS, 'two Pods', (all) => all.length === 2);
    const stuck = pods.find(({ metadata }) => metadata.name === 'held-1');
    expect(stuck?.metadata.deletionTimestamp).to.be.a('string');
    const made = actsOn(await heldAudit.read(), STUCK_NS).filter((write) => /^(create|delete) /.test(write));
    expect(made, 'nothing is created, and nothing deleted').to.deep.equal([]);
    testbed.kubelet.releaseTermination(`${STUCK_NS}/held-1`);
    const isNew = (seen: PodSeen) => seen.metadata.uid !== stuck?.metadata.uid && isPodReady(seen);
    await watching.pod(STUCK_NS, 'held-1', 'a new ready held-1', isNew);
    await kube.healthy(STUCK_NS, 'held', 2);
    expect(await claimUid('data-held-1', STUCK_NS)).to.equal(heldVolume);
  });
});
