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

/** A formed cluster of that spec, and what else its size depends on. */
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

  it('says with numbers why it was raised, and needs nobody', () => {
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

  it('is reported as kept only while nobody has asked for another one', () => {
    expect(desiredSize(sized({ nodes: 3 }, { autoscale: DECIDED })).isKept).to.equal(true);
    expect(desiredSize(sized({ nodes: 4 }, { autoscale: DECIDED })).isKept).to.equal(false);
    expect(desiredSize(sized({ nodes: 3, autoscale: AUTOSCALE }, { autoscale: DECIDED })).isKept).to.equal(false);
  });

  it('names maxNodes when that is below replicationFactor + 1', () => {
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

  it('are the detached volumes’ ids first, whatever their age and all together, the lowest one first', () => {
    expect(nextNodeIds(forming(7, 5), 2)).to.deep.equal([5, 7]);
  });

  it('are numbers above all that were ever used after that', () => {
    expect(nextNodeIds(forming(5), 3)).to.deep.equal([5, 6, 7]);
  });

  it('go from 9 to 10 as numbers', () => {
    expect(nextNodeIds(forming(10, 9), 2)).to.deep.equal([9, 10]);
  });

  it('name no id twice when two volumes carry the same id', () => {
    const volumes = [volume(5), volume(5, { name: 'copy-of-data-demo-5', uid: 'other' })];
    expect(nextNodeIds(observation({ cluster: { isFormed: false }, volumes }), 2)).to.deep.equal([5, 6]);
  });
});

describe('ids of new nodes of a formed cluster', () => {
  const withKept = (volumes: readonly VolumeRecord[], list: readonly NodeRecord[] = nodes(3)) =>
    observation({ nodes: list, volumes: [...list.flatMap((n) => n.volume ?? []), ...volumes] });

  it('are the id of a young kept volume, and no second one in the same step: one at a time (H4)', () => {
    expect(chooseNodeIds(withKept([kept(7), kept(5)]), 2)).to.deep.equal({ ids: [5], holds: [] });
  });

  it('are new ones for the places no kept volume is there for, in the same step', () => {
    expect(nextNodeIds(withKept([kept(7), kept(5)]), 4)).to.deep.equal([5, 8, 9]);
  });

  it('are none when none is asked for, and nothing is said', () => {
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

  it('skip an old volume and take the young one after it', () => {
    const { ids, holds } = chooseNodeIds(withKept([volume(4), kept(5)]), 1);
    expect(ids).to.deep.equal([5]);
    expect(holds).to.deep.equal([]);
  });

  /** Node 3 was just created for its kept volume. */
  const readopted = (change: Partial<NodeRecord> = {}): readonly NodeRecord[] => [
    ...nodes(3),
    node(3, { serving: false, createdAtMs: NOW_MS - 5_000, volume: kept(3), answer: joining, ...change }),
  ];

  it('wait while the node of the volume before is not Active, and that is reported', () => {
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

  it('leave the places open that a waiting volume takes, and fill the others with new ids', () => {
    expect(nextNodeIds(withKept([kept(5)], readopted()), 3)).to.deep.equal([6, 7]);
  });

  it('go on as soon as that node is Active', () => {
    const list = readopted({ answer: serving(views(4)) });
    expect(nextNodeIds(withKept([kept(5)], list), 1)).to.deep.equal([5]);
  });

  for (const [ageMs, expected] of [
    [REUSE_PATIENCE_MS - 1, []],
    [REUSE_PATIENCE_MS, [6]],
  ] as const)
    it(`are ${expected.length === 0 ? 'not given yet' : 'new ones'} when that node is not Active after ${ageMs} ms: the sick one is not asked for ever`, () => {
      const pods = { pod: pod(3, { createdAtMs: NOW_MS - ageMs, isReady: false }) };
      const list = readopted({ createdAtMs: NOW_MS - ageMs, ...pods });
      expect(nextNodeIds(withKept([kept(5)], list), 1)).to.deep.equal(expected);
    });

  it('are new ones while a member that was let in once is away: two with a past never return together', () => {
    const list = withNode(nodes(3), 1, withoutPod(1));
    expect(nextNodeIds(withKept([kept(5)], list), 1)).to.deep.equal([6]);
  });

  it('do not wait for a node that is new altogether', () => {
    const list = [...nodes(3), freshNode(3, { createdAtMs: NOW_MS, volume: volume(3, { createdAtMs: NOW_MS }) })];
    expect(nextNodeIds(withKept([kept(5)], list), 1)).to.deep.equal([5]);
  });

  it('do not wait for a node that is being deleted', () => {
    const list = withNode(nodes(3), 1, { ...withoutPod(1), isDeleting: true });
    expect(nextNodeIds(withKept([kept(5)], list), 1)).to.deep.equal([5]);
  });

  it('are the id of a node that vanished a moment ago: its volume may hold the only copy (F57)', () => {
    const list = nodes(2);
    const o = observation({
      nodes: list,
      volumes: [0, 1, 2].map((id) => volume(id)),
      cluster: { instanceNames: ['demo-0', 'demo-1', 'demo-2'] },
    });
    expect(nextNodeIds(o, 1)).to.deep.equal([2]);
  });

  it('are never the id of a volume that is gone', () => {
    expect(nextNodeIds(observation({ nodes: nodes(2), cluster: { highestNodeId: 2 } }), 1)).to.deep.equal([3]);
  });

  it('go from 9 to 10 as numbers', () => {
    expect(nextNodeIds(observation({ nodes: [node(9), node(10), node(2)] }), 1)).to.deep.equal([11]);
    expect(nextNodeIds(withKept([kept(10), kept(9)]), 1)).to.deep.equal([9]);
  });

  it('respect the highest id of the status when nothing else remembers it', () => {
    expect(nextNodeIds(observation({ cluster: { highestNodeId: 41 } }), 1)).to.deep.equal([42]);
  });

  it('are above ids that only a member’s view shows', () => {
    const list = withNode(nodes(3), 1, { answer: serving([...views(3), line(8)]) });
    expect(nextNodeIds(observation({ nodes: list }), 1)).to.deep.equal([9]);
  });

  it('skip a volume that is being deleted, and never take its number either', () => {
    const volumes = [volume(5, { isTerminating: true })];
    expect(nextNodeIds(observation({ volumes }), 1)).to.deep.equal([6]);
  });

  it('skip a volume whose name is not the one its node would mount: the node would start on an empty one (H2)', () => {
    const volumes = [volume(5, { name: 'copy-of-data-demo-5' })];
    expect(detachedVolumes(observation({ volumes }))).to.deep.equal([]);
    expect(nextNodeIds(observation({ volumes }), 1)).to.deep.equal([6]);
  });

  it('end at 65534: 65535 means an unknown origin to the members', () => {
    expect(nextNodeIds(observation({ cluster: { highestNodeId: 65_532 } }), 5)).to.deep.equal([65_533, 65_534]);
  });

  it('are above ids that only the name of a volume shows: somebody took its label away', () => {
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

  it('takes up all kept volumes together, also more than are wanted: each may hold the only copy (H1)', () => {
    expect(left([kept(0), kept(1), kept(2), kept(3)])).to.deep.equal({ ids: [0, 1, 2, 3], holds: [] });
  });

  it('takes up the young ones and says which were left', () => {
    const { ids, holds } = left([kept(0), volume(1)]);
    expect(ids).to.deep.equal([0, 3, 4]);
    expect(holds.map((hold) => hold.reason)).to.deep.equal(['VolumeTooOld']);
  });

  it('puts no empty cluster in front of volumes that are too old, and says what a person can do', () => {
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
  it('is one that was recorded and is not there', () => {
    expect(hasLostVolume(node(1, { volume: undefined }))).to.equal(true);
  });
  it('is one that was recorded and is another one now', () => {
    expect(hasLostVolume(node(1, { volume: volume(1, { uid: 'another' }) }))).to.equal(true);
  });
  it('is not one that was never recorded', () => {
    expect(hasLostVolume(node(1, { volume: undefined, recordedVolumeUid: undefined }))).to.equal(false);
  });
  it('is not one that is being deleted and still there', () => {
    expect(hasLostVolume(node(1, { volume: volume(1, { isTerminating: true }) }))).to.equal(false);
  });
});
