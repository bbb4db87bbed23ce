// Which partitions have lost all their homes, or one of them: computed from the placement and the lost volumes, and
// reported until a person has acknowledged it.

import { homesAt, type MarekvsClusterStatus, PARTITIONS, placementOf } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  type ClusterObservation,
  type DataRecord,
  dataRecord,
  lossText,
  type NodeRecord,
  presentTopology,
  riskText,
} from '../src/index.ts';
import { node, nodes, notAsked, observation, pod, serving, silent, views } from './support/builders.ts';
import { operation } from './support/departing.ts';

type Verification = NonNullable<MarekvsClusterStatus['verification']>;
const AT = '2026-01-01T00:10:00Z';

const whole = (count = 3): ClusterObservation =>
  observation({ nodes: nodes(count).map((one) => ({ ...one, answer: serving(views(count)) })) });
const coveredOf = ({ nodes: list }: ClusterObservation): Verification => {
  const topology = presentTopology(list)?.hash;
  if (topology === undefined) throw new Error('they do not agree');
  return { state: 'Covered', topology, at: AT };
};
const lost: Partial<NodeRecord> = { volume: undefined, pod: undefined, answer: notAsked };
const losing = (o: ClusterObservation, ...ids: readonly number[]): ClusterObservation => ({
  ...o,
  nodes: o.nodes.map((one) => (ids.includes(one.id) ? { ...one, ...lost } : one)),
});
/** Counted independently, from the homes of each partition. */
const counted = (ids: readonly number[], factor: number, gone: readonly number[]): number => {
  const placement = placementOf(ids, factor);
  return Array.from({ length: PARTITIONS }, (_, pid) => homesAt(placement, pid)).filter((homes) =>
    homes.every((id) => gone.includes(id)),
  ).length;
};

const HOMES = { nodeIds: [0, 1, 2], replicationFactor: 2 };
const BASE: DataRecord = { homes: HOMES };

describe('the placement that losses are judged by', () => {
  it('is that of the members whose records were last seen covered', () => {
    const o = whole();
    expect(dataRecord(o, coveredOf(o), undefined)).to.deep.equal({ homes: HOMES });
  });
  it('is not that of members that were not compared, or have changed since', () => {
    const o = whole();
    expect(dataRecord(o, { ...coveredOf(o), state: 'Missing' }, undefined)).to.deep.equal({});
    expect(dataRecord(o, { ...coveredOf(o), topology: 'another' }, undefined)).to.deep.equal({});
    expect(dataRecord(whole(4), { ...coveredOf(o) }, BASE)).to.deep.equal(BASE);
  });
  it('is empty before the cluster was formed', () => {
    expect(dataRecord(observation({ cluster: { isFormed: false } }), undefined, undefined)).to.deep.equal({});
  });
});

describe('lost data', () => {
  const lose = (o: ClusterObservation, before: DataRecord = BASE) => dataRecord(o, undefined, before);

  it('is nothing while each partition has a home left', () => {
    expect(lose(losing(whole(), 1))).to.deep.equal({ ...BASE, lostNodeIds: [1] });
  });
  it('is exactly every partition whose homes are all lost, with their share', () => {
    const partitions = counted([0, 1, 2], 2, [0, 1]);
    expect(partitions).to.be.within(1_200, 1_500);
    const { losses } = lose(losing(whole(), 0, 1));
    expect(losses).to.deep.equal([
      { at: AT, nodeIds: [0, 1], partitions, percent: Math.round((partitions * 1000) / PARTITIONS) / 10 },
    ]);
  });
  it('is every partition when no member is left', () => {
    expect(lose(losing(whole(), 0, 1, 2)).losses?.[0]).to.include({ partitions: PARTITIONS, percent: 100 });
  });
  it('is every partition of a lost member when there is one copy', () => {
    const homes = { nodeIds: [0, 1, 2], replicationFactor: 1 };
    const { losses } = lose(losing(whole(), 2), { homes });
    expect(losses?.[0]?.partitions).to.equal(counted([0, 1, 2], 1, [2]));
  });
  it('is found also when the volumes are lost one after the other and the first node is gone', () => {
    const first = lose(losing(whole(), 0));
    const later: ClusterObservation = { ...whole(), nodes: losing(whole(), 1).nodes.filter(({ id }) => id !== 0) };
    expect(lose(later, first).losses?.[0]?.nodeIds).to.deep.equal([0, 1]);
  });
  it('is nothing when members were compared between the two losses, since others had the first one’s records', () => {
    const first = lose(losing(whole(4), 0), { homes: { nodeIds: [0, 1, 2, 3], replicationFactor: 2 } });
    const left: ClusterObservation = {
      ...whole(),
      nodes: [1, 2, 3].map((id) =>
        node(id, {
          answer: serving([1, 2, 3].map((one) => views(4)[one] ?? { id: one, generation: 1, hasPrimaries: true })),
        }),
      ),
    };
    const compared = dataRecord(left, coveredOf(left), first);
    expect(compared).to.deep.equal({ homes: { nodeIds: [1, 2, 3], replicationFactor: 2 } });
    expect(lose(losing(left, 1), compared).losses).to.equal(undefined);
  });
  it('excludes a new member, since it held nothing that was compared', () => {
    expect(lose(losing(whole(4), 1, 3))).to.deep.equal({ ...BASE, lostNodeIds: [1] });
  });

  const NOT_LOST: readonly (readonly [string, Partial<NodeRecord>])[] = [
    ['its process still serves without the volume', { volume: undefined }],
    ['it was not asked yet since the operator started', { volume: undefined, answer: notAsked }],
    ['its Pod is gone and its volume is there', { pod: undefined, answer: notAsked }],
    ['it does not answer and its volume is there', { answer: silent }],
    [
      'its Pod is ending and may still run',
      { volume: undefined, pod: pod(1, { isTerminating: true }), answer: notAsked },
    ],
  ];
  for (const [why, change] of NOT_LOST) {
    it(`excludes a member while ${why}`, () => {
      const o = losing(whole(), 0);
      const list = o.nodes.map((one) => (one.id === 1 ? { ...one, ...change } : one));
      expect(lose({ ...o, nodes: list })).to.deep.equal({ ...BASE, lostNodeIds: [0] });
    });
  }
  it('excludes a member that is removed on a proof', () => {
    const o = losing(whole(), 1);
    const target = { name: 'demo-1', uid: o.nodes[1]?.uid ?? '', nodeId: 1 };
    const record = operation({ phase: 'Departing', target });
    expect(lose({ ...o, cluster: { ...o.cluster, operation: record } })).to.deep.equal(BASE);
  });
  it('is taken back for a volume that was only hidden for a moment, as long as no partition is lost by it', () => {
    expect(lose(whole(), lose(losing(whole(), 1)))).to.deep.equal(BASE);
  });
});

describe('a reported loss', () => {
  const told = dataRecord(losing(whole(), 0, 1), undefined, BASE);
  const at = told.losses?.[0]?.at ?? '';
  const ack = { loss: at, by: 'ada', at: '2026-01-02T00:00:00Z' };
  const later = (o: ClusterObservation): ClusterObservation => ({ ...o, nowMs: o.nowMs + 3_600_000 });

  it('stays unchanged as time passes', () => {
    expect(dataRecord(later(losing(whole(), 0, 1)), undefined, told)).to.deep.equal(told);
  });
  it('stays when the others have been compared, which cannot find records that are nowhere', () => {
    const o = whole();
    const after = dataRecord(o, coveredOf(o), told);
    expect(after).to.deep.equal({ homes: HOMES, losses: told.losses });
  });
  it('goes when a person acknowledges it, with name and time kept', () => {
    const after = dataRecord(losing(whole(), 0, 1), undefined, told, ack);
    expect(after.losses).to.equal(undefined);
    expect(after.acknowledged).to.deep.include({ by: 'ada', acknowledgedAt: ack.at, nodeIds: [0, 1], at });
    expect(dataRecord(later(losing(whole(), 0, 1)), undefined, after, ack)).to.deep.equal(after);
  });
  it('is reported anew when it grows, since only the smaller loss was acknowledged', () => {
    const read = dataRecord(losing(whole(), 0, 1), undefined, told, ack);
    const grown = dataRecord(later(losing(whole(), 0, 1, 2)), undefined, read, ack);
    expect(grown.losses?.map(({ partitions }) => partitions)).to.deep.equal([PARTITIONS]);
    expect(grown.losses?.[0]?.at).to.not.equal(at);
  });
  it('is not acknowledged in advance, or by an acknowledgement of another loss', () => {
    expect(dataRecord(losing(whole(), 0, 1), undefined, BASE, ack).losses).to.have.length(1);
    const other = { ...ack, loss: '2027-01-01T00:00:00Z' };
    expect(dataRecord(losing(whole(), 0, 1), undefined, told, other)).to.deep.equal(told);
  });
  it('is listed beside earlier ones, up to eight', () => {
    let record = told;
    for (let round = 1; round < 12; round += 1) {
      const base = round * 10;
      const ids = [base, base + 1, base + 2];
      const list = ids.map((id) => node(id, id === base + 2 ? {} : lost));
      const before = { ...record, homes: { nodeIds: ids, replicationFactor: 2 }, lostNodeIds: [] };
      record = dataRecord({ ...whole(), nodes: list, nowMs: whole().nowMs + round * 1_000 }, undefined, before);
    }
    expect(record.losses).to.have.length(8);
    expect(record.losses?.at(-1)?.partitions).to.be.at.most(PARTITIONS);
  });
  it('is described with both homes, the figures and the names', () => {
    const [loss] = told.losses ?? [];
    expect(loss === undefined ? '' : lossText(loss, 'demo', 2)).to.match(
      /^both homes of 1\d{3} of 4096 partitions \(3\d(\.\d)? %\) were on demo-0, demo-1, whose volumes are lost$/,
    );
    expect(riskText(HOMES, [1], 'demo')).to.match(/^2\d{3} of 4096 partitions \(6\d(\.\d)? %\) had a home on demo-1/);
  });
});
