// Reports of a comparison: complete two seconds ago unless a test says otherwise.

import { PARTITIONS } from '@marekvs/api';
import {
  type ClusterObservation,
  type ComparisonReport,
  type ComparisonRequest,
  type MissingRecords,
  type NodeRecord,
  planCluster,
} from '../../src/index.ts';
import { line, MONOTONIC_MS } from './builders.ts';

/** The comparison that a removal of `targetId` asks for among these nodes. */
export function requestOf(
  nodes: readonly NodeRecord[],
  targetId: number,
  change: Partial<ComparisonRequest> = {},
): ComparisonRequest {
  return {
    purpose: 'removal',
    id: '4-abc',
    members: nodes.map(({ id, pod }) => ({
      nodeId: id,
      podUid: pod?.uid ?? '',
      ip: pod?.ip ?? '',
      generation: line(id).generation,
    })),
    sources: [targetId],
    replicationFactor: 2,
    sinceMs: Number.NEGATIVE_INFINITY,
    isKeptFresh: true,
    ...change,
  };
}

/** Everything is covered. */
export function reportOn(request: ComparisonRequest, change: Partial<ComparisonReport> = {}): ComparisonReport {
  const { sources } = request;
  const partitionsTotal = PARTITIONS * sources.length;
  return {
    request,
    state: 'complete',
    startedAtMs: MONOTONIC_MS - 3_000,
    coveredAtMs: MONOTONIC_MS - 2_000,
    sweptAtMs: MONOTONIC_MS - 1_500,
    partitionsDone: partitionsTotal,
    partitionsTotal,
    missing: [],
    diverging: { registers: 0, keys: 0 },
    records: new Map(sources.map((id) => [id, 1_000 + id])),
    scannedAtMs: MONOTONIC_MS - 2_500,
    movedAtMs: MONOTONIC_MS - 2_000,
    problem: undefined,
    ...change,
  };
}

/** The comparison goes on: some partitions of all sources are compared, and these records are missing. */
export function running(missing: readonly MissingRecords[] = []): Partial<ComparisonReport> {
  return {
    state: 'running',
    coveredAtMs: undefined,
    sweptAtMs: undefined,
    partitionsDone: 1_412,
    records: new Map(),
    scannedAtMs: undefined,
    missing,
  };
}

/** Every partition was compared 15 s ago, and these records have been missing since. */
export function lacking(missing: readonly MissingRecords[]): Partial<ComparisonReport> {
  const { records: _all, ...rest } = running(missing);
  return { ...rest, scannedAtMs: MONOTONIC_MS - 15_000 };
}

/** The observation with a report on exactly the comparison that its plan asks for. */
export function compared(o: ClusterObservation, change: Partial<ComparisonReport> = {}): ClusterObservation {
  const { contents } = planCluster(o);
  if (contents === undefined) throw new Error('no comparison is asked for');
  return { ...o, comparison: reportOn(contents, change) };
}
