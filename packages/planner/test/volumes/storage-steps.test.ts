// The size of the volumes of the nodes: by the spec, node by node, and by how full they are.

import type { MarekvsClusterSpec, Operation } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type ClusterObservation, type NodeRecord, planCluster, sizeOfNewVolume } from '../../src/index.ts';
import { storageSteps, volumeHolds } from '../../src/volumes/storage-steps.ts';
import { MONOTONIC_MS, NOW_MS, node, nodes, observation, pod, volume, withNode } from '../support/builders.ts';
import { factsOf } from '../support/facts.ts';

const GI = 1024 ** 3;
const AUTO = { atPercent: 80, byPercent: 50, max: '30Gi', coolDownSeconds: 600 };
type Storage = NonNullable<MarekvsClusterSpec['storage']>;

const of = (storage: Storage, list: readonly NodeRecord[] = nodes(3), change: Partial<ClusterObservation> = {}) =>
  observation({ cluster: { spec: { storage } }, nodes: list, ...change });
const steps = (o: ClusterObservation) =>
  storageSteps(o).map((step) => (step.kind === 'setStorage' ? [step.node.id, step.size, step.attributesClass] : []));

describe('the storage that a node asks for', () => {
  it('follows the spec for each node, whatever the first one has', () => {
    const list = withNode(nodes(3), 0, { storage: { size: '20Gi', attributesClass: undefined } });
    expect(steps(of({ size: '20Gi' }, list))).to.deep.equal([
      [1, '20Gi', undefined],
      [2, '20Gi', undefined],
    ]);
  });
  it('never decreases, and does not change for another notation of the same size', () => {
    expect(steps(of({ size: '5Gi' }))).to.deep.equal([]);
    expect(steps(of({ size: '10240Mi' }))).to.deep.equal([]);
  });
  it('includes other attributes, also together with a size', () => {
    expect(steps(of({ volumeAttributesClassName: 'fast' }, [node(0)]))).to.deep.equal([[0, undefined, 'fast']]);
    expect(steps(of({ size: '20Gi', volumeAttributesClassName: 'fast' }, [node(0)]))).to.deep.equal([
      [0, '20Gi', 'fast'],
    ]);
  });
  it('does not change for a node that is being deleted', () => {
    expect(steps(of({ size: '20Gi' }, [node(0, { isDeleting: true })]))).to.deep.equal([]);
  });
  it('is written whatever else is under way, but not while the cluster is paused', () => {
    const isStorage = (o: ClusterObservation) => planCluster(o).steps.some(({ kind }) => kind === 'setStorage');
    expect(isStorage(of({ size: '20Gi' }))).to.equal(true);
    expect(isStorage(observation({ cluster: { spec: { storage: { size: '20Gi' }, paused: true } } }))).to.equal(false);
  });
  it('leads to a hold for each claim that a person has to look at', () => {
    const list = nodes(3).map((one) => ({ ...one, storage: { size: '20Gi', attributesClass: undefined } }));
    const refused = withNode(withNode(list, 0, { volumeRefused: 'a may not' }), 2, { volumeRefused: 'c may not' });
    expect(volumeHolds(of({ size: '20Gi' }, refused)).map(({ message }) => message)).to.deep.equal([
      'a may not',
      'c may not',
    ]);
  });
});

describe('a volume that fills up', () => {
  /** One node whose disk is this full, by current figures. */
  const filled = (
    percent: number | undefined,
    {
      own = {},
      storage = { autoGrow: AUTO },
      totalBytes = 10 * GI,
      ageMs = 1_000,
      operation,
    }: {
      readonly own?: Partial<NodeRecord>;
      readonly storage?: Storage;
      readonly totalBytes?: number;
      readonly ageMs?: number;
      readonly operation?: Pick<Operation, 'phase'>;
    } = {},
  ) => {
    const one = node(0, own);
    const figures = { diskTotalBytes: totalBytes, diskAvailBytes: totalBytes * (1 - (percent ?? 0) / 100) };
    const known = percent === undefined ? [] : [factsOf(0, { figures, atMs: MONOTONIC_MS - ageMs })];
    return observation({
      cluster: { spec: { storage }, ...(operation === undefined ? {} : { operation: operation as Operation }) },
      nodes: [one],
      facts: known,
    });
  };
  const size = (o: ClusterObservation) => steps(o)[0]?.[1];
  const wholly = (gibibytes: string, more: Partial<NodeRecord> = {}): Partial<NodeRecord> => ({
    storage: { size: gibibytes, attributesClass: undefined },
    volume: volume(0, { requestedSize: gibibytes, capacity: gibibytes }),
    ...more,
  });

  const ROWS: readonly (readonly [string, ClusterObservation, string | undefined])[] = [
    ['grows at its limit', filled(80), '15Gi'],
    ['does not grow below it', filled(79.9), undefined],
    ['does not grow without the rule', filled(95, { storage: {} }), undefined],
    ['does not grow on figures that are not known', filled(undefined), undefined],
    ['does not grow on figures that are old', filled(95, { ageMs: 300_001 }), undefined],
    ['grows on figures that are not', filled(95, { ageMs: 300_000 }), '15Gi'],
    ['does not grow for the fill level of another, larger disk', filled(95, { totalBytes: 500 * GI }), undefined],
    ['does not grow for that of a smaller one: it has not grown yet', filled(95, { totalBytes: 7 * GI }), undefined],
    ['grows up to the limit and no further', filled(95, { own: wholly('25Gi'), totalBytes: 25 * GI }), '30Gi'],
    ['does not grow at the limit', filled(95, { own: wholly('30Gi'), totalBytes: 30 * GI }), undefined],
    ['does not grow while it cools down', filled(95, { own: { volumeGrownAtMs: NOW_MS - 599_999 } }), undefined],
    ['grows again after that', filled(95, { own: { volumeGrownAtMs: NOW_MS - 600_000 } }), '15Gi'],
    [
      'is not held by a time from a clock that was wrong',
      filled(95, { own: { volumeGrownAtMs: NOW_MS + 600_000 } }),
      '15Gi',
    ],
    [
      'does not grow while the last growth is under way',
      filled(95, { own: wholly('15Gi', { volume: volume(0, { requestedSize: '15Gi' }) }) }),
      undefined,
    ],
    ['does not grow while a removal settles', filled(95, { operation: { phase: 'Settling' } }), undefined],
    ['does not grow when its node leaves', filled(95, { own: { intent: 'Leaving' } }), undefined],
    ['follows the spec first', filled(95, { storage: { size: '12Gi', autoGrow: AUTO } }), '12Gi'],
  ];
  for (const [what, o, expected] of ROWS) it(what, () => expect(size(o)).to.equal(expected));

  it('grows with a message that says why, with the figures', () => {
    const [step] = storageSteps(filled(84));
    expect(step?.kind === 'setStorage' ? step.grown : undefined).to.equal(
      'demo-0 is 84 % full: its volume grows from 10Gi to 15Gi',
    );
  });
  it('needs a person at its limit, but only while it is full', () => {
    const at = (percent: number) => volumeHolds(filled(percent, { own: wholly('30Gi'), totalBytes: 30 * GI }));
    expect(at(81).map(({ reason, needsPerson }) => [reason, needsPerson])).to.deep.equal([['AutoGrowAtMax', true]]);
    expect(at(79)).to.deep.equal([]);
  });
});

describe('the size of the volume of a new node', () => {
  const spec = (storage: Storage) => observation({ cluster: { spec: { storage } } }).cluster.spec;
  const sized = (...sizes: readonly string[]) =>
    sizes.map((size, id) => node(id, { pod: pod(id), storage: { size, attributesClass: undefined } }));

  it('is that of the largest volume that has grown by itself, up to the limit', () => {
    expect(sizeOfNewVolume(spec({ autoGrow: AUTO }), sized('10Gi', '15Gi', '23Gi'))).to.equal('23Gi');
    expect(sizeOfNewVolume(spec({ autoGrow: AUTO }), sized('10Gi', '90Gi'))).to.equal('10Gi');
  });
  it('is that of the spec where volumes do not grow by themselves', () => {
    expect(sizeOfNewVolume(spec({ size: '10Gi' }), sized('90Gi'))).to.equal('10Gi');
  });
});
