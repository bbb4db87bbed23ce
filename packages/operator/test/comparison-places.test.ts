// How many comparisons run at once, and which is next.

import type { ComparisonPurpose } from '@marekvs/planner';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { MAX_COMPARISONS, MORE_FOR_REMOVALS } from '../src/comparisons/comparison-places.ts';
import { runningRig } from './support/comparisons-rig.ts';
import { comparisonRequest, fakeComparisons } from './support/fake-comparison.ts';

/** Comparisons of no members, which never end by themselves. */
function crowded() {
  const rig = runningRig();
  const create = (purpose: ComparisonPurpose, id: string, isKeptFresh = false): void =>
    rig.want(comparisonRequest({ purpose, id, isKeptFresh, members: [], sources: [] }), `default/${id}`);
  return { ...rig, create };
}

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `c${i}`);

describe('the places for comparisons', () => {
  it('are four for all clusters, and the other comparisons wait and say so', async () => {
    const { clock, create, begun, report, end } = crowded();
    for (const id of numbered(6)) create('change', id);
    await clock.run(100);
    expect(MAX_COMPARISONS).to.equal(4);
    expect(begun()).to.deep.equal(['c0', 'c1', 'c2', 'c3']);
    expect(numbered(6).map((id) => report(`default/${id}`)?.state)).to.deep.equal([
      'running',
      'running',
      'running',
      'running',
      'waiting',
      'waiting',
    ]);
    await end();
  });

  it('are given by purpose, then by order of arrival, as they become free', async () => {
    const { clock, create, begun, want, end } = crowded();
    for (const id of numbered(4)) create('change', id);
    await clock.run(0);
    create('routine', 'routine');
    create('change', 'change-1');
    create('change', 'change-2');
    create('asked', 'asked');
    await clock.run(0);
    expect(begun()).to.have.lengthOf(4);
    for (const id of numbered(4)) {
      want(undefined, `default/${id}`);
      await clock.run(0);
    }
    expect(begun().slice(4)).to.deep.equal(['asked', 'change-1', 'change-2', 'routine']);
    await end();
  });

  it('are free again once a comparison is complete', async () => {
    const { clock, want, begun, report, end } = runningRig();
    for (const id of numbered(10)) want(comparisonRequest({ id }), `default/${id}`);
    await clock.run(200);
    expect(begun()).to.deep.equal(numbered(10));
    for (const id of numbered(10)) expect(report(`default/${id}`)?.state).to.equal('complete');
    expect(report('default/c4')?.startedAtMs).to.equal(30);
    await end();
  });

  it('are not given to a comparison that was forgotten while it waited', async () => {
    const { clock, create, begun, want, end } = crowded();
    for (const id of numbered(6)) create('change', id);
    await clock.run(0);
    want(undefined, 'default/c4');
    want(undefined, 'default/c0');
    await clock.run(0);
    expect(begun()).to.deep.equal(['c0', 'c1', 'c2', 'c3', 'c5']);
    await end();
  });

  it('are given to removals at once beyond the four, up to twelve in all', async () => {
    const { clock, create, begun, want, end } = crowded();
    for (const id of numbered(5)) create('change', id);
    await clock.run(0);
    const removals = Array.from({ length: MORE_FOR_REMOVALS + 1 }, (_, i) => `r${i}`);
    for (const [i, id] of removals.entries()) create(i % 2 === 0 ? 'removal' : 'settling', id);
    await clock.run(0);
    expect(begun().slice(4)).to.deep.equal(removals.slice(0, MORE_FOR_REMOVALS));
    want(undefined, 'default/r3');
    await clock.run(0);
    expect(begun().slice(12)).to.deep.equal(['r8']);
    await end();
  });

  it('are still there for others while removals hold theirs for days', async () => {
    const { clock, create, begun, end } = crowded();
    for (const id of ['r0', 'r1', 'r2', 'r3']) create('removal', id, true);
    await clock.run(3_600_000);
    for (const id of numbered(5)) create('change', id);
    await clock.run(0);
    expect(begun()).to.deep.equal(['r0', 'r1', 'r2', 'r3', 'c0', 'c1', 'c2', 'c3']);
    await end();
  });

  it('are given up after half a minute without progress when another waits, and taken again after it', async () => {
    const { clock, want, begun, contents, report, made, end } = runningRig({ questions: 1, missing: 1 });
    for (const id of numbered(4)) want(comparisonRequest({ id }), `default/${id}`);
    await clock.run(29_000);
    want(comparisonRequest({ id: 'late' }), 'default/late');
    await clock.run(900);
    expect(begun()).to.deep.equal(numbered(4));
    await clock.run(1_200);
    expect(begun()).to.deep.equal([...numbered(4), 'late']);
    // A comparison that gave up its place keeps its results. Its connections are closed, and nothing is asked.
    const [paused] = contents.log.filter((line) => line.endsWith('close 1'));
    expect(paused).to.equal('30300 close 1');
    expect(made.map(({ rests }) => rests.length)).to.deep.equal([1, 1, 1, 1, 0]);
    for (const id of numbered(4)) {
      expect(report(`default/${id}`)).to.deep.include({ state: 'running', startedAtMs: 0 });
      expect(report(`default/${id}`)?.partitionsDone).to.be.at.least(2 + 29);
    }
    await clock.run(60_000);
    expect(report('default/late')?.state).to.equal('running');
    for (const one of made) one.missing = 0;
    await clock.run(40_000);
    for (const id of numbered(4)) {
      expect(report(`default/${id}`)).to.deep.include({ state: 'complete', startedAtMs: 0 });
    }
    expect(made).to.have.lengthOf(5);
    await end();
  });

  it('are not taken back by a comparison without progress from a less urgent one that makes progress', async () => {
    const { clock, want, begun, report, contents, end } = runningRig({ questions: 20, partitions: 16, missing: 1 });
    for (const id of numbered(4)) want(comparisonRequest({ id }), `default/${id}`);
    await clock.run(20_000);
    want(comparisonRequest({ id: 'rest', purpose: 'routine' }), 'default/rest');
    await clock.run(11_000);
    expect(begun()).to.deep.equal([...numbered(4), 'rest']);
    const opened = contents.log.length;
    await clock.run(15_000);
    expect(report('default/rest')?.partitionsDone).to.be.at.least(14);
    expect(contents.log.slice(opened).filter((line) => line.includes('open'))).to.deep.equal([]);
    await end();
  });

  it('are free again when a comparison fails by a defect of the operator', async () => {
    const { createComparison } = fakeComparisons();
    const { clock, want, report, end } = runningRig(
      {},
      {
        createComparison(request, nowMs) {
          if (request.id.startsWith('c')) throw new Error('no placement');
          return createComparison(request, nowMs);
        },
      },
    );
    for (const id of [...numbered(4), 'sound']) want(comparisonRequest({ id }), `default/${id}`);
    await clock.run(1_000);
    expect(report('default/sound')?.state).to.equal('complete');
    await end();
  });

  it('are kept by a comparison without progress while no other waits', async () => {
    const { clock, contents, want, end } = runningRig({ questions: 1, missing: 1 });
    for (const id of numbered(4)) want(comparisonRequest({ id }), `default/${id}`);
    await clock.run(300_000);
    // Member 1 stays connected, although it is asked only about what is missing.
    expect(contents.log.filter((line) => line.endsWith('close 1'))).to.deep.equal([]);
    await end();
  });

  it('are given up at once by a comparison at rest for a more urgent one, and not for another at rest', async () => {
    const { clock, want, begun, report, made, end } = runningRig({ questions: 20, partitions: 16 });
    for (const id of numbered(4)) want(comparisonRequest({ id, purpose: 'routine' }), `default/${id}`);
    await clock.run(5_000);
    want(comparisonRequest({ id: 'rest', purpose: 'routine' }), 'default/rest');
    await clock.run(10_000);
    expect(begun()).to.deep.equal(numbered(4));
    want(comparisonRequest({ id: 'asked', purpose: 'asked' }), 'default/asked');
    await clock.run(3_000);
    expect(begun()).to.deep.equal([...numbered(4), 'asked', 'rest']);
    expect(report('default/asked')?.state).to.equal('complete');
    // None of its results were lost.
    await clock.run(120_000);
    expect(report('default/c0')).to.deep.include({ state: 'complete', startedAtMs: 0, partitionsDone: 40 });
    expect(made).to.have.lengthOf(6);
    await end();
  });

  it('are given up after two minutes by contents that never stand still, and nothing that is known is lost', async () => {
    const { clock, want, begun, report, contents, end } = runningRig({ isRestless: true });
    contents.onAsk = (_host, signal) => clock.delay(500, signal);
    for (const id of numbered(4)) want(comparisonRequest({ id }), `team-${id}/${id}`);
    want(comparisonRequest({ id: 'late' }), 'default/late');
    await clock.run(119_900);
    expect(begun()).to.deep.equal(numbered(4));
    const known = report('team-c0/c0')?.partitionsDone ?? 0;
    await clock.run(1_200);
    expect(begun()).to.deep.equal([...numbered(4), 'late']);
    // Each has had its turn, and the first one goes on where it was.
    await clock.run(240_000);
    expect(report('team-c0/c0')?.startedAtMs).to.equal(0);
    expect(report('team-c0/c0')?.partitionsDone).to.be.greaterThan(known + 100);
    await end();
  });

  it('are kept by contents that never stand still while no other waits', async () => {
    const { clock, want, contents, end } = runningRig({ isRestless: true });
    contents.onAsk = (_host, signal) => clock.delay(500, signal);
    for (const id of numbered(4)) want(comparisonRequest({ id }), `team-${id}/${id}`);
    await clock.run(300_000);
    expect(contents.log.filter((line) => line.includes('close'))).to.deep.equal([]);
    await end();
  });

  for (const [purpose, places] of [
    ['change', MAX_COMPARISONS],
    ['removal', MAX_COMPARISONS + MORE_FOR_REMOVALS],
  ] as const) {
    it(`are taken by one namespace to at most half while others wait, for the purpose ${purpose}`, async () => {
      const { clock, want, begun, made, end } = runningRig({ questions: 1, missing: 1, isRestless: true });
      const all = (who: string): readonly string[] => numbered(places).map((id) => `${who}-${id}`);
      for (const id of all('greedy')) want(comparisonRequest({ id, purpose }), `greedy/${id}`);
      await clock.run(10_000);
      expect(begun(), 'nobody else wants any').to.deep.equal(all('greedy'));
      for (const id of all('other')) want(comparisonRequest({ id, purpose }), `${id}/${id}`);
      await clock.run(21_500);
      expect(begun().slice(places), 'half of them for the others').to.deep.equal(all('other').slice(0, places / 2));
      expect(made.length).to.equal(places + places / 2);
      await end();
    });
  }
});
