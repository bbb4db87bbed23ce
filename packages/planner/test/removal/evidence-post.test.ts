// The proof after a removal: the survivors agree with each other, and have covered each other since.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { checksFor } from '../../src/index.ts';
import { line, MONOTONIC_MS, pod, silent, withNode } from '../support/builders.ts';
import { drained, nodesShowing, type Shown, STANDING_MS } from '../support/facts.ts';
import { ALL, post, SURVIVORS } from '../support/proofs.ts';
import { lacking, reportOn, requestOf } from '../support/reports.ts';

const nodes = nodesShowing(SURVIVORS, drained(SURVIVORS, -1));
const ago = (ms: number) => MONOTONIC_MS - ms;
const request = requestOf(nodes, 4, { purpose: 'settling', sources: SURVIVORS, isKeptFresh: false });
const one = (id: number, shown: Shown) => post({ differs: { [id]: shown } });

it('the proof of a member that is back has its checks, in the order of the table', () => {
  const { checks } = post({}, { purpose: 'CatchingUp' });
  expect(checks.map(({ name }) => name)).to.deep.equal(checksFor('CatchingUp'));
});

describe('the proof after a removal', () => {
  it('is complete when every survivor covers the others', () => {
    const evidence = post();
    expect([evidence.isProven, evidence.missing]).to.deep.equal([true, undefined]);
    expect(evidence.checks.map((check) => check.name)).to.deep.equal([
      'membersAnswer',
      'viewsAgree',
      'placement',
      'meshComplete',
      'writesAllowed',
      'noRejoin',
      'contents',
    ]);
    expect(evidence.checks.map(({ name }) => name)).to.deep.equal(checksFor('Settling'));
    expect(evidence.checks.at(-1)?.value).to.equal('16,384 partitions covered');
    expect(evidence.covered).to.deep.equal({ atMs: ago(2_000), partitions: 16_384, records: 4_006 });
    expect(Object.keys(evidence.generations)).to.deep.equal(['0', '1', '2', '3']);
  });
  it('counts from the last survivor that agreed, and accepts no comparison begun before', () => {
    expect(post().sinceMs).to.equal(STANDING_MS);
    expect(one(2, { shownSinceMs: ago(3_000) }).isProven, 'the comparison was begun 3 s ago').to.equal(true);
    expect(one(2, { shownSinceMs: ago(2_999) }).isProven).to.equal(false);
    expect(one(2, { shownSinceMs: ago(2_999) }).sinceMs).to.equal(ago(2_999));
    expect(one(2, { shownSinceMs: undefined }).isProven).to.equal(false);
  });
  it('accepts a comparison that covered everything within the last 30 s', () => {
    const covered = (ms: number) =>
      post({}, { comparison: reportOn(request, { startedAtMs: ago(40_000), sweptAtMs: ago(ms) }) });
    expect(covered(30_000).isProven).to.equal(true);
    expect(covered(30_001).isProven).to.equal(false);
  });
  it('is not complete while one survivor has a record that another home lacks', () => {
    const missing = [{ sourceId: 0, homeId: 1, partitions: 1, records: 2 }];
    expect(post({}, { comparison: reportOn(request, lacking(missing)) }).missing).to.deep.equal({
      reason: 'RecordsMissing',
      message: '1,412 of 16,384 partitions compared, 2 records of demo-0 missing on demo-1',
      needsPerson: false,
    });
  });
  it('is not complete while a member lists the target or any other node that is not a survivor', () => {
    const evidence = post({ shown: { ids: SURVIVORS, view: drained(ALL, 4) } });
    expect(evidence.missing?.message).to.equal('every member shows 0,1,2,3,4 instead of 0,1,2,3');
  });
  it('is not complete while a survivor is shown without primaries, since the homes are about to change', () => {
    const view = SURVIVORS.map((id) => line(id, { hasPrimaries: id !== 3 }));
    const evidence = post({ shown: { view } });
    expect(evidence.missing).to.deep.include({
      reason: 'MemberNotActive',
      message: 'every member shows 3 without primaries',
    });
    expect(evidence.sinceMs).to.equal(undefined);
  });
  it('is not complete without the answer of one survivor', () => {
    const survivors = withNode(nodes, 1, { answer: silent });
    expect(post({}, { survivors }).missing?.message).to.match(/^demo-1 has not answered since \d\d:\d\d:\d\d$/);
  });
  it('is complete with a survivor whose Pod is not ready, as long as it answers', () => {
    const survivors = withNode(nodes, 1, { pod: pod(1, { isReady: false }) });
    expect(post({}, { survivors }).isProven).to.equal(true);
  });
});
