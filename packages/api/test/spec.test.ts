// Defaults, unsupported fields and the rules on stored specs.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { describe, it } from 'mocha';
import {
  type MarekvsCluster,
  type MarekvsClusterSpec,
  minimumNodes,
  validateClusterSpec,
  validateNewClusterSpec,
  withDefaults,
} from '../src/index.ts';

const SAMPLES = join(import.meta.dirname, 'samples');
const DEMO = join(import.meta.dirname, '..', '..', '..', 'config', 'samples', 'demo.yaml');
const spec = (fields: Partial<MarekvsClusterSpec> = {}): MarekvsClusterSpec => ({ image: 'marekvs:1', ...fields });
const read = (path: string) => load(readFileSync(path, 'utf8')) as MarekvsCluster;

describe('defaults', () => {
  it('fill in everything that has a default', () => {
    expect(withDefaults(spec())).to.deep.equal({
      image: 'marekvs:1',
      nodes: 3,
      replicationFactor: 2,
      imagePullSecrets: [],
      storage: { size: '10Gi' },
      resources: { cpu: '500m', memory: '1Gi' },
      volumeRetention: { whenScaled: 'Retain', whenDeleted: 'Retain' },
      extraEnv: {},
      nodeSelector: {},
      tolerations: [],
      hostnameSpreadWhenUnsatisfiable: 'ScheduleAnyway',
      topologySpreadConstraints: [],
      podMetadata: { labels: {}, annotations: {} },
      gcGraceSeconds: 604_800,
      update: {
        maxUnavailable: 1,
        canaryNodes: 0,
        rollbackOnFailure: true,
        progressDeadlineSeconds: 600,
        type: 'RollingUpdate',
      },
      removal: { deadlineSeconds: 3600, clientGraceSeconds: 5 },
      verification: { intervalSeconds: 86_400 },
      hosts: { lostAfterSeconds: 600, moveOnDrain: true, replaceOnDrain: false },
      paused: false,
      hibernated: false,
      deletionProtection: false,
    });
  });

  it('count a deadline that was stored before there was a grace as one that is long enough for it', () => {
    const removal = (given: NonNullable<MarekvsClusterSpec['removal']>) =>
      withDefaults(spec({ removal: given })).removal;
    expect(removal({ deadlineSeconds: 60 })).to.deep.equal({ deadlineSeconds: 305, clientGraceSeconds: 5 });
    expect(removal({ deadlineSeconds: 305 })).to.deep.equal({ deadlineSeconds: 305, clientGraceSeconds: 5 });
    expect(removal({ deadlineSeconds: 60, clientGraceSeconds: 600 }).deadlineSeconds).to.equal(900);
    expect(removal({ clientGraceSeconds: 0 })).to.deep.equal({ deadlineSeconds: 3600, clientGraceSeconds: 0 });
  });

  it('turn reclaimPvcs into the retention only of removed nodes', () => {
    const retention = { whenScaled: 'Delete', whenDeleted: 'Retain' };
    expect(withDefaults(spec({ reclaimPvcs: true })).volumeRetention).to.deep.equal(retention);
    const both = spec({ reclaimPvcs: true, volumeRetention: { whenDeleted: 'Retain' } });
    expect(withDefaults(both).volumeRetention).to.deep.equal(retention);
  });

  it('keep a volume when a stored contradiction says both keep and delete', () => {
    const both = spec({ reclaimPvcs: true, volumeRetention: { whenScaled: 'Retain' } });
    expect(withDefaults(both).volumeRetention.whenScaled).to.equal('Retain');
  });

  it('keep given values, and quantities as texts', () => {
    const given = withDefaults(spec({ resources: { cpu: 2 }, storage: { className: 'a' }, nodes: 7 }));
    expect(given.resources).to.deep.equal({ cpu: '2', memory: '1Gi' });
    expect(given.storage).to.deep.equal({ size: '10Gi', className: 'a' });
    expect(given.nodes).to.equal(7);
  });

  it('give spec.autoscale its windows, but no target', () => {
    const { autoscale } = withDefaults(spec({ autoscale: { minNodes: 3, maxNodes: 8, targetDiskPercent: 70 } }));
    expect(autoscale).to.deep.equal({
      minNodes: 3,
      maxNodes: 8,
      targetDiskPercent: 70,
      scaleDownStabilizationSeconds: 300,
      scaleUpCooldownSeconds: 60,
    });
  });

  it('put the floor one above replicationFactor', () => {
    expect([minimumNodes({}), minimumNodes({ replicationFactor: 5 })]).to.deep.equal([3, 6]);
  });
});

describe('the example of the existing operator', () => {
  const example = read(join(SAMPLES, 'example-cluster.yaml'));

  it('has the same meaning as before', () => {
    const effective = withDefaults(example.spec);
    expect(effective).to.deep.include({ nodes: 3, replicationFactor: 2, extraEnv: { RUST_LOG: 'info' } });
    expect(effective).to.deep.include({ storage: { size: '10Gi' }, resources: { cpu: '1', memory: '1Gi' } });
    expect(effective.volumeRetention.whenScaled).to.equal('Retain');
  });

  it('is the same as the shipped demo, which leaves out autoscale', () => {
    const { autoscale, ...rest } = example.spec;
    expect(read(DEMO).spec).to.deep.equal({ ...rest, nodes: autoscale?.minNodes });
  });
});

describe('a stored spec that newer rules refuse (F16)', () => {
  it('gets a problem for every broken rule, each with its field', () => {
    const stored = spec({
      nodes: 0,
      replicationFactor: 40,
      storage: { size: 'big' },
      extraEnv: { MAREKVS_SEEDS: 'x', 'A B': 'y' },
      autoscale: { minNodes: 9, maxNodes: 3 },
    });
    expect(validateClusterSpec(stored).map((problem) => problem.path)).to.deep.equal([
      'spec.nodes',
      'spec.replicationFactor',
      'spec.storage.size',
      'spec.autoscale.minNodes',
      'spec.autoscale',
      'spec.extraEnv',
      'spec.extraEnv',
    ]);
  });

  it('gets problems for values of a wrong type without an exception', () => {
    const stored: MarekvsClusterSpec = JSON.parse(
      '{"image":7,"nodes":"3","autoscale":"on","extraEnv":null,"storage":{"size":true},"update":{"type":1},"podMetadata":{"labels":[]}}',
    );
    expect(validateClusterSpec(stored).map((problem) => problem.path)).to.include.members([
      'spec.image',
      'spec.nodes',
      'spec.storage.size',
      'spec.update.type',
    ]);
  });

  it('shrinks with a storage size below the default, even if the old size was never written', () => {
    const problems = validateClusterSpec(spec({ storage: { size: '1Gi' } }), spec());
    expect(problems.map((problem) => problem.path)).to.deep.equal(['spec.storage.size']);
  });
});

describe('removal.deadlineSeconds stored before clients had a grace', () => {
  const stored = spec({ removal: { deadlineSeconds: 60 } });
  const pathsOf = (problems: ReturnType<typeof validateClusterSpec>) => problems.map(({ path }) => path);

  it('is acted on, counts as long enough, and stays through edits of other fields', () => {
    expect(validateClusterSpec(stored)).to.deep.equal([]);
    expect(withDefaults(stored).removal).to.deep.equal({ deadlineSeconds: 305, clientGraceSeconds: 5 });
    expect(validateClusterSpec({ ...stored, nodes: 5 }, stored)).to.deep.equal([]);
  });

  it('has to fit once spec.removal is edited, and in a new cluster', () => {
    const edited = { ...stored, removal: { deadlineSeconds: 60, clientGraceSeconds: 0 } };
    expect(pathsOf(validateClusterSpec(edited, stored))).to.deep.equal(['spec.removal.deadlineSeconds']);
    expect(pathsOf(validateNewClusterSpec(stored))).to.deep.equal(['spec.removal.deadlineSeconds']);
  });
});

describe('gcGraceSeconds below 3600, stored before that was the least', () => {
  const stored = spec({ gcGraceSeconds: 600, nodes: 3 });
  const pathsOf = (problems: ReturnType<typeof validateClusterSpec>) => problems.map(({ path }) => path);

  it('is acted on, and stays through edits of other fields', () => {
    expect(validateClusterSpec(stored)).to.deep.equal([]);
    expect(validateClusterSpec({ ...stored, nodes: 5 }, stored)).to.deep.equal([]);
  });

  for (const gcGraceSeconds of [599, 601, 3599])
    it(`cannot be changed to ${gcGraceSeconds}`, () => {
      expect(pathsOf(validateClusterSpec({ ...stored, gcGraceSeconds }, stored))).to.deep.equal([
        'spec.gcGraceSeconds',
      ]);
    });

  it('can be raised to 3600, and left out for the default', () => {
    expect(validateClusterSpec({ ...stored, gcGraceSeconds: 3600 }, stored)).to.deep.equal([]);
    expect(validateClusterSpec(spec({ nodes: 3 }), stored)).to.deep.equal([]);
  });

  it('cannot be set in a new cluster', () => {
    expect(pathsOf(validateNewClusterSpec(stored))).to.deep.equal(['spec.gcGraceSeconds']);
  });
});

describe('MAREKVS_REPLICAOF, stored before it was refused', () => {
  const stored = spec({ extraEnv: { MAREKVS_REPLICAOF: 'redis:6379', RUST_LOG: 'info' } });
  const pathsOf = (extraEnv: Record<string, string>) =>
    validateClusterSpec({ ...stored, extraEnv }, stored).map(({ path }) => path);

  it('is acted on, and stays through edits of other fields', () => {
    expect(validateClusterSpec(stored)).to.deep.equal([]);
    expect(validateClusterSpec({ ...stored, nodes: 5 }, stored)).to.deep.equal([]);
    expect(pathsOf({ RUST_LOG: 'info', MAREKVS_REPLICAOF: 'redis:6379' })).to.deep.equal([]);
  });

  it('has to go with the next edit of extraEnv', () => {
    expect(pathsOf({ MAREKVS_REPLICAOF: 'other:6379', RUST_LOG: 'info' })).to.deep.equal(['spec.extraEnv']);
    expect(pathsOf({ MAREKVS_REPLICAOF: 'redis:6379', RUST_LOG: 'debug' })).to.deep.equal(['spec.extraEnv']);
    expect(pathsOf({ RUST_LOG: 'debug' })).to.deep.equal([]);
  });

  it('cannot be set in a new cluster', () => {
    expect(validateNewClusterSpec(stored).map(({ path }) => path)).to.deep.equal(['spec.extraEnv']);
  });
});
