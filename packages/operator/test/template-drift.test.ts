// Hashes that must not change by themselves, and whether a live object still has what is wanted.

import { ANNOTATIONS, canonicalJson, type MarekvsClusterSpec, withDefaults } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { specVerdicts } from '../../reliability/test/field-contract.ts';
import { buildPod } from '../src/objects/pod.ts';
import { identityOf, nodeStamp, nodeTemplate, templateHash } from '../src/objects/template.ts';
import { contains, correction, createDriftCounter, DRIFT_ROUNDS, intentHash } from '../src/pass/drift.ts';
import { clusterObject, FORMED, IDENTITY, nodeObject } from './support/objects.ts';

const template = (spec: Parameters<typeof withDefaults>[0] = { image: 'marekvs:test' }) =>
  nodeTemplate(withDefaults(spec), IDENTITY);

describe('the hash of a template', () => {
  it('is pinned, since another value would restart every member of every cluster with the next version of the operator', () => {
    expect(templateHash(template())).to.equal('aceb1c58033bc1dc');
    expect(
      templateHash(
        template({
          image: 'marekvs:test',
          imagePullPolicy: 'Always',
          imagePullSecrets: [{ name: 'pull' }],
          replicationFactor: 3,
          gcGraceSeconds: 3_600,
          resources: { cpu: '2', memory: '4Gi' },
          extraEnv: { RUST_LOG: 'info', A: 'b' },
          nodeSelector: { disk: 'nvme' },
          tolerations: [{ key: 'db', operator: 'Exists' }],
          hostnameSpreadWhenUnsatisfiable: 'DoNotSchedule',
          priorityClassName: 'high',
          podMetadata: { labels: { team: 'a' }, annotations: { note: 'b' } },
          auth: { secretRef: { name: 's', key: 'k' } },
        }),
      ),
    ).to.equal('9f03180b3909d07d');
  });

  it('does not depend on the order of keys, nor on keys without a value', () => {
    const one = template();
    const reversed = Object.fromEntries(Object.entries(one).reverse()) as typeof one;
    expect(templateHash(reversed)).to.equal(templateHash(one));
    expect(canonicalJson({ a: 1, b: undefined })).to.equal(canonicalJson({ a: 1 }));
  });

  it('depends on the order of a list', () => {
    expect(canonicalJson({ a: [1, 2] })).to.not.equal(canonicalJson({ a: [2, 1] }));
  });

  it('is the same for a default that is written and one that is left out', () => {
    expect(templateHash(template({ image: 'marekvs:test', replicationFactor: 2, gcGraceSeconds: 604_800 }))).to.equal(
      templateHash(template()),
    );
  });

  const changes = [
    { image: 'marekvs:other' },
    { image: 'marekvs:test', replicationFactor: 3 },
    { image: 'marekvs:test', gcGraceSeconds: 1 },
    { image: 'marekvs:test', extraEnv: { RUST_LOG: 'debug' } },
    { image: 'marekvs:test', resources: { cpu: '1', memory: '1Gi' } },
    { image: 'marekvs:test', podMetadata: { labels: { team: 'a' } } },
  ];
  for (const spec of changes) {
    it(`changes with ${Object.keys(spec).at(-1)} ${JSON.stringify(Object.values(spec).at(-1))}`, () => {
      expect(templateHash(template(spec))).to.not.equal(templateHash(template()));
    });
  }

  const APART = {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/hostname', labelSelector: {} }],
    },
  };
  const EMPTY = [
    {},
    { nodeAffinity: {}, podAffinity: {}, podAntiAffinity: {} },
    { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
    { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [] } },
    { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  ];
  for (const affinity of EMPTY) {
    it(`is the same for no affinity and ${JSON.stringify(affinity)}, which asks for nothing`, () => {
      expect(templateHash(template({ image: 'marekvs:test', affinity }))).to.equal('aceb1c58033bc1dc');
    });
  }

  it('is that of the rules alone where some kinds of affinity have none, and moves with an empty selector of Pods', () => {
    const { podAntiAffinity: apart } = APART;
    const [rule] = apart.requiredDuringSchedulingIgnoredDuringExecution;
    const hash = (affinity: MarekvsClusterSpec['affinity']) =>
      templateHash(template({ image: 'marekvs:test', affinity }));
    const beside = { ...apart, preferredDuringSchedulingIgnoredDuringExecution: [] };
    expect(hash({ nodeAffinity: {}, podAntiAffinity: beside })).to.equal(hash(APART));
    // As it was before anything was left out.
    expect(hash(APART)).to.equal('ea7a191dea73532d');
    const { labelSelector: _every, ...unselected } = rule ?? { topologyKey: '' };
    const other = { requiredDuringSchedulingIgnoredDuringExecution: [unselected] };
    expect(hash({ podAntiAffinity: other })).to.not.equal(hash(APART));
  });

  it('does not change with fields that do not concern the Pod: size, storage, pause, removal, update', () => {
    const spec = {
      image: 'marekvs:test',
      nodes: 9,
      storage: { size: '20Gi' },
      paused: true,
      deletionProtection: true,
    } as const;
    expect(templateHash(template(spec))).to.equal(templateHash(template()));
  });
});

describe('the hash of a template, over every spec of the campaign of fields', () => {
  const made = specVerdicts().flatMap(({ title, stored }) => {
    if (stored === undefined) return [];
    const { template: stamp, hash } = nodeStamp(clusterObject(), withDefaults(stored));
    const { metadata, ...pod } = buildPod(nodeObject(0, { spec: { template: stamp } }), { clusterUid: 'cluster-uid' });
    const { [ANNOTATIONS.templateHash]: _hash, ...annotations } = metadata.annotations ?? {};
    return [{ title, hash, pod: canonicalJson({ ...pod, metadata: { ...metadata, annotations } }) }];
  });

  it('differs for every different Pod, and is the same for the same Pod', () => {
    const podOf = new Map(made.map(({ hash, pod }) => [hash, pod]));
    const hashOf = new Map(made.map(({ hash, pod }) => [pod, hash]));
    expect(podOf.size).to.be.above(100);
    const wrong = made.filter(({ hash, pod }) => podOf.get(hash) !== pod || hashOf.get(pod) !== hash);
    expect(wrong.map(({ title }) => title)).to.deep.equal([]);
  });
});

describe('the identity of a cluster', () => {
  it('consists of namespace, name and uid before the cluster is formed', () => {
    expect(identityOf(clusterObject())).to.equal('default.demo.c0ffee00');
  });
  it('is the stored one after that', () => {
    const status = { formed: { ...FORMED.formed, at: '2026-01-01T00:00:00Z', clusterId: 'adopted' } };
    expect(identityOf(clusterObject({ status }))).to.equal('adopted');
  });
});

describe('a live object has what is wanted', () => {
  it('not when a selector has an additional key, since it then selects nothing', () => {
    const wanted = { selector: { a: '1' }, podSelector: { matchLabels: { a: '1' } } };
    expect(contains({ ...wanted, clusterIP: 'None' }, wanted)).to.equal(true);
    expect(contains({ ...wanted, selector: { a: '1', stranger: 'yes' } }, wanted)).to.equal(false);
    expect(contains({ ...wanted, podSelector: { matchLabels: { a: '1', b: '2' } } }, wanted)).to.equal(false);
  });

  const table = [
    { live: { a: 1, extra: true }, wanted: { a: 1 }, is: true },
    { live: { a: 1 }, wanted: { a: 2 }, is: false },
    { live: {}, wanted: { a: 1 }, is: false },
    { live: { a: 1 }, wanted: { a: 1, b: undefined }, is: true },
    { live: { a: { b: 1, c: 2 } }, wanted: { a: { b: 1 } }, is: true },
    { live: { a: [1, 2] }, wanted: { a: [1, 2] }, is: true },
    { live: { a: [2, 1] }, wanted: { a: [1, 2] }, is: false },
    { live: { a: [1, 2, 3] }, wanted: { a: [1, 2] }, is: false },
    { live: { a: [{ b: 1, x: 0 }] }, wanted: { a: [{ b: 1 }] }, is: true },
    { live: { a: 'text' }, wanted: { a: { b: 1 } }, is: false },
    { live: null, wanted: { a: 1 }, is: false },
    { live: undefined, wanted: undefined, is: true },
    { live: { a: '1' }, wanted: { a: 1 }, is: false },
    { live: {}, wanted: JSON.parse('{"__proto__": {"a": 1}}'), is: false },
  ];
  for (const { live, wanted, is } of table) {
    it(`${is ? 'in' : 'not in'} ${JSON.stringify(live)}: ${JSON.stringify(wanted)}`, () => {
      expect(contains(live, wanted)).to.equal(is);
    });
  }

  const corrections = [
    { live: { a: 2, theirs: 1 }, wanted: { a: 1 }, is: { a: 1 } },
    { live: undefined, wanted: { a: { b: 1 } }, is: { a: { b: 1 } } },
    { live: { ports: [{ port: 1 }, { port: 2 }] }, wanted: { ports: [{ port: 1 }] }, is: { ports: [{ port: 1 }] } },
    { live: { selector: { a: '1', x: '' } }, wanted: { selector: { a: '1' } }, is: { selector: { a: '1', x: null } } },
    { live: { selector: { x: '' } }, wanted: { selector: { a: '1' } }, is: { selector: { a: '1', x: null } } },
    { live: { other: { x: '' } }, wanted: { other: { a: '1' } }, is: { other: { a: '1' } } },
  ];
  for (const { live, wanted, is } of corrections) {
    it(`again after a merge patch of ${JSON.stringify(is)} onto ${JSON.stringify(live)}`, () => {
      expect(correction(live, wanted)).to.deep.equal(is);
    });
  }

  it('gives equal intents equal hashes', () => {
    expect(intentHash({ a: 1, b: { c: 2, d: 3 } })).to.equal(intentHash({ b: { d: 3, c: 2 }, a: 1 }));
  });
});

describe('the drift of a child (F18)', () => {
  const drifted = (times: number, stepMs = 1_000) => {
    const counter = createDriftCounter();
    for (let i = 0; i < times; i += 1) counter.note('uid', 'hash', i * stepMs);
    return counter;
  };

  it(`is undone without delay ${DRIFT_ROUNDS} times, and not a fourth time`, () => {
    expect(drifted(DRIFT_ROUNDS - 1).holdMs('uid', 'hash', 5_000)).to.equal(0);
    expect(drifted(DRIFT_ROUNDS).holdMs('uid', 'hash', 2_000)).to.equal(10_000);
  });

  it('may be undone when the delay is over, not one millisecond before', () => {
    const counter = drifted(DRIFT_ROUNDS);
    expect(counter.holdMs('uid', 'hash', 11_999)).to.equal(1);
    expect(counter.holdMs('uid', 'hash', 12_000)).to.equal(0);
  });

  it('doubles the delay each time, up to five minutes', () => {
    const at = (times: number) => drifted(times, 0).holdMs('uid', 'hash', 0);
    expect([4, 5, 6, 7, 8, 20].map(at)).to.deep.equal([20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
  });

  it('is forgotten ten minutes later', () => {
    expect(drifted(DRIFT_ROUNDS, 0).note('uid', 'hash', 599_999)).to.equal(DRIFT_ROUNDS + 1);
    expect(drifted(DRIFT_ROUNDS, 0).note('uid', 'hash', 600_000)).to.equal(1);
  });

  it('starts anew for another intent or another object', () => {
    expect(drifted(DRIFT_ROUNDS).holdMs('uid', 'other', 2_000)).to.equal(0);
    expect(drifted(DRIFT_ROUNDS).holdMs('other', 'hash', 2_000)).to.equal(0);
  });
});
