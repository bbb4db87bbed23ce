// Hosts that are drained under members, by kubectl and with the disruption budget as shipped: members move ahead of the
// eviction if there is time, are evicted one at a time if there is none, and no acknowledged write is lost.
// Runs first: five hosts one after the other, each with the time its member takes to come back.

import { LABELS, type MarekvsCluster } from '@marekvs/api';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { writeKeys } from '../support/data.ts';
import { createKubectl } from '../support/kubectl.ts';
import { type Ledger, startLedger } from '../support/ledger.ts';
import { corePath } from '../support/paths.ts';
import { isPodReady, isReadyElsewhere, type PodSeen } from '../support/seen.ts';
import { plainSpec } from '../support/specs.ts';
import { withWorld } from '../support/world.ts';

const NS = 'drains';
const IDS = [0, 1, 2, 3, 4];
const LIMIT_MS = 240_000;
/** Who kubectl is. */
const ADMIN_USER = 'testbed-admin';

describe('hosts that are drained', function () {
  this.timeout(2 * LIMIT_MS);
  const world = withWorld({ before, after }, { nodeCount: 12 });
  let ledger: Ledger;
  /** The most members that were away at one time: ending, gone, or not ready. */
  let mostAway = 0;
  let stopWatching: (() => void) | undefined;
  const hostOf = (id: number): string => world().testbed.kubelet.pod(`${NS}/demo-${id}`)?.nodeName ?? '';
  const drain = (host: string): Promise<string> =>
    createKubectl(world().testbed, undefined, LIMIT_MS)(
      'drain',
      host,
      '--ignore-daemonsets',
      `--timeout=${LIMIT_MS}ms`,
    );
  const healthy = () => world().kube.healthy(NS, 'demo', IDS.length, LIMIT_MS);

  before(async function () {
    this.timeout(120_000);
    const { kube, testbed, watching } = world();
    await kube.createNamespace(NS);
    await kube.createCluster(NS, 'demo', plainSpec(IDS.length));
    await healthy();
    for (const id of IDS) await testbed.kubelet.tieVolume(NS, `data-demo-${id}`, undefined);
    const following = await watching.follow<PodSeen>(corePath(NS, 'pods'), (pods) => {
      const there = pods.filter(
        (one) => one.metadata.labels?.[LABELS.cluster] === 'demo' && isPodReady(one) && !one.metadata.deletionTimestamp,
      );
      mostAway = Math.max(mostAway, IDS.length - there.length);
    });
    stopWatching = following.stop;
    ledger = await startLedger(world(), { namespace: NS, name: 'demo', perSecond: 50, clients: 1 });
  });

  after(async () => {
    stopWatching?.();
    await ledger?.stop();
  });

  it('and only cordoned lose their member ahead of any eviction', async () => {
    const { kubectl, watching } = world();
    const host = hostOf(3);
    await kubectl('cordon', host);
    const hasLeft = (seen: PodSeen) => isReadyElsewhere(seen, host);
    await watching.pod(NS, 'demo-3', 'demo-3 is on another host', hasLeft, LIMIT_MS);
    const { status } = await healthy();
    expect(status?.lastOperation).to.include({ outcome: 'Succeeded', reason: 'MovedOff' });
    expect(status?.lastOperation?.roll).to.include({ name: 'demo-3', leaves: host });
    expect(mostAway).to.equal(1);
  });

  it('one after the other by kubectl lose their members one at a time, without any help and without a lost write', async () => {
    for (const id of IDS) {
      const host = hostOf(id);
      const startedMs = performance.now();
      await drain(host);
      expect(hostOf(id)).to.not.equal(host);
      console.log(`      ${host}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
    }
    await healthy();
    expect(mostAway).to.equal(1);
    console.log(`      ${await ledger.stop()}`);
    await ledger.check(IDS);
  });

  it('and are the disks of their members lose them by proof, after new members have joined', async () => {
    const { kube, testbed, watching } = world();
    const diskIds = [0, 1, 2, 3];
    await kube.createCluster(NS, 'disk', plainSpec(diskIds.length, { hosts: { replaceOnDrain: true } }));
    await kube.healthy(NS, 'disk', diskIds.length, LIMIT_MS);
    const placeOf = (id: number): string => testbed.kubelet.pod(`${NS}/disk-${id}`)?.nodeName ?? '';
    for (const id of diskIds) await testbed.kubelet.tieVolume(NS, `data-disk-${id}`, placeOf(id));
    const kept = await writeKeys(testbed.kubelet, { namespace: NS, name: 'disk', ids: diskIds }, 'kept');
    const left = [0, 1, 3];
    const podsOf = async (): Promise<readonly (string | undefined)[]> =>
      Promise.all(
        left.map(async (id) => {
          const { metadata } = await kube.core.readNamespacedPod({ namespace: NS, name: `disk-${id}` });
          return metadata?.uid;
        }),
      );
    const before = await podsOf();
    const host = placeOf(2);
    const audit = await testbed.auditReader(ADMIN_USER);
    await drain(host);
    const gone = (all: readonly { readonly metadata: { readonly name: string } }[]) =>
      all.every(({ metadata }) => metadata.name !== 'disk-2');
    await watching.nodes(NS, 'disk-2 has gone', gone, LIMIT_MS);
    const isOver = ({ status: seen }: MarekvsCluster) =>
      seen?.operation === undefined && seen?.lastOperation?.target?.name === 'disk-2';
    const { status } = await watching.cluster(NS, 'disk', 'its removal is over', isOver, LIMIT_MS);
    expect(status?.lastOperation).to.include({ type: 'Remove', basis: 'Proof', outcome: 'Succeeded' });
    expect(status?.lastOperation?.chosen).to.include(`its host ${host} is being drained`);
    expect(status?.detachedVolumes?.map(({ pvcName, state }) => [pvcName, state])).to.deep.equal([
      ['data-disk-2', 'HostDrained'],
    ]);
    const evictions = (await audit.read()).requests.filter(
      ({ resource, name }) => resource === 'pods/eviction' && name === 'disk-2',
    );
    expect(evictions, 'kubectl asked').to.not.deep.equal([]);
    expect(evictions.filter(({ code }) => code < 300)).to.deep.equal([]);
    expect(await podsOf(), 'nobody else was ended').to.deep.equal(before);
    await kept.areOnHomes([0, 1, 3, 4]);
  });
});
