// Volumes grow on a real control plane: in use, not at all, as far as a quota allows, and with a restart of their Pods.
// Refusals come from the API server's own admission.
// Runs first: a host is given a minute to resize a file system under a running Pod.

import type { V1ResourceQuota } from '@kubernetes/client-node';
import type { MarekvsClusterSpec } from '@marekvs/api';
import { STORAGE_CLASS_MANIFEST } from '@marekvs/testbed';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { clusterHandle } from '../support/cluster-handle.ts';
import { eventually } from '../support/eventually.ts';
import { parseTable } from '../support/kubectl.ts';
import type { Ledger } from '../support/ledger.ts';
import { conditionOf } from '../support/seen.ts';
import { withWorld } from '../support/world.ts';

const NS = 'growing';
const NODES = 3;

describe('larger volumes', function () {
  this.timeout(240_000);
  const world = withWorld({ before, after });
  const online = clusterHandle(world, NS, 'online');
  const fixed = clusterHandle(world, NS, 'fixed');
  const offline = clusterHandle(world, NS, 'offline');
  let ledger: Ledger;

  const of = (className: string): Partial<MarekvsClusterSpec> => ({ storage: { size: '1Gi', className } });
  const claims = async (name: string) =>
    (await world().kube.core.listNamespacedPersistentVolumeClaim({ namespace: NS })).items
      .filter(({ metadata }) => metadata?.name?.startsWith(`data-${name}-`))
      .map(({ status }) => status?.capacity?.storage);
  const inForce = (seen: Parameters<Parameters<typeof online.says>[1]>[0]) =>
    conditionOf(seen.status, 'PendingChange')?.status === 'False' &&
    conditionOf(seen.status, 'Ready')?.status === 'True' &&
    seen.status?.observedGeneration === seen.metadata.generation &&
    seen.status?.operation === undefined;

  before(async function () {
    this.timeout(180_000);
    const { kube, testbed } = world();
    const { metadata: _standard, ...manifest } = STORAGE_CLASS_MANIFEST;
    const classes = [
      { ...manifest, metadata: { name: 'fixed' }, allowVolumeExpansion: false },
      { ...manifest, metadata: { name: 'offline' } },
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'VolumeAttributesClass',
        metadata: { name: 'fast' },
        driverName: manifest.provisioner,
        parameters: { iops: '1000' },
      },
    ];
    await testbed.apply(classes);
    await kube.createNamespace(NS);
    const specs = { online: of('standard'), fixed: of('fixed'), offline: of('offline') };
    for (const [name, spec] of Object.entries(specs))
      await kube.createCluster(NS, name, { image: 'ghcr.io/yannick/marekvs:latest', nodes: NODES, ...spec });
    for (const one of [online, fixed, offline]) await one.healthy(NODES, 120_000);
    ledger = await online.ledger({ perSecond: 100 });
  });

  it('of a class that can grow get their size and attributes while members run, and nobody is restarted', async () => {
    const before = online.lives();
    await offline.edit({ storage: { size: '2Gi' } });
    await online.edit({ storage: { size: '2Gi', volumeAttributesClassName: 'fast' } });
    await online.says('it is in force', inForce);
    expect(await claims('online')).to.deep.equal(['2Gi', '2Gi', '2Gi']);
    expect(online.lives()).to.deep.equal(before);
    for (const id of [0, 1, 2])
      await online.node(id, 'it shows its size', ({ status }) => status?.volumeSize === '2Gi');
    const rows = parseTable(await world().kubectl('-n', NS, 'get', 'mkvnode', '-o', 'wide'));
    const own = rows.filter(({ CLUSTER }) => CLUSTER === 'online').map(({ SIZE, ASKED }) => [SIZE, ASKED]);
    expect(own).to.deep.equal([
      ['2Gi', '2Gi'],
      ['2Gi', '2Gi'],
      ['2Gi', '2Gi'],
    ]);
  });

  it('of a class that cannot grow are refused, which is reported for each claim, and the rest of the spec is done', async () => {
    await fixed.edit({ storage: { size: '2Gi' }, nodes: NODES + 1 });
    const { status } = await fixed.says(
      'it is refused, and the node has joined',
      (seen) =>
        conditionOf(seen.status, 'Stalled')?.reason === 'VolumeChangeRefused' &&
        conditionOf(seen.status, 'Ready')?.status === 'True' &&
        seen.status?.readyNodes === NODES + 1,
      120_000,
    );
    const [change] = status?.pendingChanges ?? [];
    expect(change).to.include({ field: 'spec.storage.size', asked: '2Gi', reason: 'VolumeChangeRefused' });
    expect(change?.effective).to.equal('1Gi on 3 of 4 nodes, 2Gi on 1 of 4 nodes');
    for (const id of [0, 1, 2]) {
      const said = await fixed.node(
        id,
        'it is said of its volume',
        (node) =>
          node.status?.conditions?.some(
            ({ type, reason }) => type === 'VolumeUpToDate' && reason === 'VolumeChangeRefused',
          ) === true,
      );
      const condition = said.status?.conditions?.find(({ type }) => type === 'VolumeUpToDate');
      expect(condition?.message).to.match(
        /data-fixed-\d may not ask for 2Gi instead of 1Gi: .*storageclass .* must support resize/,
      );
    }
    for (const id of [0, 1, 2]) {
      const told = `data-fixed-${id} may not ask for 2Gi`;
      await world().watching.event(
        NS,
        told,
        ({ reason, note = '' }) => reason === 'VolumeChangeRefused' && note.includes(told),
      );
    }
  });

  it('beyond a quota are refused for the claims that do not fit in it, and come when it is raised', async () => {
    const { testbed, kube } = world();
    // The three clusters ask for 6, 5 and 6 Gi, and the quota allows one more.
    const asked = async (): Promise<string> => {
      const { items } = await kube.core.listNamespacedPersistentVolumeClaim({ namespace: NS });
      const sizes = items.map(({ spec }) => Number.parseInt(spec?.resources?.requests?.storage ?? '', 10));
      return `${sizes.reduce((sum, size) => sum + size, 0)}Gi`;
    };
    const quota = (storage: string) => ({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'disks', namespace: NS },
      spec: { hard: { 'requests.storage': storage } },
    });
    await eventually('so much is asked for', async () => (await asked()) === '17Gi');
    await testbed.apply([quota('18Gi')]);
    await kube.until<V1ResourceQuota>('the quota is in force', `/api/v1/namespaces/${NS}/resourcequotas`, (quotas) =>
      quotas.some(({ status }) => status?.hard !== undefined && status.used !== undefined),
    );
    await online.edit({ storage: { size: '3Gi', volumeAttributesClassName: 'fast' } });
    await online.says('it is refused', ({ status }) => {
      const [change] = status?.pendingChanges ?? [];
      return change?.reason === 'VolumeChangeRefused' && change.effective.includes('3Gi on 1 of 3 nodes');
    });
    await testbed.apply([quota('100Gi')]);
    await online.says('it is in force', inForce, 120_000);
    expect(await claims('online')).to.deep.equal(['3Gi', '3Gi', '3Gi']);
  });

  it('whose file systems grow only when a Pod starts are in force after one restart each, one after the other', async () => {
    const { status } = await offline.says('it is in force', inForce, 240_000);
    expect(await claims('offline')).to.deep.equal(['2Gi', '2Gi', '2Gi']);
    expect(status?.lastOperation).to.deep.include({ type: 'Roll', outcome: 'Succeeded', reason: 'RolledOut' });
    expect(status?.lastOperation?.roll).to.deep.include({ name: 'offline-0', cause: 'Volume' });
    await ledger.check([0, 1, 2]);
  });

  it('cannot be asked for again with a smaller size, with a lower limit of growth, or without their attributes', async () => {
    const patch = async (storage: object) =>
      online.edit({ storage }).then(
        () => 'taken',
        (error: Error) => error.message,
      );
    expect(await patch({ size: '1Gi' })).to.include('must not shrink');
    expect(await patch({ autoGrow: { max: '2Gi' } })).to.include(
      'autoGrow.max must not be smaller than spec.storage.size',
    );
    expect(await patch({ volumeAttributesClassName: null })).to.include('must not be removed');
  });
});
