// The Pod and the volume of a node: the settings of docs/design/contract.md#the-pod, and what a user may not override.

import type { MarekvsNodeSpec } from '@marekvs/api';
import { expect } from 'chai';
import { type IPersistentVolumeClaim, type IPod, PersistentVolumeClaim, Pod } from 'kubernetes-models/v1';
import { describe, it } from 'mocha';
import { CLUSTER_UID, NOW_MS } from '../../planner/test/support/builders.ts';
import { toPodView } from '../src/caches/pod-view.ts';
import { toVolumeView } from '../src/caches/volume-view.ts';
import { buildPod, wantedPodLabels } from '../src/objects/pod.ts';
import { templateHash } from '../src/objects/template.ts';
import { ATTACHED_NOTES, buildVolume, detachedNotes } from '../src/objects/volume.ts';
import { IDENTITY, nodeObject } from './support/objects.ts';

const template = nodeObject(1).spec.template;
const withTemplate = (change: Partial<MarekvsNodeSpec['template']>) =>
  nodeObject(1, { spec: { template: { ...template, ...change } } });
const podOf = (node = nodeObject(1), seeds: readonly string[] = []) =>
  buildPod(node, { clusterUid: CLUSTER_UID, seeds });
const containerOf = (node = nodeObject(1), seeds: readonly string[] = []) => {
  const container = podOf(node, seeds).spec?.containers[0];
  if (container === undefined) throw new Error('no container');
  return container;
};
const envOf = (node = nodeObject(1), seeds: readonly string[] = []) =>
  Object.fromEntries(
    (containerOf(node, seeds).env ?? []).map(({ name, value, valueFrom }) => [name, value ?? valueFrom]),
  );

/** The object as it is sent to the API server. */
const plain = <T>(object: object): T => JSON.parse(JSON.stringify(object)) as T;

describe('the Pod of a node', () => {
  it('is a valid Pod, plain and with everything a user can ask for', () => {
    const full = withTemplate({
      imagePullPolicy: 'Always',
      imagePullSecrets: [{ name: 'pull' }],
      env: { RUST_LOG: 'info' },
      authSecretRef: { name: 'secret', key: 'password' },
      scheduling: {
        hostnameSpreadWhenUnsatisfiable: 'DoNotSchedule',
        nodeSelector: { disk: 'nvme' },
        tolerations: [{ key: 'db', operator: 'Exists' }],
        priorityClassName: 'high',
        topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
      },
      podMetadata: { labels: { team: 'a' }, annotations: { note: 'b' } },
    });
    for (const node of [nodeObject(1), full]) expect(() => new Pod(plain<IPod>(podOf(node))).validate()).to.not.throw();
  });

  it('has exactly the settings of the contract', () => {
    expect(envOf()).to.deep.equal({
      MAREKVS_NODE_ID: '1',
      MAREKVS_ADVERTISE_IP: { fieldRef: { fieldPath: 'status.podIP' } },
      MAREKVS_SEEDS: 'demo-headless.default.svc:7946',
      MAREKVS_CLUSTER: IDENTITY,
      MAREKVS_REPLICAS_N: '2',
      MAREKVS_GC_GRACE_SECS: '604800',
      MAREKVS_DATA_DIR: '/data/n1',
      MAREKVS_RESP_ADDR: '0.0.0.0:6379',
      MAREKVS_MESH_ADDR: '0.0.0.0:7373',
      MAREKVS_GOSSIP_ADDR: '0.0.0.0:7946',
      MAREKVS_METRICS_ADDR: '0.0.0.0:9121',
      MAREKVS_JOIN_TIMEOUT_SECS: '0',
    });
  });

  it('has the password from the Secret, never as a value', () => {
    const env = envOf(withTemplate({ authSecretRef: { name: 'secret', key: 'password' } }));
    expect(env.MAREKVS_REQUIREPASS).to.deep.equal({ secretKeyRef: { name: 'secret', key: 'password' } });
  });

  it('has known addresses before the headless name among its seeds, and in its annotation', () => {
    const seeds = ['10.0.0.1:7946', '10.0.0.3:7946'];
    expect(envOf(nodeObject(1), seeds).MAREKVS_SEEDS).to.equal(
      '10.0.0.1:7946,10.0.0.3:7946,demo-headless.default.svc:7946',
    );
    expect(podOf(nodeObject(1), seeds).metadata.annotations?.['marekvs.io/seeds']).to.equal(seeds.join(','));
    expect(podOf().metadata.annotations).to.not.have.property('marekvs.io/seeds');
  });

  it('has the user’s environment after the operator’s, by name', () => {
    const names = (containerOf(withTemplate({ env: { ZED: '1', ALPHA: '2' } })).env ?? []).map(({ name }) => name);
    expect(names.slice(-2)).to.deep.equal(['ALPHA', 'ZED']);
    expect(names).to.have.lengthOf(14);
  });

  it('asks /alive for startup and liveness, /ready for readiness, and drains before it stops (H9)', () => {
    const { startupProbe, livenessProbe, readinessProbe, lifecycle } = containerOf();
    expect(startupProbe?.httpGet).to.deep.equal({ path: '/alive', port: 9121 });
    expect(livenessProbe?.httpGet).to.deep.equal({ path: '/alive', port: 9121 });
    expect(readinessProbe?.httpGet).to.deep.equal({ path: '/ready', port: 9121 });
    expect(lifecycle?.preStop?.httpGet).to.deep.equal({ path: '/drain', port: 9121 });
    expect(podOf().spec?.terminationGracePeriodSeconds).to.equal(60);
  });

  it('meets the restricted Pod Security standard', () => {
    const { spec } = podOf();
    expect(spec?.securityContext).to.deep.include({
      runAsNonRoot: true,
      runAsUser: 65_534,
      fsGroup: 65_534,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(containerOf().securityContext).to.deep.equal({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(spec?.automountServiceAccountToken).to.equal(false);
    expect(spec).to.not.have.any.keys('hostNetwork', 'hostPID', 'hostIPC');
  });

  it('requests cpu without a limit, and as much memory as its limit', () => {
    expect(containerOf().resources).to.deep.equal({
      requests: { cpu: '500m', memory: '1Gi' },
      limits: { memory: '1Gi' },
    });
  });

  it('mounts the volume of its own id', () => {
    expect(podOf().spec?.volumes).to.deep.equal([
      { name: 'data', persistentVolumeClaim: { claimName: 'data-demo-1' } },
    ]);
  });

  it('does not let a label or annotation of a user override one of the operator', () => {
    const labels = { 'marekvs.io/cluster': 'other', 'app.kubernetes.io/managed-by': 'me', team: 'a' };
    const annotations = { 'marekvs.io/template-hash': 'mine', note: 'b' };
    const { metadata } = podOf(withTemplate({ podMetadata: { labels, annotations } }));
    expect(metadata.labels).to.deep.include({
      'marekvs.io/cluster': 'demo',
      'app.kubernetes.io/managed-by': 'marekvs-operator',
      team: 'a',
    });
    expect(metadata.annotations?.['marekvs.io/template-hash']).to.match(/^[0-9a-f]{16}$/);
    expect(metadata.annotations?.note).to.equal('b');
  });

  it('carries the hash of its template, which its seeds do not change', () => {
    expect(podOf(nodeObject(1), ['10.0.0.1:7946']).metadata.annotations?.['marekvs.io/template-hash']).to.equal(
      templateHash(template),
    );
  });

  it('matches the client Service only when its node serves', () => {
    expect(podOf(nodeObject(1, { spec: { serving: true } })).metadata.labels).to.include({
      'marekvs.io/serving': 'true',
    });
    expect(podOf(nodeObject(1, { spec: { serving: false } })).metadata.labels).to.not.have.property(
      'marekvs.io/serving',
    );
    const wanted = wantedPodLabels(nodeObject(1, { spec: { serving: false } }), CLUSTER_UID);
    expect(Object.entries(wanted)).to.deep.include(['marekvs.io/serving', undefined]);
  });

  const spread = (whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway') =>
    podOf(withTemplate({ scheduling: { hostnameSpreadWhenUnsatisfiable: whenUnsatisfiable } })).spec
      ?.topologySpreadConstraints?.[0];
  it('excludes tainted hosts from the spread when it must not share a host', () => {
    expect(spread('DoNotSchedule')).to.deep.include({
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'DoNotSchedule',
      nodeTaintsPolicy: 'Honor',
    });
  });
  it('includes tainted hosts in the spread when it may share a host', () => {
    expect(spread('ScheduleAnyway')).to.not.have.property('nodeTaintsPolicy');
  });

  it('runs the image that its last Pod ran when its door was closed, until its node gets another template', () => {
    const ran = { podUID: 'pod-uid-1', image: 'marekvs@sha256:1', hostName: 'host-1' };
    expect(containerOf(nodeObject(1, { spec: { ran } })).image).to.equal('marekvs@sha256:1');
    expect(containerOf().image).to.equal('marekvs:test');
  });

  it('goes to a selected host, and beside another member only where none is free, without another template', () => {
    const node = withTemplate({ scheduling: { nodeSelector: { disk: 'nvme' } } });
    const rule = { nodeSelector: { pool: 'db' }, minNodes: 1, maxNodes: 1000 };
    const { spec, metadata } = buildPod(node, { clusterUid: CLUSTER_UID, onePerHost: rule });
    expect(spec?.nodeSelector).to.deep.equal({ disk: 'nvme', pool: 'db' });
    expect(spec?.topologySpreadConstraints?.[0]).to.deep.include({
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'DoNotSchedule',
      nodeTaintsPolicy: 'Honor',
    });
    expect(metadata.annotations).to.deep.equal(podOf(node).metadata.annotations);
  });

  it('counts the Pods of the cluster in the user’s spread constraints unless these have a selector', () => {
    const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' } as const;
    const own = { matchLabels: { team: 'a' } };
    const constraints = podOf(
      withTemplate({
        scheduling: { topologySpreadConstraints: [constraint, { ...constraint, labelSelector: own }] },
      }),
    ).spec?.topologySpreadConstraints?.slice(1);
    expect(constraints?.[0]?.labelSelector?.matchLabels).to.include({ 'marekvs.io/cluster': 'demo' });
    expect(constraints?.[1]?.labelSelector).to.deep.equal(own);
  });

  it('reads back from the cache with the seeds and the hash it was made with', () => {
    const made = podOf(nodeObject(1), ['10.0.0.1:7946']);
    const view = toPodView({ ...made, metadata: { ...made.metadata, uid: 'u', resourceVersion: '5' } });
    expect(view).to.deep.include({
      ownerUid: 'node-uid-1',
      seeds: ['10.0.0.1:7946'],
      templateHash: templateHash(template),
      isReady: false,
      phase: 'Pending',
    });
  });

  it('shows by the last end of its container that it was ended for its memory, whether or not it runs again', () => {
    const made = podOf(nodeObject(1));
    const seen = (container: object) => {
      const containerStatuses = [
        { name: 'marekvs', image: '', imageID: '', ready: false, restartCount: 3, ...container },
      ];
      const metadata = { ...made.metadata, uid: 'u', resourceVersion: '5' };
      return toPodView({ ...made, metadata, status: { containerStatuses } }).isOutOfMemory;
    };
    const terminated = { exitCode: 137, reason: 'OOMKilled' };
    const waiting = { reason: 'CrashLoopBackOff' };
    expect(seen({ state: { waiting }, lastState: { terminated } })).to.equal(true);
    expect(seen({ state: { terminated } })).to.equal(true);
    expect(seen({ state: { waiting }, lastState: { terminated: { exitCode: 1, reason: 'Error' } } })).to.equal(false);
    expect(seen({ state: { terminated: { exitCode: 0, reason: 'Completed' } }, lastState: { terminated } })).to.equal(
      false,
    );
    expect(seen({})).to.equal(false);
  });
});

describe('the label `serving` of a Pod', () => {
  const serving = (spec: Partial<MarekvsNodeSpec>) =>
    wantedPodLabels(nodeObject(1, { spec }), CLUSTER_UID)['marekvs.io/serving'];

  it('is present while the node is let in and not to leave, and must be absent otherwise', () => {
    expect(serving({ serving: true, intent: 'Active' })).to.equal('true');
    expect(serving({ serving: false, intent: 'Active' })).to.equal(undefined);
    for (const intent of ['Leaving', 'Sealed'] as const)
      expect(serving({ serving: true, intent }), intent).to.equal(undefined);
  });
});

describe('the volume of a node', () => {
  const KEPT = { keepVolumes: true, isProtected: false };

  it('is a valid claim of the requested size, without an owner while it is to outlive node and cluster', () => {
    const claim = buildVolume(nodeObject(1), CLUSTER_UID, KEPT);
    expect(() => new PersistentVolumeClaim(plain<IPersistentVolumeClaim>(claim)).validate()).to.not.throw();
    expect(claim.metadata.labels).to.not.have.property('marekvs.io/protected');
    expect(claim.metadata).to.not.have.property('ownerReferences');
    expect(claim.metadata.name).to.equal('data-demo-1');
    expect(claim.spec?.resources?.requests).to.deep.equal({ storage: '10Gi' });
  });

  it('is deleted with its cluster, never with its node, when the cluster says Delete', () => {
    const claim = buildVolume(nodeObject(1), CLUSTER_UID, { ...KEPT, keepVolumes: false });
    expect(() => new PersistentVolumeClaim(plain<IPersistentVolumeClaim>(claim)).validate()).to.not.throw();
    expect(claim.metadata.ownerReferences).to.deep.equal([
      {
        apiVersion: 'marekvs.io/v1alpha1',
        kind: 'MarekvsCluster',
        name: 'demo',
        uid: CLUSTER_UID,
        controller: false,
        blockOwnerDeletion: false,
      },
    ]);
  });

  it('has the label of protection when its cluster is protected', () => {
    const claim = buildVolume(nodeObject(1), CLUSTER_UID, { ...KEPT, isProtected: true });
    expect(claim.metadata.labels).to.include({ 'marekvs.io/protected': 'true' });
  });

  it('gets notes of the two times of its detachment, in whole seconds, and of a lost or drained host, and loses all', () => {
    const notes = detachedNotes({
      detachedAtMs: NOW_MS + 999,
      lastActiveAtMs: NOW_MS - 60_000,
      hostLost: 'host-7',
      hostDrained: 'host-8',
    });
    expect(notes).to.deep.equal({
      'marekvs.io/detached-at': '2026-01-01T00:10:00Z',
      'marekvs.io/last-active-at': '2026-01-01T00:09:00Z',
      'marekvs.io/host-lost': 'host-7',
      'marekvs.io/host-drained': 'host-8',
    });
    const claim = buildVolume(nodeObject(1), CLUSTER_UID, KEPT);
    const metadata = { ...claim.metadata, annotations: notes, uid: 'u', resourceVersion: '5' };
    const view = toVolumeView({ ...claim, metadata });
    expect([view.detachedAtMs, view.lastActiveAtMs, view.hostLost, view.hostDrained]).to.deep.equal([
      NOW_MS,
      NOW_MS - 60_000,
      'host-7',
      'host-8',
    ]);
    expect(Object.entries(ATTACHED_NOTES)).to.deep.equal(Object.keys(notes).map((name) => [name, null]));
  });

  it('names a storage class only when the cluster does', () => {
    expect(buildVolume(nodeObject(1), CLUSTER_UID, KEPT).spec).to.not.have.property('storageClassName');
    const node = nodeObject(1, { spec: { storage: { size: '1Gi', className: 'nvme' } } });
    expect(buildVolume(node, CLUSTER_UID, KEPT).spec?.storageClassName).to.equal('nvme');
  });

  it('reads back from the cache as the volume of its node', () => {
    const claim = buildVolume(nodeObject(1), CLUSTER_UID, KEPT);
    const view = toVolumeView({ ...claim, metadata: { ...claim.metadata, uid: 'u', resourceVersion: '5' } });
    expect(view).to.deep.include({ nodeId: 1, clusterName: 'demo', isBound: false, requestedSize: '10Gi' });
  });
});
