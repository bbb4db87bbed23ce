// How many members there should be, and which ids new ones get.

import { type MarekvsClusterSpec, withDefaults } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  chooseNodeIds,
  desiredSize,
  detachedVolumes,
  hasLostVolume,
  highestIdEverUsed,
  type NodeRecord,
  nextNodeIds,
  REUSE_PATIENCE_MS,
  type SizeRecord,
  type VolumeRecord,
} from '../src/index.ts';
import {
  freshNode,
  joining,
  line,
  NOW_MS,
  node,
  nodes,
  observation,
  pod,
  serving,
  views,
  volume,
  withNode,
  withoutPod,
} from './support/builders.ts';

const AUTOSCALE = { minNodes: 3, maxNodes: 8, targetOpsPerNode: 5_000 };
const DECIDED = { size: 5, nodes: 3, since: '2026-01-01T00:00:00Z' };

/** A formed cluster with that spec, and what else its size depends on. */
const sized = (spec: Partial<MarekvsClusterSpec>, rest: Partial<SizeRecord> = {}): SizeRecord => ({
  spec: withDefaults({ image: 'x', ...spec }),
  isFormed: true,
  autoscale: undefined,
  sizeBefore: undefined,
  adoptedNodes: undefined,
  acceptedNodes: undefined,
  ...rest,
});

describe('the desired size', () => {
  const table = [
    { nodes: 1, replicationFactor: 1, size: 2, clamped: true },
    { nodes: 2, replicationFactor: 1, size: 2, clamped: false },
    { nodes: 2, replicationFactor: 2, size: 3, clamped: true },
    { nodes: 3, replicationFactor: 2, size: 3, clamped: false },
    { nodes: 16, replicationFactor: 16, size: 17, clamped: true },
    { nodes: 17, replicationFactor: 16, size: 17, clamped: false },
    { nodes: 1000, replicationFactor: 2, size: 1000, clamped: false },
  ];
  for (const { nodes, replicationFactor, size, clamped } of table) {
    it(`is ${size} for nodes ${nodes} and replicationFactor ${replicationFactor}, ${clamped ? 'said to be' : 'not'} raised`, () => {
      const result = desiredSize(sized({ nodes, replicationFactor }));
      expect(result.nodes).to.equal(size);
      expect(result.clamped?.reason).to.equal(clamped ? 'BelowFloor' : undefined);
    });
  }

  it('is reported with numbers when it was raised, and nobody need act', () => {
    expect(desiredSize(sized({ nodes: 1 })).clamped).to.deep.equal({
      reason: 'BelowFloor',
      message: 'spec.nodes is 1, below replicationFactor + 1 = 3: 3 nodes are kept',
      needsPerson: false,
    });
  });
});

describe('the desired size of a cluster that follows its load', () => {
  const rows: readonly (readonly [string, SizeRecord, number])[] = [
    [
      'the one that was decided, whatever spec.nodes says',
      sized({ nodes: 7, autoscale: AUTOSCALE }, { autoscale: DECIDED }),
      5,
    ],
    ['spec.nodes while it is formed', sized({ nodes: 4, autoscale: AUTOSCALE }, { isFormed: false }), 4],
    ['no smaller than minNodes when it is formed', sized({ nodes: 2, autoscale: AUTOSCALE }, { isFormed: false }), 3],
    ['no larger than maxNodes when it is formed', sized({ nodes: 9, autoscale: AUTOSCALE }, { isFormed: false }), 8],
    ['what it was when autoscale was set', sized({ nodes: 3, autoscale: AUTOSCALE }, { sizeBefore: 12 }), 12],
    [
      'that of the StatefulSet it was taken over from',
      sized({ autoscale: AUTOSCALE }, { sizeBefore: 3, adoptedNodes: 6 }),
      6,
    ],
    [
      'never below replicationFactor + 1',
      sized({ replicationFactor: 5, autoscale: AUTOSCALE }, { autoscale: DECIDED }),
      6,
    ],
    ['what was decided once autoscale is taken out', sized({ nodes: 3 }, { autoscale: DECIDED }), 5],
    ['spec.nodes as soon as that is another one', sized({ nodes: 4 }, { autoscale: DECIDED }), 4],
    [
      'spec.nodes when somebody says that it is meant',
      sized({ nodes: 3 }, { autoscale: DECIDED, acceptedNodes: `3/${DECIDED.since}` }),
      3,
    ],
    [
      'what was decided when an earlier number was meant',
      sized({ nodes: 3 }, { autoscale: DECIDED, acceptedNodes: `4/${DECIDED.since}` }),
      5,
    ],
    [
      'what was decided since that number was meant',
      sized({ nodes: 3 }, { autoscale: DECIDED, acceptedNodes: '3/2025-12-31T00:00:00Z' }),
      5,
    ],
  ];
  for (const [title, cluster, nodes] of rows) {
    it(`is ${title}`, () => {
      expect(desiredSize(cluster).nodes).to.equal(nodes);
    });
  }

  it('is reported as kept only until a person asks for another size', () => {
    expect(desiredSize(sized({ nodes: 3 }, { autoscale: DECIDED })).isKept).to.equal(true);
    expect(desiredSize(sized({ nodes: 4 }, { autoscale: DECIDED })).isKept).to.equal(false);
    expect(desiredSize(sized({ nodes: 3, autoscale: AUTOSCALE }, { autoscale: DECIDED })).isKept).to.equal(false);
  });

  it('is reported with maxNodes when that is below replicationFactor + 1', () => {
    const { clamped } = desiredSize(sized({ replicationFactor: 9, autoscale: AUTOSCALE }, { autoscale: DECIDED }));
    expect(clamped?.reason).to.equal('BelowFloor');
    expect(clamped?.message).to.equal(
      'spec.autoscale.maxNodes is 8, below replicationFactor + 1 = 10: 10 nodes are kept',
    );
  });
});

const GRACE_MS = 604_800_000;

/** A volume that was let go an hour ago. */
const kept = (id: number, change: Partial<VolumeRecord> = {}) =>
  volume(id, { detachedAtMs: NOW_MS - 3_600_000, ...change });

describe('ids of new nodes while the cluster is being formed', () => {
  const forming = (...ids: readonly number[]) =>
    observation({
      cluster: { isFormed: false },
      volumes: [...nodes(3).flatMap((n) => n.volume ?? []), ...ids.map((id) => volume(id))],
    });

  it('are first the ids of the detached volumes, of any age and all together, the lowest first', () => {
    expect(nextNodeIds(forming(7, 5), 2)).to.deep.equal([5, 7]);
  });

  it('are then numbers above every id that was ever used', () => {
    expect(nextNodeIds(forming(5), 3)).to.deep.equal([5, 6, 7]);
  });

  it('go from 9 to 10 as numbers', () => {
    expect(nextNodeIds(forming(10, 9), 2)).to.deep.equal([9, 10]);
  });

  it('contain no id twice when two volumes carry the same id', () => {
    const volumes = [volume(5), volume(5, { name: 'copy-of-data-demo-5', uid: 'other' })];
    expect(nextNodeIds(observation({ cluster: { isFormed: false }, volumes }), 2)).to.deep.equal([5, 6]);
  });
});

describe('ids of new nodes of a formed cluster', () => {
  const withKept = (volumes: readonly VolumeRecord[], list: readonly NodeRecord[] = nodes(3)) =>
    observation({ nodes: list, volumes: [...list.flatMap((n) => n.volume ?? []), ...volumes] });

  it('include the id of one young kept volume, and not of a second one in the same step (H4)', () => {
    expect(chooseNodeIds(withKept([kept(7), kept(5)]), 2)).to.deep.equal({ ids: [5], holds: [] });
  });

  it('are new ids, in the same step, for nodes without a kept volume', () => {
    expect(nextNodeIds(withKept([kept(7), kept(5)]), 4)).to.deep.equal([5, 8, 9]);
  });

  it('are none when none is asked for, without a hold', () => {
    expect(chooseNodeIds(withKept([kept(5), volume(6)]), 0)).to.deep.equal({ ids: [], holds: [] });
  });

  const ages: readonly (readonly [string, Partial<VolumeRecord>, number])[] = [
    ['at half of gcGraceSeconds the kept one', { detachedAtMs: NOW_MS - GRACE_MS / 2 }, 5],
    ['at twice gcGraceSeconds a new one', { detachedAtMs: NOW_MS - 2 * GRACE_MS }, 6],
    ['of unknown age a new one', { detachedAtMs: undefined }, 6],
  ];
  for (const [sentence, change, expected] of ages)
    it(`are, for a volume ${sentence}`, () => {
      const { ids, holds } = chooseNodeIds(withKept([kept(5, change)]), 1);
      expect(ids).to.deep.equal([expected]);
      expect(holds).to.deep.equal(
        expected === 5
          ? []
          : [
              {
                reason: 'VolumeTooOld',
                message:
                  'data-demo-5 is not known to be younger than gcGraceSeconds: kept as it is, a new id is used instead',
                needsPerson: false,
              },
            ],
      );
    });

  it('skip the id of an old volume and include that of a young one after it', () => {
    const { ids, holds } = chooseNodeIds(withKept([volume(4), kept(5)]), 1);
    expect(ids).to.deep.equal([5]);
    expect(holds).to.deep.equal([]);
  });

  /** Node 3 was just created for its kept volume. */
  const readopted = (change: Partial<NodeRecord> = {}): readonly NodeRecord[] => [
    ...nodes(3),
    node(3, { serving: false, createdAtMs: NOW_MS - 5_000, volume: kept(3), answer: joining, ...change }),
  ];

  it('exclude another kept volume while the node of the first one is not Active, which is reported', () => {
    expect(chooseNodeIds(withKept([kept(5)], readopted()), 1)).to.deep.equal({
      ids: [],
      holds: [
        {
          reason: 'WaitingForTurn',
          message: 'data-demo-5 is taken up again when demo-3 is Active',
          needsPerson: false,
        },
      ],
    });
  });

  it('keep a place for each waiting volume, and are new ids for the others', () => {
    expect(nextNodeIds(withKept([kept(5)], readopted()), 3)).to.deep.equal([6, 7]);
  });

  it('include the next kept volume once that node is Active', () => {
    const list = readopted({ answer: serving(views(4)) });
    expect(nextNodeIds(withKept([kept(5)], list), 1)).to.deep.equal([5]);
  });

  for (const [ageMs, expected] of [
    [REUSE_PATIENCE_MS - 1, []],
    [REUSE_PATIENCE_MS, [6]],
  ] as const)
    it(`are ${expected.length === 0 ? 'not given yet' : 'new ones'} when that node is not Active after ${ageMs} ms, which is not waited for without end`, () => {
      const pods = { pod: pod(3, { createdAtMs: NOW_MS - ageMs, isReady: false }) };
      const list = readopted({ createdAtMs: NOW_MS - ageMs, ...pods });
      expect(nextNodeIds(withKept([kept(5)], list), 1)).to.deep.equal(expected);
    });

  it('are new ones while a member that had clients is away, since two members with a past never return together', () => {
    const list = withNode(nodes(3), 1, withoutPod(1));
    expect(nextNodeIds(withKept([kept(5)], list), 1)).to.deep.equal([6]);
  });

  it('are given without waiting for a node with a new volume', () => {
    const list = [...nodes(3), freshNode(3, { createdAtMs: NOW_MS, volume: volume(3, { createdAtMs: NOW_MS }) })];
    expect(nextNodeIds(withKept([kept(5)], list), 1)).to.deep.equal([5]);
  });

  it('are given without waiting for a node that is being deleted', () => {
    const list = withNode(nodes(3), 1, { ...withoutPod(1), isDeleting: true });
    expect(nextNodeIds(withKept([kept(5)], list), 1)).to.deep.equal([5]);
  });

  it('include the id of a node that vanished a moment ago, whose volume may hold the only copy (F57)', () => {
    const list = nodes(2);
    const o = observation({
      nodes: list,
      volumes: [0, 1, 2].map((id) => volume(id)),
      cluster: { instanceNames: ['demo-0', 'demo-1', 'demo-2'] },
    });
    expect(nextNodeIds(o, 1)).to.deep.equal([2]);
  });

  it('never include the id of a volume that is gone', () => {
    expect(nextNodeIds(observation({ nodes: nodes(2), cluster: { highestNodeId: 2 } }), 1)).to.deep.equal([3]);
  });

  it('go from 9 to 10 as numbers', () => {
    expect(nextNodeIds(observation({ nodes: [node(9), node(10), node(2)] }), 1)).to.deep.equal([11]);
    expect(nextNodeIds(withKept([kept(10), kept(9)]), 1)).to.deep.equal([9]);
  });

  it('are above the highest id in the status when nothing else remembers it', () => {
    expect(nextNodeIds(observation({ cluster: { highestNodeId: 41 } }), 1)).to.deep.equal([42]);
  });

  it('are above ids that only the list of a member shows', () => {
    const list = withNode(nodes(3), 1, { answer: serving([...views(3), line(8)]) });
    expect(nextNodeIds(observation({ nodes: list }), 1)).to.deep.equal([9]);
  });

  it('exclude the id of a volume that is being deleted', () => {
    const volumes = [volume(5, { isTerminating: true })];
    expect(nextNodeIds(observation({ volumes }), 1)).to.deep.equal([6]);
  });

  it('exclude the id of a volume with another name than its node would mount, since the node would start empty (H2)', () => {
    const volumes = [volume(5, { name: 'copy-of-data-demo-5' })];
    expect(detachedVolumes(observation({ volumes }))).to.deep.equal([]);
    expect(nextNodeIds(observation({ volumes }), 1)).to.deep.equal([6]);
  });

  it('end at 65534, since 65535 means an unknown origin to the members', () => {
    expect(nextNodeIds(observation({ cluster: { highestNodeId: 65_532 } }), 5)).to.deep.equal([65_533, 65_534]);
  });

  it('are all used one day: a person is told that no further node is made, and what helps', () => {
    const short = (highestNodeId: number, change: Parameters<typeof observation>[0] = {}) =>
      chooseNodeIds(observation({ ...change, cluster: { highestNodeId, ...change.cluster } }), 2).holds;
    expect(short(65_532)).to.deep.equal([]);
    for (const change of [{}, { nodes: [] }, { nodes: [], cluster: { isFormed: false } }]) {
      const [{ reason, needsPerson, message } = { reason: '', needsPerson: false, message: '' }] = short(
        65_533,
        change,
      );
      expect([reason, needsPerson]).to.deep.equal(['NodeIdsExhausted', true]);
      expect(message).to.include('1 node cannot be made').and.include('new MarekvsCluster');
    }
  });

  it('are above an id that only the name of a volume shows, since its label may have been removed', () => {
    const volumes = [volume(5, { nodeId: undefined })];
    expect(nextNodeIds(observation({ volumes }), 1)).to.deep.equal([6]);
  });

  it('start at 0 in a cluster that never had a node', () => {
    const empty = observation({ nodes: [], cluster: { highestNodeId: -1 } });
    expect(highestIdEverUsed(empty)).to.equal(-1);
    expect(nextNodeIds(empty, 2)).to.deep.equal([0, 1]);
  });
});

describe('a formed cluster that has no member left', () => {
  const left = (volumes: readonly VolumeRecord[], spec: { readonly gcGraceSeconds?: number } = {}) =>
    chooseNodeIds(observation({ nodes: [], volumes, cluster: { spec } }), 3);

  it('takes up all kept volumes together, also more than are wanted, since each may hold the only copy (H1)', () => {
    expect(left([kept(0), kept(1), kept(2), kept(3)])).to.deep.equal({ ids: [0, 1, 2, 3], holds: [] });
  });

  it('takes up the young volumes and reports which were left', () => {
    const { ids, holds } = left([kept(0), volume(1)]);
    expect(ids).to.deep.equal([0, 3, 4]);
    expect(holds.map((hold) => hold.reason)).to.deep.equal(['VolumeTooOld']);
  });

  it('starts no empty members beside volumes that are too old, and reports what a person can do', () => {
    const old = [0, 1].map((id) => volume(id, { lastActiveAtMs: NOW_MS - 2 * GRACE_MS }));
    const { ids, holds } = left(old);
    expect(ids).to.deep.equal([]);
    expect(holds).to.deep.equal([
      {
        reason: 'VolumeTooOld',
        message:
          'no member is left, and data-demo-0, data-demo-1 may be older than gcGraceSeconds: raise spec.gcGraceSeconds above their age, or write marekvs.io/last-active-at on them',
        needsPerson: true,
      },
    ]);
    expect(left(old, { gcGraceSeconds: (3 * GRACE_MS) / 1000 }).ids).to.deep.equal([0, 1, 3]);
  });
});

describe('a lost volume', () => {
  it('is one that was recorded and does not exist', () => {
    expect(hasLostVolume(node(1, { volume: undefined }))).to.equal(true);
  });
  it('is one whose name now belongs to another volume than the recorded one', () => {
    expect(hasLostVolume(node(1, { volume: volume(1, { uid: 'another' }) }))).to.equal(true);
  });
  it('is not one that was never recorded', () => {
    expect(hasLostVolume(node(1, { volume: undefined, recordedVolumeUid: undefined }))).to.equal(false);
  });
  it('is not one that is being deleted and still exists', () => {
    expect(hasLostVolume(node(1, { volume: volume(1, { isTerminating: true }) }))).to.equal(false);
  });
});
