// Which fields of a spec are not in force: by what the nodes run, never by what this version could do.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  type AuthInForce,
  type InForce,
  type MarekvsClusterSpec,
  type NodeInForce,
  type NodeTemplate,
  pendingChanges,
  pendingText,
} from '../src/index.ts';
import { TEMPLATE_FIELDS } from '../src/pending/spec-fields.ts';
import { clusterSpecSchema } from '../src/schema/cluster-spec.ts';

const TEMPLATE: NodeTemplate = {
  image: 'marekvs:1',
  resources: { cpu: '500m', memory: '1Gi' },
  env: { RUST_LOG: 'info', TOKEN: 'hush' },
  replicationFactor: 2,
  gcGraceSeconds: 600,
  clusterIdentity: 'default.demo.c0ffee00',
  scheduling: { hostnameSpreadWhenUnsatisfiable: 'ScheduleAnyway', nodeSelector: { disk: 'ssd' } },
};
const NOTHING_KNOWN: AuthInForce = { secret: 'unknown', openNodes: [], oldNodes: [] };

interface Given {
  readonly spec?: Partial<MarekvsClusterSpec>;
  readonly template?: Partial<NodeTemplate>;
  readonly nodes?: readonly (Partial<NodeTemplate> | undefined)[];
  readonly sizes?: readonly string[];
  readonly attributes?: readonly string[];
  readonly waits?: readonly NodeInForce['volumeWaits'][];
  readonly rest?: Partial<InForce>;
}

const PAUSED = { reason: 'RolloutPaused', why: 'it is paused', wayOut: 'resume it', needsPerson: true } as const;
const REFUSED = { reason: 'VolumeChangeRefused', why: 'may not', wayOut: 'look', needsPerson: true } as const;
const ROLLING = { reason: 'RollingOut', why: 'in turn', wayOut: 'wait for their turns', needsPerson: false } as const;

/** The pending changes for three nodes that run what is asked for, changed in this way. */
function pending({
  spec = {},
  template = {},
  nodes = [{}, {}, {}],
  sizes = [],
  attributes = [],
  waits = [],
  rest = {},
}: Given) {
  return pendingChanges({
    spec: { image: 'marekvs:1', ...spec },
    template: { ...TEMPLATE, ...template },
    nodes: nodes.map((change, id) => ({
      name: `demo-${id}`,
      template: change === undefined ? undefined : { ...TEMPLATE, ...change },
      storageSize: sizes[id] ?? '10Gi',
      attributesClass: attributes[id],
      volumeWaits: waits[id],
    })),
    auth: NOTHING_KNOWN,
    desiredNodes: 3,
    presentNodes: 3,
    isSizeKept: false,
    rolling: PAUSED,
    ...rest,
  });
}

const one = (given: Given) => {
  const changes = pending(given);
  expect(changes.map(({ field }) => field)).to.have.length(1);
  const [{ field, asked, effective, reason, needsPerson }] = changes as [(typeof changes)[number]];
  return { field, asked, effective, reason, needsPerson };
};
const ref = (name: string) => ({ name, key: 'password' });

describe('the list of fields that are not in force', () => {
  it('is empty when all nodes run what is asked for', () => {
    expect(pending({})).to.deep.equal([]);
  });

  it('has no field of the template before there are nodes', () => {
    expect(pending({ template: { image: 'marekvs:2' }, nodes: [] })).to.deep.equal([]);
  });

  it('has entries that can be reported in one sentence', () => {
    const [change] = pending({ template: { replicationFactor: 5 } });
    expect(change === undefined ? '' : pendingText(change)).to.equal(
      'spec.replicationFactor: 5 is asked for and 2 is in force',
    );
  });

  it('is never cut inside a character, which would be stored as another one', () => {
    for (const before of ['', 'x']) {
      const image = `${before}${'🚫'.repeat(1_000)}`;
      const [change] = pending({ template: { image }, rest: { rolling: { ...PAUSED, why: image } } });
      expect([change?.asked.length, change?.why.length].every((length) => (length ?? 0) < 1_000)).to.equal(true);
      expect([change?.asked.isWellFormed(), change?.why.isWellFormed()], before).to.deep.equal([true, true]);
    }
  });

  const ROWS: readonly (readonly [string, Given, ReturnType<typeof one>])[] = [
    [
      'the size that was decided by load before autoscale was taken out',
      { spec: { nodes: 3 }, rest: { desiredNodes: 5, presentNodes: 5, isSizeKept: true } },
      { field: 'spec.nodes', asked: '3', effective: '5', reason: 'KeptSize', needsPerson: true },
    ],
    [
      'another number of hosts while all sleep',
      {
        spec: { hibernated: true, hosts: { onePerHost: { nodeSelector: { pool: 'db' } } } },
        rest: { desiredNodes: 5 },
      },
      { field: 'spec.hosts.onePerHost', asked: '5', effective: '3', reason: 'Hibernated', needsPerson: true },
    ],
    [
      'another image while all sleep',
      { spec: { hibernated: true }, template: { image: 'marekvs:2' } },
      { field: 'spec.image', asked: 'marekvs:2', effective: 'marekvs:1', reason: 'Hibernated', needsPerson: true },
    ],
    [
      'a largest size that replicationFactor does not allow',
      {
        spec: { replicationFactor: 4, autoscale: { minNodes: 3, maxNodes: 4, targetOpsPerNode: 5 } },
        template: { replicationFactor: 4 },
        nodes: [{ replicationFactor: 4 }],
        rest: { desiredNodes: 5 },
      },
      { field: 'spec.autoscale.maxNodes', asked: '4', effective: '5', reason: 'BelowFloor', needsPerson: true },
    ],
    [
      'an image that nobody runs',
      { template: { image: 'marekvs:2' } },
      {
        field: 'spec.image',
        asked: 'marekvs:2',
        effective: 'marekvs:1',
        reason: 'RolloutPaused',
        needsPerson: true,
      },
    ],
    [
      'an image that one of three runs',
      { template: { image: 'marekvs:2' }, nodes: [{}, {}, { image: 'marekvs:2' }] },
      {
        field: 'spec.image',
        asked: 'marekvs:2',
        effective: 'marekvs:1 on 2 of 3 nodes, marekvs:2 on 1 of 3 nodes',
        reason: 'RolloutPaused',
        needsPerson: true,
      },
    ],
    [
      'an image whose turn is coming',
      { template: { image: 'marekvs:2' }, rest: { rolling: ROLLING } },
      {
        field: 'spec.image',
        asked: 'marekvs:2',
        effective: 'marekvs:1',
        reason: 'RollingOut',
        needsPerson: false,
      },
    ],
    [
      'a variable, by its name alone: its value may be a secret',
      { template: { env: { RUST_LOG: 'info', TOKEN: 'other', NEW: 'x' } } },
      {
        field: 'spec.extraEnv',
        asked: 'NEW, TOKEN (another value)',
        effective: 'TOKEN (another value)',
        reason: 'RolloutPaused',
        needsPerson: true,
      },
    ],
    [
      'a variable that is taken out',
      { template: { env: { RUST_LOG: 'info' } } },
      {
        field: 'spec.extraEnv',
        asked: 'without TOKEN',
        effective: 'TOKEN',
        reason: 'RolloutPaused',
        needsPerson: true,
      },
    ],
    [
      'a variable with a name that every object has',
      { template: { env: { ...TEMPLATE.env, constructor: 'x' } } },
      {
        field: 'spec.extraEnv',
        asked: 'constructor',
        effective: 'without constructor',
        reason: 'RolloutPaused',
        needsPerson: true,
      },
    ],
    [
      'a node selector',
      { template: { scheduling: { hostnameSpreadWhenUnsatisfiable: 'ScheduleAnyway' } } },
      {
        field: 'spec.nodeSelector',
        asked: 'none',
        effective: 'disk=ssd',
        reason: 'RolloutPaused',
        needsPerson: true,
      },
    ],
    [
      'a factor that all members come to share, one after the other',
      { template: { replicationFactor: 5 }, rest: { rolling: ROLLING } },
      {
        field: 'spec.replicationFactor',
        asked: '5',
        effective: '2',
        reason: 'RollingOut',
        needsPerson: false,
      },
    ],
    [
      'larger volumes, as far as they are not',
      { spec: { storage: { size: '20Gi' } }, sizes: ['10Gi', '20480Mi', '10Gi'] },
      {
        field: 'spec.storage.size',
        asked: '20Gi',
        effective: '10Gi on 2 of 3 nodes, 20480Mi on 1 of 3 nodes',
        reason: 'VolumeChanging',
        needsPerson: false,
      },
    ],
    [
      'larger volumes of which one may not grow: that one comes first',
      { spec: { storage: { size: '20Gi' } }, waits: [undefined, REFUSED, undefined] },
      {
        field: 'spec.storage.size',
        asked: '20Gi',
        effective: '10Gi',
        reason: 'VolumeChangeRefused',
        needsPerson: true,
      },
    ],
    [
      'larger volumes while the cluster is paused',
      { spec: { storage: { size: '20Gi' }, paused: true } },
      { field: 'spec.storage.size', asked: '20Gi', effective: '10Gi', reason: 'Paused', needsPerson: true },
    ],
    [
      'other attributes of volumes, as far as they have them not',
      { spec: { storage: { volumeAttributesClassName: 'fast' } }, attributes: ['fast', 'slow'] },
      {
        field: 'spec.storage.volumeAttributesClassName',
        asked: 'fast',
        effective: 'fast on 1 of 3 nodes, slow on 1 of 3 nodes, none on 1 of 3 nodes',
        reason: 'VolumeChanging',
        needsPerson: false,
      },
    ],
    [
      'fewer nodes than the floor',
      { spec: { nodes: 1 } },
      { field: 'spec.nodes', asked: '1', effective: '3', reason: 'BelowFloor', needsPerson: true },
    ],
    [
      'more nodes than a paused cluster has',
      { spec: { nodes: 5, paused: true }, rest: { desiredNodes: 5 } },
      { field: 'spec.nodes', asked: '5', effective: '3', reason: 'Paused', needsPerson: true },
    ],
    [
      'something on a Pod that is older than its node’s stamp',
      { nodes: [{}, undefined, {}] },
      {
        field: 'spec',
        asked: 'the present template',
        effective: 'an older one on demo-1',
        reason: 'RolloutPaused',
        needsPerson: true,
      },
    ],
    [
      'a password that nobody wants',
      { template: { authSecretRef: ref('one') } },
      {
        field: 'spec.auth',
        asked: 'Secret one, key password',
        effective: 'no password',
        reason: 'PasswordRotating',
        needsPerson: false,
      },
    ],
    [
      'a password whose Secret is not there',
      { template: { authSecretRef: ref('one') }, rest: { auth: { secret: 'missing', openNodes: [], oldNodes: [] } } },
      {
        field: 'spec.auth',
        asked: 'Secret one, key password',
        effective: 'no password',
        reason: 'SecretMissing',
        needsPerson: true,
      },
    ],
    [
      'a password that all were started with and whose Secret has gone since',
      {
        template: { authSecretRef: ref('one') },
        nodes: [0, 1, 2].map(() => ({ authSecretRef: ref('one') })),
        rest: { auth: { secret: 'missing', openNodes: [], oldNodes: [] } },
      },
      {
        field: 'spec.auth',
        asked: 'Secret one, key password',
        effective: 'the password that members were started with',
        reason: 'SecretMissing',
        needsPerson: true,
      },
    ],
    [
      'a password that all were started with and one member does not want',
      {
        template: { authSecretRef: ref('one') },
        nodes: [0, 1, 2].map(() => ({ authSecretRef: ref('one') })),
        rest: { auth: { secret: 'present', openNodes: ['demo-1'], oldNodes: [] } },
      },
      {
        field: 'spec.auth',
        asked: 'Secret one, key password',
        effective: 'no password on demo-1',
        reason: 'PasswordRotating',
        needsPerson: false,
      },
    ],
    [
      'a password that has changed and two members do not want yet',
      {
        template: { authSecretRef: ref('one') },
        nodes: [0, 1, 2].map(() => ({ authSecretRef: ref('one') })),
        rest: { auth: { secret: 'present', openNodes: [], oldNodes: ['demo-1', 'demo-2'] } },
      },
      {
        field: 'spec.auth',
        asked: 'Secret one, key password, as it is now',
        effective: 'another password on demo-1, demo-2',
        reason: 'PasswordRotating',
        needsPerson: false,
      },
    ],
    [
      'a password that is taken out',
      { nodes: [0, 1, 2].map(() => ({ authSecretRef: ref('one') })) },
      {
        field: 'spec.auth',
        asked: 'no password',
        effective: 'Secret one, key password',
        reason: 'PasswordRotating',
        needsPerson: false,
      },
    ],
    [
      'another Secret that two members do not want yet',
      {
        template: { authSecretRef: ref('two') },
        nodes: [0, 1, 2].map(() => ({ authSecretRef: ref('one') })),
        rest: { auth: { secret: 'present', openNodes: [], oldNodes: ['demo-1', 'demo-2'] } },
      },
      {
        field: 'spec.auth',
        asked: 'Secret two, key password',
        effective: 'Secret one, key password',
        reason: 'PasswordRotating',
        needsPerson: false,
      },
    ],
    [
      'another Secret that may not be read',
      {
        template: { authSecretRef: ref('two') },
        nodes: [0, 1, 2].map(() => ({ authSecretRef: ref('one') })),
        rest: { auth: { secret: 'forbidden', openNodes: [], oldNodes: [] } },
      },
      {
        field: 'spec.auth',
        asked: 'Secret two, key password',
        effective: 'Secret one, key password',
        reason: 'SecretNotReadable',
        needsPerson: true,
      },
    ],
    [
      'another Secret in which there is no password',
      {
        template: { authSecretRef: ref('two') },
        nodes: [0, 1, 2].map(() => ({ authSecretRef: ref('one') })),
        rest: { auth: { secret: 'invalid', openNodes: [], oldNodes: ['demo-0'] } },
      },
      {
        field: 'spec.auth',
        asked: 'Secret two, key password',
        effective: 'Secret one, key password',
        reason: 'PasswordInvalid',
        needsPerson: true,
      },
    ],
    [
      'a password that is taken out of a paused cluster',
      {
        spec: { paused: true },
        nodes: [0, 1, 2].map(() => ({ authSecretRef: ref('one') })),
        rest: { auth: { secret: 'present', openNodes: [], oldNodes: ['demo-0'] } },
      },
      {
        field: 'spec.auth',
        asked: 'no password',
        effective: 'Secret one, key password',
        reason: 'Paused',
        needsPerson: true,
      },
    ],
  ];
  for (const [title, given, expected] of ROWS) {
    it(`has ${title}`, () => {
      expect(one(given)).to.deep.equal(expected);
    });
  }

  it('contains no value of a variable or of an annotation', () => {
    const changes = pending({ template: { env: { TOKEN: 'geheim' }, podMetadata: { annotations: { a: 'geheim' } } } });
    expect(changes.map(({ field }) => field)).to.deep.equal(['spec.extraEnv', 'spec.podMetadata.annotations']);
    expect(JSON.stringify(changes)).to.not.match(/geheim|hush/);
  });

  it('is empty for another order of keys, and for an empty collection instead of none', () => {
    const template = { env: { TOKEN: 'hush', RUST_LOG: 'info' }, podMetadata: { labels: {}, annotations: {} } };
    expect(pending({ template })).to.deep.equal([]);
  });
});

describe('the table of fields', () => {
  it('has every field of the spec that affects Pods, so that no change of one is overlooked', () => {
    const rolled = TEMPLATE_FIELDS.map(({ path }) => path.split('.')[1]);
    // Fields on which the operator acts at once, or which are judged elsewhere.
    const elsewhere = [
      'nodes',
      'autoscale',
      'storage',
      'volumeRetention',
      'clients',
      'reclaimPvcs',
      'update',
      'removal',
      'verification',
      'hosts',
      'paused',
      'hibernated',
      'deletionProtection',
    ];
    const all = Object.keys(clusterSpecSchema.shape);
    expect(all.filter((name) => ![...rolled, ...elsewhere].includes(name))).to.deep.equal([]);
  });
});
