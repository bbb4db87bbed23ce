// The permit to close the door of a member: what its next Pods have to run is what its present one runs, whatever has
// become of the template and of the tag of the image since.

import { ApiError, type Pod } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { toPodView } from '../src/caches/pod-view.ts';
import { executeCluster } from '../src/cluster/steps/execute.ts';
import { resolvedImage } from '../src/cluster/steps/execute-seal.ts';
import { cachedNode, decidedOn, healthyWorld, type World } from './support/decided-on.ts';

const NODES = 'marekvsnodes.marekvs.io';
const DIGEST = `sha256:${'a1'.repeat(32)}`;
const GENERATION = 1_767_225_601;

/** A Pod as its host shows it. */
function podOf(image: string, imageID: string, change: { readonly name?: string; readonly before?: string } = {}): Pod {
  const { name = 'marekvs', before } = change;
  const beside = before === undefined ? [] : [{ name: before, image: 'proxy:1', imageID: `proxy@${DIGEST}` }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'demo-1', namespace: 'default' },
    spec: { containers: [...beside.map((one) => ({ name: one.name, image: one.image })), { name, image }] },
    status: { containerStatuses: [...beside, { name, image, imageID }] },
  } as Pod;
}

describe('the image that a Pod runs', () => {
  const named: readonly (readonly [string, string, string, string])[] = [
    ['containerd', 'ghcr.io/acme/marekvs:1', `ghcr.io/acme/marekvs@${DIGEST}`, `ghcr.io/acme/marekvs@${DIGEST}`],
    ['CRI-O', 'quay.io/acme/marekvs:1', `quay.io/acme/marekvs@${DIGEST}`, `quay.io/acme/marekvs@${DIGEST}`],
    ['cri-dockerd', 'acme/marekvs:1', `docker-pullable://acme/marekvs@${DIGEST}`, `acme/marekvs@${DIGEST}`],
    ['a short name', 'marekvs:1', `docker.io/library/marekvs@${DIGEST}`, `docker.io/library/marekvs@${DIGEST}`],
    ['a name of Docker Hub', 'acme/marekvs', `docker.io/acme/marekvs@${DIGEST}`, `docker.io/acme/marekvs@${DIGEST}`],
    ['a registry with a port', 'reg.local:5000/m:1', `reg.local:5000/m@${DIGEST}`, `reg.local:5000/m@${DIGEST}`],
    ['a registry on the host', 'localhost/m:1', `localhost/m@${DIGEST}`, `localhost/m@${DIGEST}`],
    [
      'tag and digest',
      `acme/marekvs:1@${DIGEST}`,
      `docker.io/acme/marekvs@${DIGEST}`,
      `docker.io/acme/marekvs@${DIGEST}`,
    ],
  ];
  for (const [what, asked, reported, image] of named)
    it(`is that of its digest, as reported: ${what}`, () => {
      expect(resolvedImage(podOf(asked, reported))).to.equal(image);
    });

  const unnamed: readonly (readonly [string, string])[] = [
    ['nothing is reported', ''],
    ['only its id on the host is known, which no registry knows', DIGEST],
    ['it was built on the host', `docker://${DIGEST}`],
    ['it is named by an id alone', 'a1'.repeat(32)],
    ['it was loaded by hand, under a name of its own', `docker.io/library/import-2026-01-01@${DIGEST}`],
    ['the same name is of another registry', `quay.io/acme/marekvs@${DIGEST}`],
    ['the digest is cut off', `docker.io/acme/marekvs@${DIGEST.slice(0, 40)}`],
    ['the digest is of another kind', `docker.io/acme/marekvs@sha512:${'a1'.repeat(64)}`],
  ];
  for (const [when, reported] of unnamed)
    it(`is the one that was asked for when ${when}`, () => {
      expect(resolvedImage(podOf('acme/marekvs:1', reported))).to.equal('acme/marekvs:1');
    });

  it('is that of the member, beside whatever else runs in the Pod, and whatever an adopted one is called', () => {
    const reported = `docker.io/acme/marekvs@${DIGEST}`;
    expect(resolvedImage(podOf('acme/marekvs:1', reported, { before: 'istio-proxy' }))).to.equal(reported);
    expect(resolvedImage(podOf('acme/marekvs:1', reported, { name: 'redis' }))).to.equal(reported);
  });
});

describe('the permit to close the door of a member', () => {
  type Change = Readonly<Record<string, unknown>>;
  /** demo-1 of a healthy world. @param pod what its live Pod has beside */
  async function decided({ pod = {}, spec = {} }: { readonly pod?: Change; readonly spec?: Change } = {}) {
    const w = await healthyWorld();
    const live = w.get('pods', 'demo-1');
    if (live === undefined) throw new Error('demo-1 has no Pod');
    w.patch('pods', 'demo-1', pod);
    if (Object.keys(spec).length > 0) w.apply(spec);
    w.writes.length = 0;
    return w;
  }
  const written = (w: World) => {
    const [write, ...more] = w.writes;
    expect(more).to.deep.equal([]);
    return write;
  };
  async function seal(w: World, uid?: string) {
    const node = cachedNode(w, 1);
    if (node.pod === undefined) throw new Error('demo-1 has no Pod');
    const pod = { ...node.pod, uid: uid ?? node.pod.uid };
    const step = { kind: 'sealNode', node, pod, generation: GENERATION, operationId: '1-op' } as const;
    await executeCluster([step], decidedOn(w));
    return w.node(1);
  }

  it('is given in one write, with the Pod and the process that it is for, its host and its image', async () => {
    const w = await decided();
    const { uid } = w.get('pods', 'demo-1')?.metadata ?? {};
    const node = await seal(w);
    expect(written(w)).to.include({ verb: 'patch', what: NODES, name: 'demo-1' });
    expect(node?.spec).to.deep.include({ intent: 'Sealed', serving: false });
    expect(node?.spec.ran).to.deep.equal({
      podUID: uid,
      generation: GENERATION,
      image: 'marekvs:test',
      hostName: 'host-1',
    });
    expect(node?.metadata.annotations).to.deep.include({ 'marekvs.io/removal': '1-op' });
  });

  it('keeps the template when the Pod was made from it', async () => {
    const w = await decided();
    const before = w.node(1)?.spec.template;
    expect((await seal(w))?.spec.template).to.deep.equal(before);
  });

  it('gives the node back the template that its Pod was made from, although a newer one was stamped', async () => {
    const w = await decided();
    const ran = w.node(1)?.spec.template;
    const newer = { ...ran, image: 'marekvs:newer', env: { RUST_LOG: 'debug' } };
    w.change(w.kinds.node, 'demo-1', { spec: { template: newer } });
    const { template, ran: kept } = (await seal(w))?.spec ?? {};
    expect(template).to.deep.equal(ran);
    expect(kept?.image).to.equal('marekvs:test');
  });

  it('reads it off the live Pod when nobody keeps that template any more, or there never was one', async () => {
    const container = {
      name: 'marekvs',
      image: 'marekvs:older',
      env: [
        { name: 'MAREKVS_NODE_ID', value: '1' },
        { name: 'MAREKVS_REPLICAS_N', value: '3' },
        { name: 'MAREKVS_GC_GRACE_SECS', value: '7200' },
        { name: 'MAREKVS_CLUSTER', value: 'an-older-name' },
        { name: 'MAREKVS_REQUIREPASS', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
        { name: 'RUST_LOG', value: 'debug' },
      ],
      resources: { requests: { cpu: '250m', memory: '2Gi' }, limits: { memory: '2Gi' } },
    };
    for (const hash of ['ffffffffffffffff', null]) {
      const annotations = { 'marekvs.io/template-hash': hash };
      const w = await decided({ pod: { metadata: { annotations }, spec: { containers: [container] } } });
      const before = w.node(1)?.spec.template;
      const node = await seal(w);
      const { env: _env, ...placed } = before ?? {};
      expect(node?.spec.template, `${hash}`).to.deep.equal({
        ...placed,
        image: 'marekvs:older',
        replicationFactor: 3,
        gcGraceSeconds: 7_200,
        clusterIdentity: 'an-older-name',
        resources: { cpu: '250m', memory: '2Gi' },
        env: { RUST_LOG: 'debug' },
      });
      expect(node?.spec.ran?.image).to.equal('marekvs:older');
    }
  });

  const refused: readonly (readonly [string, (w: World) => void, string | undefined])[] = [
    ['is another one', () => {}, 'another'],
    ['is ending', (w) => w.remove('pods', 'demo-1'), undefined],
    ['is gone', (w) => w.drop('pods', 'demo-1'), undefined],
    ['does not run', (w) => w.patch('pods', 'demo-1', { status: { phase: 'Pending' } }), undefined],
  ];
  for (const [what, change, uid] of refused)
    it(`is not given when the live Pod ${what}, whatever the cache shows`, async () => {
      const w = await decided();
      w.hold('pods');
      change(w);
      w.writes.length = 0;
      await seal(w, uid);
      expect(w.writes).to.deep.equal([]);
    });

  it('is not given when the cluster has changed since', async () => {
    const w = await decided();
    w.hold('marekvsclusters.marekvs.io');
    w.apply({ nodes: 7 });
    w.writes.length = 0;
    await seal(w);
    expect(w.writes).to.deep.equal([]);
  });
});

describe('the first Pod behind a closed door', () => {
  const TAINTS = [
    { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
    { key: 'spare', effect: 'PreferNoSchedule' },
  ];
  /** demo-1, permitted, its Pod gone. */
  async function sealed(prepare: (w: World) => void = () => {}) {
    const w = await healthyWorld();
    prepare(w);
    const ran = { podUID: 'gone', generation: GENERATION, image: `marekvs@${DIGEST}`, hostName: 'host-1' };
    w.change(w.kinds.node, 'demo-1', { spec: { intent: 'Sealed', serving: false, ran } });
    w.drop('pods', 'demo-1');
    await w.wait(5_000);
    const pod = w.get('pods', 'demo-1');
    if (pod === undefined) throw new Error('demo-1 has no Pod');
    return pod as unknown as Pod;
  }
  const passwordOf = ({ spec }: Pod) =>
    spec?.containers?.[0]?.env?.find(({ name }) => name === 'MAREKVS_REQUIREPASS')?.value;

  it('tolerates what is on its host at that moment, and is bound to it', async () => {
    const host = { metadata: { name: 'host-1' }, spec: { taints: TAINTS } };
    const { spec } = await sealed((w) => void w.create('nodes', host as never));
    expect(spec?.tolerations).to.deep.equal([{ ...TAINTS[0], operator: 'Exists' }]);
    expect(spec?.affinity?.nodeAffinity).to.have.all.keys('requiredDuringSchedulingIgnoredDuringExecution');
    expect(spec?.containers?.[0]?.image).to.equal(`marekvs@${DIGEST}`);
  });

  it('may run anywhere when its host is gone', async () => {
    const { spec } = await sealed();
    expect([spec?.tolerations, spec?.affinity?.nodeAffinity]).to.deep.equal([undefined, undefined]);
  });

  it('prefers its host, and tolerates nothing, where hosts may not be read', async () => {
    const { spec } = await sealed(({ ports: { client } }) => {
      const { get } = client;
      const isHost = ({ plural }: { readonly plural: string }) => plural === 'nodes';
      const forbidden = new ApiError({ verb: 'get', subject: 'x', path: '/x', status: 403, reason: 'Forbidden' });
      const refusing: typeof get = (kind, ...rest) => (isHost(kind) ? Promise.reject(forbidden) : get(kind, ...rest));
      Object.assign(client, { get: refusing });
    });
    expect(spec?.tolerations).to.equal(undefined);
    expect(spec?.affinity?.nodeAffinity).to.have.all.keys('preferredDuringSchedulingIgnoredDuringExecution');
  });

  it('has another password each time, long enough that nobody guesses it', async () => {
    const passwords = await Promise.all([sealed(), sealed()].map(async (pod) => passwordOf(await pod) ?? ''));
    expect(new Set(passwords).size).to.equal(2);
    for (const password of passwords) expect(password).to.match(/^[\w-]{32}$/);
  });
});

describe('a member behind its closed door that is taken back', () => {
  /** demo-3 of four, which was to go, with its door closed; four are wanted again. */
  async function takenBack(found: Parameters<World['find']>[0] = {}): Promise<World> {
    const w = await healthyWorld(4);
    w.find(found);
    w.apply({ nodes: 3 });
    await w.wait(3_000);
    const ran = { podUID: 'gone', generation: 1, image: 'marekvs:test', hostName: 'host-3' };
    w.change(w.kinds.node, 'demo-3', { spec: { intent: 'Sealed', ran } });
    w.drop('pods', 'demo-3');
    await w.wait(1_000);
    w.kubelets();
    w.members();
    await w.wait(1_000);
    expect(toPodView(w.get('pods', 'demo-3') as Parameters<typeof toPodView>[0]).isSealed).to.equal(true);
    w.apply({ nodes: 4 });
    await w.wait(1_000);
    expect(w.cluster()?.status?.operation?.phase).to.equal('Cancelling');
    return w;
  }
  const intentAfter = async (w: World, seconds: number) => {
    for (let passed = 0; passed < seconds && w.node(3)?.spec.intent === 'Sealed'; passed += 5) {
      w.members();
      await w.wait(5_000);
    }
    return w.node(3)?.spec.intent;
  };

  it('comes back as soon as the others have what it has', async () => {
    expect(await intentAfter(await takenBack(), 30)).to.equal('Active');
  });

  it('comes back after two minutes when that cannot be found out, since its volume has everything', async () => {
    const problem = { nodeId: 1, error: 'refused' };
    const w = await takenBack({ state: 'running', coveredAtMs: undefined, sweptAtMs: undefined, problem });
    expect(await intentAfter(w, 100)).to.equal('Sealed');
    expect(await intentAfter(w, 40)).to.equal('Active');
  });
});

describe('a node that gets another template', () => {
  it('forgets what its Pod ran, and keeps it as long as the template is the same', async () => {
    const w = await healthyWorld();
    const ran = { podUID: 'gone', image: `marekvs@${DIGEST}` };
    w.change(w.kinds.node, 'demo-1', { spec: { ran } });
    const stamp = async (revision: string) => {
      await executeCluster([{ kind: 'stampNode', node: cachedNode(w, 1), revision }], decidedOn(w));
      return w.node(1)?.spec.ran;
    };
    expect(await stamp(cachedNode(w, 1).templateHash)).to.deep.equal(ran);
    w.apply({ image: 'marekvs:newer' });
    expect(await stamp(decidedOn(w).stamp.hash)).to.equal(undefined);
  });
});
