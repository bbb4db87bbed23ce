// Whether every record is on all its homes as far as members were compared, and when to compare again: at rest and
// after every change of the members.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { planVerification } from '../../src/evidence/verification/verification.ts';
import {
  type ClusterObservation,
  type ComparisonReport,
  type NodeRecord,
  planCluster,
  presentTopology,
  type Verification,
} from '../../src/index.ts';
import {
  freshNode,
  joining,
  line,
  MONOTONIC_MS,
  NOW_MS,
  nodes,
  notAsked,
  observation,
  pod,
  silent,
  views,
  withNode,
} from '../support/builders.ts';
import { drained, factsOfAll, nodesShowing } from '../support/facts.ts';
import { gone, isolated, record } from '../support/removing.ts';
import { compared, lacking, reportOn, running } from '../support/reports.ts';

const three = nodesShowing([0, 1, 2], views(3));
const TOPOLOGY = presentTopology(three)?.hash ?? '';
const BEFORE = '2026-01-01T00:05:00Z';
const NOW = '2026-01-01T00:10:00Z';
const covered: Verification = { state: 'Covered', topology: TOPOLOGY, at: BEFORE, message: 'all was compared' };
const DAY_MS = 86_400_000;

type Change = NonNullable<Parameters<typeof observation>[0]>;
/** Three members at rest, never compared. */
const rest = (change: Change = {}): ClusterObservation =>
  observation({ nodes: three, facts: factsOfAll([0, 1, 2], { view: views(3) }), ...change });
const knowing = (verification: Verification | undefined, cluster: Change['cluster'] = {}, change: Change = {}) =>
  rest({ cluster: { verification, ...cluster }, ...change });
const withReport = (o: ClusterObservation, change: Partial<ComparisonReport>) => planVerification(compared(o, change));
const missing = [{ sourceId: 0, homeId: 2, partitions: 2, records: 3 }];

describe('after a change of the members', () => {
  it('all members are compared with each other', () => {
    const { contents, verification } = planVerification(rest());
    expect(contents).to.deep.include({
      purpose: 'change',
      sources: [0, 1, 2],
      replicationFactor: 2,
      isKeptFresh: false,
    });
    expect(contents?.members.map(({ nodeId }) => nodeId)).to.deep.equal([0, 1, 2]);
    expect(verification).to.deep.equal({
      state: 'Waiting',
      topology: TOPOLOGY,
      at: NOW,
      message: 'the contents of the members wait to be compared',
    });
  });
  it('the plan of the cluster requests the comparison and a requeue', () => {
    const { contents, verification, requeueAfterMs } = planCluster(rest());
    expect([contents?.purpose, verification?.state, requeueAfterMs]).to.deep.equal(['change', 'Waiting', 1_000]);
  });
  it('a result for other members, generations or another placement does not count', () => {
    const o = knowing({ ...covered, topology: 'another' });
    expect(planVerification(o).contents?.purpose).to.equal('change');
    expect(planVerification(o).verification?.state).to.equal('Waiting');
  });
  it('the result stands while nothing has changed, and nothing is asked', () => {
    const plan = planVerification(knowing(covered));
    expect([plan.contents, plan.verification, plan.hold]).to.deep.equal([undefined, covered, undefined]);
  });
  it('the result stands, whatever the hosts report about the Pods, since it is about the members', () => {
    const o = knowing(covered, {}, { nodes: withNode(three, 1, { pod: pod(1, { isReady: false }) }) });
    expect(planVerification(o).verification).to.deep.equal(covered);
  });
  it('the same comparison goes on from pass to pass, whoever requested it', () => {
    const o = compared(rest(), running());
    expect(planVerification({ ...o, monotonicMs: MONOTONIC_MS + 5_000 }).verification?.state).to.equal('Running');
  });
  it('the comparison uses the replicationFactor that members run with, whatever the spec says', () => {
    const o = rest({ cluster: { spec: { replicationFactor: 3 } } });
    expect(planVerification(o).contents?.replicationFactor).to.equal(2);
  });

  describe('nothing is compared or known', () => {
    const view = views(3);
    const unknown: readonly (readonly [string, readonly NodeRecord[]])[] = [
      ['while one is silent', withNode(three, 1, { answer: silent })],
      ['while one is joining', withNode(three, 1, { answer: joining })],
      ['before one was asked', withNode(three, 1, { answer: notAsked })],
      ['before the first was asked', withNode(three, 0, { answer: notAsked })],
      ['while the Pod of one is ending', withNode(three, 1, { pod: pod(1, { isTerminating: true }) })],
      ['while one has no Pod', withNode(three, 1, { pod: undefined })],
      ['while one is shown without primaries', nodesShowing([0, 1, 2], drained([0, 1, 2], 2))],
      ['while they show one that has no node', nodesShowing([0, 1, 2], [...view, line(3)])],
      ['while they show another one in place of a node', nodesShowing([0, 1, 2], [line(0), line(1), line(3)])],
      ['while a node is not shown', [...three, freshNode(3)]],
      ['without nodes', []],
    ];
    for (const [title, list] of unknown)
      it(title, () => {
        const plan = planVerification(knowing(covered, {}, { nodes: list }));
        expect([plan.contents, plan.verification]).to.deep.equal([undefined, undefined]);
      });
    it('while the generation of one is not known, and that is checked again', () => {
      const facts = factsOfAll([0, 1, 2], { view }, { 1: { generation: undefined } });
      const plan = planVerification(rest({ facts }));
      expect([plan.contents, plan.verification]).to.deep.equal([undefined, undefined]);
      expect(plan.requeueAfterMs).to.equal(10_000);
    });
  });
});

describe('the result of a comparison', () => {
  it('is Covered when it is complete, and nothing more is asked', () => {
    const { verification, hold } = withReport(rest(), {});
    expect([verification, hold]).to.deep.equal([
      {
        state: 'Covered',
        topology: TOPOLOGY,
        at: NOW,
        message: '12,288 partitions compared, no record is missing',
      },
      undefined,
    ]);
    expect(planVerification(knowing(verification)).contents).to.equal(undefined);
  });
  it('is Covered also when HyperLogLog registers diverge, and says so', () => {
    const { verification, hold } = withReport(rest(), { diverging: { registers: 27, keys: 2 } });
    expect([verification?.state, verification?.message, hold]).to.deep.equal([
      'Covered',
      '12,288 partitions compared, no record is missing; 27 HyperLogLog registers of 2 keys have different ranks on their homes, which the server keeps',
      undefined,
    ]);
  });
  it('is Running while records may still be on their way: until 15 s after the last partition was checked', () => {
    const at = (ms: number) =>
      withReport(rest(), { ...lacking(missing), scannedAtMs: MONOTONIC_MS - ms }).verification?.state;
    expect([at(0), at(14_999), at(15_000)]).to.deep.equal(['Running', 'Running', 'Missing']);
  });
  it('is Missing after that, with the members that lack records and how many', () => {
    const { verification, contents } = withReport(rest(), lacking(missing));
    expect(verification).to.deep.include({ state: 'Missing', message: '3 records of demo-0 missing on demo-2' });
    expect(verification?.members?.[0]).to.deep.equal({
      name: 'demo-0',
      partitionsDone: 4_094,
      records: 1_000,
      missing: [{ home: 'demo-2', partitions: 2, records: 3 }],
    });
    expect(verification?.members?.[1]).to.deep.equal({ name: 'demo-1', partitionsDone: 4_096, records: 1_001 });
    expect(contents?.purpose).to.equal('change');
  });
  it('is Running with figures before that, and names no member, since the progress of each is not known', () => {
    const { verification } = withReport(rest(), running(missing));
    expect(verification?.state).to.equal('Running');
    expect(verification?.message).to.equal(
      '1,412 of 12,288 partitions compared, 3 records of demo-0 missing on demo-2',
    );
    expect(verification?.members).to.equal(undefined);
  });
  it('is Unreadable when a member cannot be read, which is reported to a person', () => {
    const problem = { nodeId: 1, error: 'connect 10.0.0.2:7373: refused' };
    const { verification, hold } = withReport(rest(), { ...running(), problem });
    const message = 'the contents of demo-1 cannot be read: connect 10.0.0.2:7373: refused';
    expect(verification).to.deep.include({ state: 'Unreadable', message });
    expect(hold).to.deep.equal({ reason: 'ContentsUnreadable', message, needsPerson: true });
  });
  it('has a message of at most 1,024 characters, whatever a member says', () => {
    const problem = { nodeId: 1, error: 'x'.repeat(5_000) };
    expect(withReport(rest(), { ...running(), problem }).verification?.message).to.have.lengthOf(1_024);
  });

  it('keeps its time while it has not changed', () => {
    const before: Verification = { state: 'Missing', topology: TOPOLOGY, at: BEFORE, message: 'more' };
    expect(withReport(knowing(before), lacking(missing)).verification?.at).to.equal(BEFORE);
    expect(withReport(knowing(before), {}).verification).to.deep.include({ state: 'Covered', at: NOW });
    const elsewhere = { ...before, topology: 'another' };
    expect(withReport(knowing(elsewhere), lacking(missing)).verification?.at).to.equal(NOW);
  });
  it('stands until the next result: that members are asked again is not worth a write', () => {
    const before: Verification = { state: 'Missing', topology: TOPOLOGY, at: BEFORE, message: 'lacking' };
    for (const change of [running(), { ...running(), state: 'waiting' } as const])
      expect(withReport(knowing(before), change).verification).to.deep.equal(before);
    const problem = { nodeId: 1, error: 'refused' };
    expect(withReport(knowing(before), { ...running(), problem }).verification).to.deep.equal(before);
  });
  it('is not written for mere progress before the first one, but is when a member cannot be read and when it can again', () => {
    const waiting: Verification = { state: 'Waiting', topology: TOPOLOGY, at: BEFORE, message: 'wait' };
    const problem = { nodeId: 1, error: 'refused' };
    expect(withReport(knowing(waiting), running()).verification).to.deep.equal(waiting);
    const unreadable = withReport(knowing(waiting), { ...running(), problem }).verification;
    expect(unreadable).to.deep.include({ state: 'Unreadable', at: NOW });
    expect(
      withReport(knowing(unreadable), { ...running(), problem: { ...problem, error: 'reset' } }).verification,
      'its words stand',
    ).to.deep.equal(unreadable);
    expect(withReport(knowing(unreadable), running()).verification).to.deep.include({ state: 'Running' });
  });

  it('is stuck when records are missing and none has arrived for more than ten minutes', () => {
    const stood = (ms: number) => withReport(rest(), { ...lacking(missing), movedAtMs: MONOTONIC_MS - ms }).hold;
    expect(stood(600_000)).to.equal(undefined);
    expect(stood(600_001)).to.deep.include({ reason: 'ReplicationStuck', needsPerson: true });
    expect(stood(600_001)?.message).to.match(/^3 records of demo-0 missing on demo-2, in 2 partitions/);
    const nothing = { ...lacking([]), movedAtMs: MONOTONIC_MS - 600_001 };
    expect(withReport(rest(), nothing).hold, 'nothing is missing').to.equal(undefined);
  });
});

describe('a person who requests a comparison', () => {
  const asked = (verification: Verification | undefined, verifyAsked: string | undefined) =>
    knowing(verification, { verifyAsked });

  it('gets one for every new value of the annotation', () => {
    const first = asked(covered, 'monday');
    expect(planVerification(first).contents).to.deep.include({ purpose: 'asked', id: 'monday' });
    const { verification } = withReport(first, {});
    expect(verification).to.deep.include({ state: 'Covered', requested: 'monday' });
    expect(planVerification(asked(verification, 'monday')).contents).to.equal(undefined);
    expect(planVerification(asked(verification, 'tuesday')).contents?.id).to.equal('tuesday');
    expect(planVerification(asked(verification, undefined)).contents, 'the annotation was taken off').to.equal(
      undefined,
    );
  });
  it('is answered once, though the API server stores another character for half of one that a cut leaves', () => {
    const value = `${'x'.repeat(252)}\u{1f389} and more`;
    const { verification } = withReport(asked(covered, value), {});
    const stored = { ...verification, requested: verification?.requested?.toWellFormed() } as Verification;
    expect(planVerification(asked(stored, value)).contents).to.equal(undefined);
  });
  it('is shown the progress, and every member with its figures in the end', () => {
    expect(withReport(asked(covered, 'monday'), running()).verification).to.deep.equal({
      state: 'Running',
      topology: TOPOLOGY,
      at: NOW,
      message: '1,412 of 12,288 partitions compared',
    });
    const { verification } = withReport(asked(covered, 'monday'), {});
    expect(verification?.members).to.deep.equal(
      [0, 1, 2].map((id) => ({ name: `demo-${id}`, partitionsDone: 4_096, records: 1_000 + id })),
    );
  });
  it('is told about missing records as soon as they are certain', () => {
    const { verification } = withReport(asked(covered, 'monday'), lacking(missing));
    expect(verification).to.deep.include({ state: 'Missing', requested: 'monday' });
  });
  it('gets no answer while a member cannot be read, which is asked until it can', () => {
    const problem = { nodeId: 1, error: 'refused' };
    const { verification } = withReport(asked(covered, 'monday'), { ...running(), problem });
    expect([verification?.state, verification?.requested]).to.deep.equal(['Unreadable', undefined]);
  });
  it('sees the previous answer until there is a new one', () => {
    const answered = { ...covered, requested: 'sunday' };
    expect(withReport(asked(answered, 'monday'), running()).verification?.requested).to.equal('sunday');
    expect(withReport(asked({ ...answered, topology: 'another' }, 'sunday'), {}).verification?.requested).to.equal(
      'sunday',
    );
  });
  it('may use a longer value than fits into a status', () => {
    const long = 'x'.repeat(1_000);
    const { verification } = withReport(asked(covered, long), {});
    expect(verification?.requested).to.have.lengthOf(253);
    expect(planVerification(asked(verification, long)).contents).to.equal(undefined);
  });
});

describe('in a cluster at rest,', () => {
  /** UIDs that differ as much as real ones. */
  const uid = (n: number) => {
    const hex = (Math.imul(n + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
    return `${hex}-0000-4000-8000-00${hex}c0`;
  };
  const at = (sinceMs: number, intervalSeconds = 86_400, clusterUid = uid(1)) =>
    planVerification(
      knowing(
        covered,
        { uid: clusterUid, spec: { verification: { intervalSeconds } } },
        { verifiedAtMs: MONOTONIC_MS - sinceMs },
      ),
    );
  /** How long after a comparison the next one is due. */
  const dueMs = (clusterUid: string) => at(0, 86_400, clusterUid).requeueAfterMs ?? 0;

  it('the next comparison is due after between half and all of the interval, which depends on the cluster, and not earlier', () => {
    const due = dueMs(uid(1));
    expect(due).to.be.within(DAY_MS / 2, DAY_MS);
    expect(at(due - 1)).to.deep.include({ contents: undefined, requeueAfterMs: 1 });
    expect(at(due).contents).to.deep.include({ purpose: 'routine', sources: [0, 1, 2] });
  });
  it('comparisons of different clusters are due at different times', () => {
    const dues = Array.from({ length: 100 }, (_, n) => dueMs(uid(n)));
    expect(Math.min(...dues)).to.be.within(DAY_MS / 2, DAY_MS * 0.6);
    expect(Math.max(...dues)).to.be.within(DAY_MS * 0.9, DAY_MS);
    for (const eighth of [0, 1, 2, 3, 4, 5, 6, 7])
      expect(
        dues.filter((ms) => Math.floor((ms / DAY_MS - 0.5) * 16) === eighth).length,
        `eighth ${eighth}`,
      ).to.be.within(4, 30);
  });
  it('an interval of 0 seconds means never', () => {
    expect(at(400 * DAY_MS, 0)).to.deep.include({ contents: undefined, requeueAfterMs: undefined });
  });
  it('a result that has not changed is not written', () => {
    const o = knowing(
      { ...covered, message: '12,288 partitions compared, no record is missing' },
      {},
      { verifiedAtMs: MONOTONIC_MS - DAY_MS },
    );
    for (const change of [running(), {}])
      expect(withReport(o, change).verification).to.deep.equal(o.cluster.verification);
  });
  it('missing records are written', () => {
    const o = knowing(covered, {}, { verifiedAtMs: MONOTONIC_MS - DAY_MS });
    expect(withReport(o, lacking(missing)).verification).to.deep.include({ state: 'Missing', at: NOW });
  });
  it('a comparison that is due twice is two comparisons', () => {
    const first = planVerification(knowing(covered, {}, { verifiedAtMs: MONOTONIC_MS - 2 * DAY_MS })).contents;
    const second = planVerification(knowing(covered, {}, { verifiedAtMs: MONOTONIC_MS - DAY_MS })).contents;
    expect(first?.id).to.not.equal(second?.id);
  });
});

describe('without a comparison for it,', () => {
  it('a cluster that forms on new volumes is covered, since it is empty', () => {
    const o = rest({ cluster: { isFormed: false } });
    const { mayLatchFormed, contents, verification } = planCluster(o);
    expect([mayLatchFormed, contents]).to.deep.equal([true, undefined]);
    expect(verification).to.deep.include({ state: 'Covered', topology: TOPOLOGY, at: NOW });
  });
  it('a cluster that forms on a volume with a past is compared once it is formed', () => {
    const old = three.map((node) => ({
      ...node,
      volume: node.volume && { ...node.volume, ...(node.id === 1 ? { lastActiveAtMs: NOW_MS - 1e9 } : {}) },
    }));
    const forming = planCluster(rest({ nodes: old, cluster: { isFormed: false } }));
    expect([forming.mayLatchFormed, forming.verification]).to.deep.equal([true, undefined]);
    expect(planCluster(rest({ nodes: old })).contents?.purpose).to.equal('change');
  });
  it('the survivors of a removal are covered when it ends, since they were just compared', () => {
    const o = compared(gone({ operation: record('Settling') }));
    const { removal, contents, verification } = planCluster(o);
    expect(removal.ended?.outcome).to.equal('Succeeded');
    expect([contents, verification?.state]).to.deep.equal([undefined, 'Covered']);
    expect(verification?.topology).to.equal(presentTopology(o.nodes)?.hash);
    const after = { ...o, comparison: undefined, cluster: { ...o.cluster, operation: undefined, verification } };
    expect(planCluster(after).contents, 'nothing is left to be compared').to.equal(undefined);
  });
  it('a removal under way compares what it needs, and the last result stands', () => {
    const o = isolated({ operation: record('Proving') });
    const known = { ...o, cluster: { ...o.cluster, verification: covered, verifyAsked: 'monday' } };
    const { contents, verification } = planCluster(known);
    expect([contents?.purpose, verification]).to.deep.equal(['removal', covered]);
  });
  it('a paused cluster keeps its result for as long as its members are the same', () => {
    const paused = { spec: { paused: true } };
    expect(planCluster(knowing(covered, paused)).verification).to.deep.equal(covered);
    expect(planCluster(knowing(covered, paused)).contents).to.equal(undefined);
    expect(planCluster(knowing({ ...covered, topology: 'another' }, paused)).verification).to.equal(undefined);
    const away = { nodes: withNode(three, 1, { answer: silent }) };
    expect(planCluster(knowing(covered, paused, away)).verification).to.equal(undefined);
  });
  it('a report on another comparison counts for nothing', () => {
    const o = rest();
    const { contents } = planVerification(o);
    if (contents === undefined) throw new Error('nothing is asked');
    const other = { ...o, comparison: reportOn({ ...contents, purpose: 'asked' }) };
    expect(planVerification(other).verification?.state).to.equal('Waiting');
  });
  it('a cluster of one node is compared like any other', () => {
    const [only] = nodes(1);
    if (only === undefined) throw new Error('no node');
    const list = nodesShowing([0], views(1));
    const o = observation({ nodes: list, facts: factsOfAll([0], { view: views(1) }), cluster: { spec: { nodes: 1 } } });
    expect(planVerification(o).contents?.sources).to.deep.equal([0]);
  });
});
