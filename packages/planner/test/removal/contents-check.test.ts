// What a comparison contributes to a proof: either that everything is covered, recently and by answers that are young
// enough, or the sentence that a person reads.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type ContentsNeeded, contentsCheck, STUCK_MS, stuckHold } from '../../src/evidence/contents-check.ts';
import type { ComparisonReport, MissingRecords } from '../../src/index.ts';
import { MONOTONIC_MS } from '../support/builders.ts';
import { drained, nodesShowing } from '../support/facts.ts';
import { lacking, reportOn, requestOf, running } from '../support/reports.ts';

const ago = (ms: number) => MONOTONIC_MS - ms;
const nameOf = (id: number) => `demo-${id}`;
const request = requestOf(nodesShowing([0, 1, 2, 3, 4], drained([0, 1, 2, 3, 4], 4)), 4);
const three: readonly MissingRecords[] = [{ sourceId: 4, homeId: 2, partitions: 2, records: 3 }];

function check(report: Partial<ComparisonReport> | undefined, needed: Partial<ContentsNeeded> = {}) {
  const whole = report === undefined ? undefined : reportOn(request, report);
  return contentsCheck(whole, {
    monotonicMs: MONOTONIC_MS,
    sinceMs: ago(10_000),
    maxAgeMs: 15_000,
    nameOf,
    ...needed,
  });
}
const holdOf = (...given: Parameters<typeof check>) => check(...given).check.hold;

describe('the contents of a target', () => {
  it('are covered, with the time and the numbers of partitions and records', () => {
    const { check: result, covered } = check({});
    expect(result).to.deep.equal({
      name: 'contents',
      passed: true,
      value: '4,096 partitions covered',
      hold: undefined,
    });
    expect(covered).to.deep.equal({ atMs: ago(2_000), partitions: 4_096, records: 1_004 });
  });
  it('are covered by all sources together, with the sum of their records', () => {
    const { covered } = check({
      records: new Map([
        [0, 70],
        [1, 5],
      ]),
      partitionsTotal: 8_192,
    });
    expect(covered).to.deep.include({ partitions: 8_192, records: 75 });
  });
  it('are covered also when the number of records is unknown, which is not 0', () => {
    expect(check({ records: new Map() }).covered).to.deep.include({ records: undefined });
    expect(check({ records: new Map([[4, 0]]) }).covered).to.deep.include({ records: 0 });
  });
  describe('with HyperLogLog registers that no other home has', () => {
    const diverging = { registers: 27, keys: 1 };
    it('are in the way of a removal until they are, or a person has said why they need not be', () => {
      const { check: result, covered } = check({ diverging }, { registers: { accepted: undefined } });
      expect(covered).to.equal(undefined);
      expect(result.hold).to.deep.equal({
        reason: 'RegistersDiverge',
        message:
          'no other home has 27 HyperLogLog registers of 1 key, and the server never copies them: merge the keys through a copy on every member, or accept it (kubectl mkv verify --show-keys)',
        needsPerson: true,
      });
      expect(check({}, { registers: { accepted: undefined } }).check.passed).to.equal(true);
    });
    it('are named in the proof with the reason of the person who accepted it', () => {
      const accepted = check({ diverging }, { registers: { accepted: 'counts of last year' } });
      expect(accepted.covered?.partitions).to.equal(4_096);
      expect(accepted.check.value).to.equal(
        '4,096 partitions covered, 27 HyperLogLog registers of 1 key diverge, accepted: counts of last year',
      );
    });
    it('are in the way of nothing else', () => {
      const { check: result, covered } = check({ diverging: { registers: 1, keys: 1 } });
      expect(covered?.partitions).to.equal(4_096);
      expect(result.value).to.equal('4,096 partitions covered, 1 HyperLogLog register of 1 key diverge');
    });
    it('hide nothing that is missing', () => {
      const missing = check({ ...running(three), diverging }, { registers: { accepted: 'counts' } });
      expect(missing.check.hold?.reason).to.equal('RecordsMissing');
    });
  });
  it('are covered for as long as a proof is valid, and not a millisecond longer', () => {
    const aged = (ms: number) =>
      check({ startedAtMs: ago(60_000), coveredAtMs: ago(60_000), sweptAtMs: ago(ms) }, { sinceMs: ago(60_000) });
    expect(aged(15_000).covered?.atMs, 'busy members answer late').to.equal(ago(60_000));
    expect(aged(15_001).covered).to.equal(undefined);
    expect(aged(15_001).check.hold?.reason).to.equal('ComparingContents');
  });

  it('are covered by a sweep of busy members, but not by one that took more than a minute', () => {
    const aged = (ms: number) =>
      check({ startedAtMs: ago(90_000), coveredAtMs: ago(ms), sweptAtMs: ago(1) }, { sinceMs: ago(90_000) });
    expect(aged(75_000).check.passed).to.equal(true);
    expect(aged(75_001).check.passed).to.equal(false);
  });

  describe('are not compared', () => {
    const begins = { reason: 'ComparingContents', message: 'the comparison of contents begins', needsPerson: false };
    it('without a report, and while the comparison waits for its turn', () => {
      expect(holdOf(undefined)).to.deep.equal(begins);
      const waiting = { ...running(), state: 'waiting', startedAtMs: undefined, partitionsDone: 0 } as const;
      expect(holdOf(waiting)).to.deep.equal(begins);
    });
    it('by a comparison that began before the checks held, and are by one that began then', () => {
      expect(holdOf({ startedAtMs: ago(10_001) })).to.deep.equal(begins);
      expect(check({ startedAtMs: ago(10_001) }).covered).to.equal(undefined);
      expect(check({ startedAtMs: ago(10_000) }).check.passed).to.equal(true);
    });
    it('while one of the other checks does not hold', () => {
      expect(holdOf({}, { sinceMs: undefined })).to.deep.equal(begins);
    });
  });

  describe('are not covered', () => {
    it('while partitions are left, with figures', () => {
      expect(holdOf(running())).to.deep.equal({
        reason: 'ComparingContents',
        message: '1,412 of 4,096 partitions compared',
        needsPerson: false,
      });
      expect(check(running()).check.value).to.equal('1,412 of 4,096 partitions compared');
    });
    it('while records are missing, with how many, of which member and where', () => {
      expect(holdOf(lacking(three))).to.deep.equal({
        reason: 'RecordsMissing',
        message: '1,412 of 4,096 partitions compared, 3 records of demo-4 missing on demo-2',
        needsPerson: false,
      });
    });
    it('by a report that claims to be complete without a time', () => {
      expect(check({ coveredAtMs: undefined }).check.passed).to.equal(false);
      expect(check({ sweptAtMs: undefined }).check.passed).to.equal(false);
    });
    it('when a member cannot be read, whatever was covered before, with that member and its error', () => {
      const problem = { nodeId: 2, error: 'connect 10.0.0.3:7373: refused' };
      for (const report of [{ problem }, { ...lacking(three), problem }, { startedAtMs: undefined, problem }])
        expect(holdOf(report)).to.deep.include({
          reason: 'ContentsUnreadable',
          message: 'the contents of demo-2 cannot be read: connect 10.0.0.3:7373: refused',
          needsPerson: true,
        });
      expect(check({ problem }).covered).to.equal(undefined);
    });
  });

  describe('are stuck', () => {
    const stood = (ms: number, missing = three) => holdOf({ ...lacking(missing), movedAtMs: ago(ms) });
    it('when records are missing and nothing has arrived for more than ten minutes', () => {
      expect(STUCK_MS).to.equal(600_000);
      expect(stood(600_000)?.reason).to.equal('RecordsMissing');
      expect(stood(600_001)).to.deep.equal({
        reason: 'ReplicationStuck',
        message: '3 records of demo-4 missing on demo-2, in 2 partitions, and nothing has arrived for 10 minutes',
        needsPerson: true,
      });
    });
    it('not while only partitions are left, however long nothing changes', () => {
      expect(holdOf({ ...running(), movedAtMs: ago(3_600_000) })?.reason).to.equal('ComparingContents');
    });
    it('in words that name the largest part and count the rest', () => {
      const more = [...three, { sourceId: 4, homeId: 1, partitions: 1, records: 1_200 }];
      expect(stuckHold(reportOn(request, lacking(more)), nameOf).message).to.match(
        /^3 records of demo-4 missing on demo-2, and 1,200 elsewhere, in 3 partitions/,
      );
      const one = [{ sourceId: 4, homeId: 2, partitions: 1, records: 1 }];
      expect(stood(600_001, one)?.message).to.match(/^1 record of demo-4 missing on demo-2, in 1 partition, and/);
    });
  });
});
