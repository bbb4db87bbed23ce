// Proof after a removal: the survivors agree on themselves, have every test key, and are quiet since the later of the two.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { line, MONOTONIC_MS, silent, withNode } from '../support/builders.ts';
import { audit, drained, nodesShowing } from '../support/histories.ts';
import { ALL, BOUNDED, JUST_MS, post, STRICT, SURVIVORS } from '../support/proofs.ts';

const view = SURVIVORS.map((id) => line(id));
const nodes = nodesShowing(SURVIVORS, view);
const doneAgo = (ms: number) => audit('readAfter', nodes, { doneAtMs: MONOTONIC_MS - ms });

describe('the proof after a removal', () => {
  it('is there after three complete quiet rounds of every survivor', () => {
    const evidence = post();
    expect([evidence.isProven, evidence.flatRounds, evidence.missing]).to.deep.equal([true, 3, undefined]);
    expect(evidence.checks.map((check) => check.name)).to.deep.equal([
      'membersAnswer',
      'viewsAgree',
      'placement',
      'meshComplete',
      'writesAllowed',
      'noRejoin',
      'canaries',
      'quietRounds',
    ]);
    expect(Object.keys(evidence.generations)).to.deep.equal(['0', '1', '2', '3']);
  });
  it('counts from the last survivor that agreed', () => {
    expect(post({ sinceMs: JUST_MS - 1_000 }).isProven).to.equal(false);
    const late = { 2: (agoMs: number) => (agoMs > 18_000 ? { view: drained(ALL, 4), members: 5 } : {}) };
    expect(post({ sinceMs: 30_000, differs: late }).flatRounds).to.equal(2);
  });
  it('counts from the moment the last test key was read, however long the counters stood still before', () => {
    expect(post({ sinceMs: 50_000 }, { audit: doneAgo(19_000) }).flatRounds).to.equal(3);
    expect(post({ sinceMs: 50_000 }, { audit: doneAgo(18_999) }).flatRounds).to.equal(2);
    expect(post({ sinceMs: 50_000 }, { audit: doneAgo(18_999) }).isProven).to.equal(false);
  });
  it('is not there after five quiet rounds while a test key is missing (marekvs.md 11: the counter can stand still for 2-5 rounds)', () => {
    const report = audit('readAfter', nodes, {
      state: 'incomplete',
      doneAtMs: undefined,
      missing: [{ partition: 300, nodeId: 1 }],
      missingCount: 1,
    });
    const evidence = post({ sinceMs: 40_000 }, { audit: report });
    expect(evidence.isProven).to.equal(false);
    expect(evidence.missing?.message).to.equal('demo-4: the test key of partition 300 is missing on demo-1');
    expect(evidence.flatRounds).to.equal(0);
  });
  it('takes no look at the test keys from before the removal, nor one by a process that is gone', () => {
    expect(post({}, { audit: audit('readBefore', nodes) }).isProven).to.equal(false);
    const report = doneAgo(JUST_MS);
    const members = report.request.members.map((member) => ({ ...member, podUid: 'before' }));
    expect(post({}, { audit: { ...report, request: { ...report.request, members } } }).isProven).to.equal(false);
  });
  it('needs twice the rounds for a dead target, and no test keys then', () => {
    const rules = { ...STRICT, audited: false, isDead: true };
    expect(post({ sinceMs: 36_000 }, { rules, audit: undefined }).isProven).to.equal(false);
    expect(post({ sinceMs: 37_000 }, { rules, audit: undefined }).isProven).to.equal(true);
  });
  it('is not there while the target, or anybody else, is still shown', () => {
    const evidence = post({ run: { ids: SURVIVORS, view: drained(ALL, 4) } });
    expect(evidence.missing?.message).to.equal('every member shows 0,1,2,3,4 instead of 0,1,2,3');
  });
  it('is not there while a survivor is shown without primaries', () => {
    const joiningView = SURVIVORS.map((id) => line(id, { hasPrimaries: id !== 3 }));
    expect(post({ run: { view: joiningView } }).missing).to.deep.include({
      reason: 'MemberNotActive',
      message: 'every member shows 3 without primaries',
    });
  });
  it('is not there without the answer of one survivor', () => {
    const survivors = withNode(nodes, 1, { answer: silent });
    expect(post({}, { survivors }).missing?.message).to.match(/^demo-1 has not answered since \d\d:\d\d:\d\d$/);
  });
  it('is voided by a survivor that was restarted meanwhile', () => {
    const differs = { 1: (agoMs: number) => ({ upSeconds: agoMs > 10_000 ? 4_000 : 10 - agoMs / 1_000 }) };
    expect(post({ differs }).isProven).to.equal(false);
  });
  it('is there in Bounded with a storm that ended five rounds ago, and not while it lasts (marekvs.md 11: 3,700 a round)', () => {
    const storm = (endedMs: number) => ({ 0: (agoMs: number) => ({ repairs: 9e6 - Math.max(agoMs, endedMs) }) });
    const bounded = (endedMs: number) =>
      post({ sinceMs: 59_000, differs: storm(endedMs) }, { rules: BOUNDED, audit: doneAgo(59_000) });
    expect(bounded(36_000).isProven).to.equal(true);
    expect(bounded(24_000).isProven).to.equal(false);
    expect(bounded(0).flatRounds).to.equal(0);
  });
});
