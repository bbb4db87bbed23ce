// What members have shown by now, to start a proof from: all at rest, nothing missing, the last reading made just now.
// A test says what differs; no two calls share a value.

import { ownedCounts } from '@marekvs/api';
import type {
  MemberFacts,
  MemberFigures,
  MemberReading,
  NodeRecord,
  ObserverTrace,
  ViewLine,
} from '../../src/index.ts';
import { line, MONOTONIC_MS, NOW_MS, node, views } from './builders.ts';

/** Since when each member shows its present list, unless a test says otherwise. */
export const STANDING_MS = MONOTONIC_MS - 60_000;

export interface Shown {
  readonly ids?: readonly number[];
  readonly replicationFactor?: number;
  readonly view?: readonly ViewLine[];
  readonly digest?: string;
  readonly podUid?: string;
  readonly generation?: number | undefined;
  readonly bornAtMs?: number;
  readonly intervalMs?: number;
  /** When the last reading was asked for. */
  readonly atMs?: number;
  /** When its list was asked for, if not with the figures. */
  readonly viewAtMs?: number;
  readonly isJoining?: boolean;
  readonly shownSinceMs?: number | undefined;
  readonly meshPeers?: number | undefined;
  readonly shownActive?: ReadonlySet<number>;
  readonly figures?: Partial<MemberFigures>;
  readonly observer?: ObserverTrace;
}

const QUIET: MemberFigures = {
  isFresh: true,
  upSeconds: 5_000,
  rejoinActive: 0,
  meshPeers: 0,
  members: 0,
  ownedPartitions: undefined,
  diskTotalBytes: 10e9,
  diskAvailBytes: 9e9,
  dbBytes: 1e6,
  writeStopped: 0,
};

/** What one member of a cluster at rest has shown. */
export function factsOf(id: number, shown: Shown = {}): MemberFacts {
  const ids = shown.ids ?? views(5).map((entry) => entry.id);
  const view = shown.view ?? ids.map((member) => line(member));
  const { atMs = MONOTONIC_MS, replicationFactor = 2 } = shown;
  const last: MemberReading = {
    atMs,
    figures: {
      ...QUIET,
      members: ids.length,
      ownedPartitions: ownedCounts(ids, replicationFactor).get(id),
      meshPeers: ids.length - 1,
      ...shown.figures,
    },
    observer: shown.observer ?? 'none',
    shown: shown.isJoining ? undefined : { view, digest: shown.digest ?? digestOf(view), atMs: shown.viewAtMs ?? atMs },
  };
  return {
    nodeId: id,
    podUid: shown.podUid ?? `pod-uid-${id}`,
    generation: 'generation' in shown ? shown.generation : line(id).generation,
    ...(shown.bornAtMs === undefined ? {} : { bornAtMs: shown.bornAtMs }),
    intervalMs: shown.intervalMs ?? 1_000,
    last,
    shownSinceMs: 'shownSinceMs' in shown ? shown.shownSinceMs : STANDING_MS,
    meshPeers: 'meshPeers' in shown ? shown.meshPeers : ids.length - 1,
    shownActive: shown.shownActive ?? new Set(view.filter(({ hasPrimaries }) => hasPrimaries).map((one) => one.id)),
  };
}

/** The facts of all these members; `differs` by id. */
export function factsOfAll(ids: readonly number[], shown: Shown = {}, differs: Readonly<Record<number, Shown>> = {}) {
  return ids.map((id) => factsOf(id, { ids, ...shown, ...differs[id] }));
}

/** A digest that differs for different lists. */
export function digestOf(view: readonly ViewLine[]): string {
  return `digest of ${view.map(({ id, generation, hasPrimaries }) => `${id}/${generation}/${hasPrimaries}`).join()}`;
}

/** What all members show while one member is leaving. */
export function drained(ids: readonly number[], targetId: number): readonly ViewLine[] {
  return ids.map((id) => line(id, { hasPrimaries: id !== targetId }));
}

/** What all others show while the target runs with its door closed, in another process than before. */
export function closed(ids: readonly number[], targetId: number): readonly ViewLine[] {
  const generation = line(targetId).generation + 100;
  return ids.map((id) => (id === targetId ? line(id, { generation, hasPrimaries: false }) : line(id)));
}

/** What the target has shown of that process: figures, and no list. */
export function behindDoor(targetId: number): Shown {
  return { podUid: `sealed-pod-uid-${targetId}`, generation: undefined, bornAtMs: STANDING_MS, isJoining: true };
}

/** Nodes whose members last showed this list. */
export function nodesShowing(ids: readonly number[], view: readonly ViewLine[]): readonly NodeRecord[] {
  return ids.map((id) =>
    node(id, { answer: { kind: 'serving', atMs: NOW_MS, viewAtMs: MONOTONIC_MS, view, digest: digestOf(view) } }),
  );
}
