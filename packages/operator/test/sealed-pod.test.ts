// The Pod of a member whose door is closed: what nobody reaches, what drains it, and where it may run.

import type { MarekvsNodeSpec, NodeScheduling } from '@marekvs/api';
import { expect } from 'chai';
import { type IPod, Pod } from 'kubernetes-models/v1';
import { describe, it } from 'mocha';
import { CLUSTER_UID } from '../../planner/test/support/builders.ts';
import { toPodView } from '../src/caches/pod-view.ts';
import { buildPod, type PodOptions } from '../src/objects/pod.ts';
import type { HostTaint, SealedPod } from '../src/objects/sealed-pod.ts';
import { nodeObject } from './support/objects.ts';

const RAN = { podUID: 'pod-uid-1', generation: 1_767_225_601, image: 'marekvs@sha256:1', hostName: 'host-1' };
const { template } = nodeObject(1).spec;
const nodeOf = (change: Partial<MarekvsNodeSpec['template']> = {}) =>
  nodeObject(1, { spec: { intent: 'Sealed', serving: false, ran: RAN, template: { ...template, ...change } } });
const on = (taints: readonly HostTaint[] = []): SealedPod => ({ password: 'secret', host: { name: 'host-1', taints } });

/** The Pod as it is sent to the API server. */
function podOf(node = nodeOf(), sealed: SealedPod | undefined = on(), options: Partial<PodOptions> = {}) {
  return JSON.parse(JSON.stringify(buildPod(node, { clusterUid: CLUSTER_UID, sealed, ...options }))) as IPod;
}
const open = (node = nodeOf()) => podOf(node, undefined, { sealed: undefined });
function containerOf(pod: { readonly spec?: IPod['spec'] }) {
  const container = pod.spec?.containers[0];
  if (container === undefined) throw new Error('no container');
  return container;
}
const envOf = (pod: { readonly spec?: IPod['spec'] }) =>
  Object.fromEntries((containerOf(pod).env ?? []).map(({ name, value, valueFrom }) => [name, value ?? valueFrom]));
const viewOf = (pod: IPod) =>
  toPodView({ ...pod, metadata: { ...pod.metadata, uid: 'u', resourceVersion: '5' } } as Parameters<
    typeof toPodView
  >[0]);
const scheduled = (scheduling: NodeScheduling) => nodeOf({ scheduling });

describe('the Pod of a member whose door is closed', () => {
  it('takes commands on an address that only the Pod itself reaches, and everything else where others do', () => {
    const { MAREKVS_RESP_ADDR: _own, MAREKVS_REQUIREPASS: _password, ...rest } = envOf(podOf());
    const { MAREKVS_RESP_ADDR: reached, ...same } = envOf(open());
    expect(envOf(podOf()).MAREKVS_RESP_ADDR).to.equal('127.0.0.1:6379');
    expect(reached).to.equal('0.0.0.0:6379');
    expect(rest).to.deep.equal(same);
  });

  it('has a password of its own, and not that of its template, which clients know', () => {
    const guarded = nodeOf({ authSecretRef: { name: 'secret', key: 'password' } });
    for (const node of [nodeOf(), guarded]) {
      const passwords = (containerOf(podOf(node)).env ?? []).filter(({ name }) => name === 'MAREKVS_REQUIREPASS');
      expect(passwords).to.deep.equal([{ name: 'MAREKVS_REQUIREPASS', value: 'secret' }]);
    }
  });

  it('is not opened by an environment that a user has set', () => {
    const env = { MAREKVS_RESP_ADDR: '0.0.0.0:6379', MAREKVS_REQUIREPASS: '', RUST_LOG: 'info' };
    const names = (containerOf(podOf(nodeOf({ env }))).env ?? []).map(({ name }) => name);
    expect(names.filter((name) => name === 'MAREKVS_RESP_ADDR')).to.have.lengthOf(1);
    expect(envOf(podOf(nodeOf({ env })))).to.deep.include({ MAREKVS_RESP_ADDR: '127.0.0.1:6379', RUST_LOG: 'info' });
  });

  it('is drained by its own host after every start, once a second, and called ready as long as it answers', () => {
    const { startupProbe, readinessProbe, livenessProbe, lifecycle } = containerOf(podOf());
    const drain = { httpGet: { path: '/drain', port: 9121 }, periodSeconds: 1, timeoutSeconds: 3 };
    expect(startupProbe).to.deep.equal({ ...drain, failureThreshold: 300 });
    expect(readinessProbe).to.deep.equal({ ...drain, failureThreshold: 3 });
    expect([livenessProbe, lifecycle]).to.deep.equal([
      containerOf(open()).livenessProbe,
      containerOf(open()).lifecycle,
    ]);
  });

  it('runs the image that the Pod before it ran, on its volume, with the resources of its template', () => {
    const sealed = podOf();
    expect(containerOf(sealed).image).to.equal('marekvs@sha256:1');
    expect(containerOf(sealed).resources).to.deep.equal(containerOf(open()).resources);
    expect(sealed.spec?.volumes).to.deep.equal(open().spec?.volumes);
    expect(envOf(podOf(nodeOf(), on(), { dataDir: '/data/adopted' })).MAREKVS_DATA_DIR).to.equal('/data/adopted');
  });

  it('is in no Service, and says from its first moment that only a restart brings its member back', () => {
    const { metadata } = podOf(nodeObject(1, { spec: { intent: 'Sealed', serving: true, ran: RAN } }));
    expect(metadata?.labels).to.not.have.property('marekvs.io/serving');
    expect(metadata?.annotations).to.include({ 'marekvs.io/leaving': 'true' });
    expect(open().metadata?.annotations).to.not.have.property('marekvs.io/leaving');
  });

  it('is a valid Pod, wherever it may run', () => {
    const hosts: readonly (SealedPod | undefined)[] = [
      on(),
      on([{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }]),
      { password: 'secret', host: undefined },
    ];
    for (const sealed of hosts) expect(() => new Pod(podOf(nodeOf(), sealed)).validate()).to.not.throw();
  });
});

describe('the host of a member whose door is closed', () => {
  const HOST = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['host-1'] }] };
  const CORDONED: HostTaint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
  const affinityOf = (pod: IPod) => pod.spec?.affinity?.nodeAffinity;
  const pool = { matchExpressions: [{ key: 'pool', operator: 'Exists' as const }] };
  const own = { tolerations: [{ key: 'db', operator: 'Exists' as const }] };

  it('is preferred to all others where it takes Pods, beside what a user prefers', () => {
    const preference = { weight: 7, preference: pool };
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [preference] } };
    const pod = podOf(scheduled({ ...own, affinity }));
    expect(affinityOf(pod)).to.deep.equal({
      preferredDuringSchedulingIgnoredDuringExecution: [preference, { weight: 100, preference: HOST }],
    });
    expect(pod.spec?.tolerations).to.deep.equal(own.tolerations);
    expect(pod.spec?.affinity?.podAntiAffinity).to.deep.equal(open().spec?.affinity?.podAntiAffinity);
  });

  it('is the only one where it has taints, which are tolerated beside what a user tolerates', () => {
    const pod = podOf(scheduled(own), on([CORDONED, { key: 'empty', value: '', effect: 'NoSchedule' }]));
    expect(affinityOf(pod)).to.deep.equal({
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [HOST] },
    });
    expect(pod.spec?.tolerations).to.deep.equal([
      ...own.tolerations,
      { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', operator: 'Exists' },
      { key: 'empty', effect: 'NoSchedule', operator: 'Exists' },
    ]);
  });

  it('takes it whatever the rules for new Pods say by now', () => {
    const onePerHost = { nodeSelector: { pool: 'db' }, minNodes: 1, maxNodes: 1000 };
    const pod = podOf(scheduled({ nodeSelector: { arch: 'arm64' } }), on([CORDONED]), { onePerHost });
    expect(pod.spec).to.not.have.any.keys('nodeSelector', 'topologySpreadConstraints');
  });

  it('is left to ordinary scheduling while it is not known, or gone', () => {
    const sealed: SealedPod = { password: 'secret', host: undefined };
    const node = scheduled({ ...own, nodeSelector: { arch: 'arm64' } });
    const { affinity, tolerations, nodeSelector, topologySpreadConstraints } = podOf(node, sealed).spec ?? {};
    const { spec } = open(node);
    expect({ affinity, tolerations, nodeSelector, topologySpreadConstraints }).to.deep.equal({
      affinity: spec?.affinity,
      tolerations: spec?.tolerations,
      nodeSelector: { arch: 'arm64' },
      topologySpreadConstraints: spec?.topologySpreadConstraints,
    });
  });
});

describe('a Pod as the cache shows it', () => {
  it('has its door closed by its own environment, whatever its annotations say', () => {
    expect(viewOf(podOf())).to.include({ isSealed: true, isLeaving: true });
    const bare = podOf();
    expect(viewOf({ ...bare, metadata: { ...bare.metadata, annotations: {} } })).to.include({
      isSealed: true,
      isLeaving: true,
    });
    const marked = open();
    const annotations = { ...marked.metadata?.annotations, 'marekvs.io/leaving': 'true' };
    expect(viewOf({ ...marked, metadata: { ...marked.metadata, annotations } })).to.include({
      isSealed: false,
      isLeaving: true,
    });
  });

  it('has its door closed by any loopback address, and by no other', () => {
    const at = (value: string | undefined) => {
      const pod = podOf();
      const env = value === undefined ? [] : [{ name: 'MAREKVS_RESP_ADDR', value }];
      const containers = [{ ...containerOf(pod), env }];
      return viewOf({ ...pod, spec: { ...pod.spec, containers } }).isSealed;
    };
    expect(['127.0.0.1:6379', '127.0.0.2:6379'].map(at)).to.deep.equal([true, true]);
    expect(['0.0.0.0:6379', '10.0.0.1:6379', ':6379', '1127.0.0.1:6379', '', undefined].map(at)).to.deep.equal(
      Array.from({ length: 6 }, () => false),
    );
  });

  it('has its door closed also when something has put a container of its own before that of the member', () => {
    const pod = podOf();
    const containers = [{ name: 'proxy', image: 'proxy:1' }, containerOf(pod)];
    expect(viewOf({ ...pod, spec: { ...pod.spec, containers } }).isSealed).to.equal(true);
  });

  it('shows no source of its password: nobody is told that one', () => {
    expect(viewOf(podOf()).password).to.equal(undefined);
    expect(viewOf(open()).password).to.equal('none');
  });
});
