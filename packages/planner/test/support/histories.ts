// Histories to start a proof from: quiet members of one cluster, a sample a second, a round every six seconds.
// A test says what differs and how long ago; nothing here is shared between two calls.

import { ownedCounts } from '@marekvs/api';
import type { NodeRecord, ViewLine } from '../../src/index.ts';
import type { AuditReport } from '../../src/removal/audit.ts';
import type { MemberHistory, MemberSample } from '../../src/removal/sample.ts';
import { line, MONOTONIC_MS, NOW_MS, node, views } from './builders.ts';

export const ROUND_MS = 6_000;
/** Rounds at the newest sample: one begins exactly with it, so the sample 6 s before shows one less. */
export const ROUNDS_NOW = 1_000;

/** What differs in a sample taken `agoMs` before the newest. */
export type Difference = (agoMs: number) => Partial<MemberSample>;

export interface Run {
  readonly memberCount?: number;
  readonly ids?: readonly number[];
  readonly replicationFactor?: number;
  readonly count?: number;
  readonly intervalMs?: number;
  /** When the newest sample was taken. */
  readonly endMs?: number;
  readonly podUid?: string;
  readonly generation?: number | undefined;
  readonly view?: readonly ViewLine[];
  readonly differs?: Difference;
}

/** What one member of a quiet cluster said. Counters stand at values that are not zero, as real ones do. */
export function history(id: number, run: Run = {}): MemberHistory {
  const { count = 60, intervalMs = 1_000, endMs = MONOTONIC_MS, differs, replicationFactor = 2 } = run;
  const ids = run.ids ?? views(run.memberCount ?? 5).map((entry) => entry.id);
  const view = run.view ?? ids.map((member) => line(member));
  const owned = ownedCounts(ids, replicationFactor).get(id);
  const samples = Array.from({ length: count }, (_, index): MemberSample => {
    const agoMs = (count - 1 - index) * intervalMs;
    const atMs = endMs - agoMs;
    const plain: MemberSample = {
      ...QUIET,
      atMs,
      upSeconds: 5_000 - agoMs / 1_000,
      rounds: ROUNDS_NOW - Math.ceil(agoMs / ROUND_MS),
      members: ids.length,
      ownedPartitions: owned,
      meshPeers: ids.length - 1,
      view,
      viewDigest: digestOf(view),
      viewAtMs: atMs,
    };
    const different = differs?.(agoMs) ?? {};
    const shown = different.view;
    return { ...plain, ...(shown === undefined ? {} : { viewDigest: digestOf(shown) }), ...different };
  });
  return {
    nodeId: id,
    podUid: run.podUid ?? `pod-uid-${id}`,
    generation: 'generation' in run ? run.generation : line(id).generation,
    intervalMs,
    samples,
  };
}

const QUIET = {
  isContinuous: true,
  isFresh: true,
  isUndisturbed: true,
  repairs: 37,
  digestScans: 3_639,
  bootstraps: 2_716,
  bootstrapBytes: 40_000,
  gatePartitions: 517,
  rejoinActive: 0,
  droppedRecords: 3,
  inflightBytes: 0,
  connTimeouts: 1,
  clients: 0,
  inputBytes: 123_456,
  diskTotalBytes: 10e9,
  diskAvailBytes: 9e9,
  dbBytes: 1e6,
  writeStopped: 0,
} as const;

/** Every one of these members; `differs` by id. */
export function histories(ids: readonly number[], run: Run = {}, differs: Readonly<Record<number, Difference>> = {}) {
  return ids.map((id) => history(id, { ids, ...run, ...(differs[id] === undefined ? {} : { differs: differs[id] }) }));
}

/** Different lists have different digests, whatever else. */
export function digestOf(view: readonly ViewLine[]): string {
  return `digest of ${view.map(({ id, generation, hasPrimaries }) => `${id}/${generation}/${hasPrimaries}`).join()}`;
}

/** What everybody shows while one member is leaving. */
export function drained(ids: readonly number[], targetId: number): readonly ViewLine[] {
  return ids.map((id) => line(id, { hasPrimaries: id !== targetId }));
}

/** Nodes that last showed this list. */
export function nodesShowing(ids: readonly number[], view: readonly ViewLine[]): readonly NodeRecord[] {
  return ids.map((id) =>
    node(id, { answer: { kind: 'serving', atMs: NOW_MS, viewAtMs: MONOTONIC_MS, view, digest: digestOf(view) } }),
  );
}

/** A finished look at the test keys of everybody given. */
export function audit(
  kind: 'readBefore' | 'readAfter',
  nodes: readonly NodeRecord[],
  change: Partial<AuditReport> = {},
): AuditReport {
  return {
    request: {
      operationId: '4-abc',
      kind,
      replicationFactor: 2,
      targetId: 4,
      members: nodes.map(({ id, pod }) => ({ nodeId: id, podUid: pod?.uid ?? '', ip: pod?.ip ?? '' })),
      partitions: [1, 17, 300],
    },
    state: 'complete',
    doneAtMs: MONOTONIC_MS - 40_000,
    missing: [],
    missingCount: 0,
    error: undefined,
    ...change,
  };
}
