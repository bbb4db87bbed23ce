// What is reported about a comparison, and when a report is news. Pure.

import { PARTITIONS } from '@marekvs/api';
import type { ComparisonFigures, ComparisonReport, ComparisonRequest, MissingRecords } from '@marekvs/planner';

/** The report before anything was asked. */
export function waitingReport(
  request: ComparisonRequest,
  nowMs: number,
  problem: ComparisonReport['problem'] = undefined,
): ComparisonReport {
  return {
    request,
    state: 'waiting',
    startedAtMs: undefined,
    coveredAtMs: undefined,
    sweptAtMs: undefined,
    partitionsDone: 0,
    partitionsTotal: PARTITIONS * request.sources.length,
    missing: [],
    diverging: { registers: 0, keys: 0 },
    records: new Map(),
    scannedAtMs: undefined,
    movedAtMs: nowMs,
    problem,
  };
}

export function reportOf(
  request: ComparisonRequest,
  startedAtMs: number,
  figures: ComparisonFigures,
  problem: ComparisonReport['problem'],
): ComparisonReport {
  const { isComplete, ...known } = figures;
  return { ...known, request, state: isComplete ? 'complete' : 'running', startedAtMs, problem };
}

/** Milliseconds between two reports of mere progress. */
export const TELL_MS = 1_000;

/** @param sinceReportMs time since `reported` was reported */
export function isNews(reported: ComparisonReport, report: ComparisonReport, sinceReportMs: number): boolean {
  if (reported.state !== report.state || reported.problem?.nodeId !== report.problem?.nodeId) return true;
  // Once per sweep: the planner goes by the age of the last one, and ignores progress within a sweep.
  if (report.state === 'complete') return reported.coveredAtMs !== report.coveredAtMs;
  if (sinceReportMs < TELL_MS) return false;
  return (
    reported.partitionsDone !== report.partitionsDone ||
    reported.diverging.registers !== report.diverging.registers ||
    !isSameMissing(reported.missing, report.missing)
  );
}

function isSameMissing(a: readonly MissingRecords[], b: readonly MissingRecords[]): boolean {
  return (
    a.length === b.length &&
    a.every((one, i) => {
      const other = b[i];
      return (
        one.sourceId === other?.sourceId &&
        one.homeId === other.homeId &&
        one.partitions === other.partitions &&
        one.records === other.records
      );
    })
  );
}
