// Answers: which replicas of the operator are there, what does each have, and would another number of them be better?
// Read from the leases alone: each replica notes its load on the lease that it renews. Pure.

import {
  ANNOTATIONS,
  type NamespacesNote,
  PRESSURE_KINDS,
  parseNamespacesNote,
  parseReplicaLoad,
  type ReplicaLoad,
} from '@marekvs/api';
import {
  formatOf,
  isReplicaLease,
  type Lease,
  ordinalOfLease,
  parseRegister,
  parseShareNote,
  SHARE_FORMAT,
  SLOTS,
  slotsOf,
} from '@marekvs/runtime';
import { isSole } from '../../cluster/operator-lease.ts';

export interface ReplicaRow {
  readonly lease: string;
  /** Name of its Pod; undefined while nobody holds the lease. */
  readonly replica: string | undefined;
  readonly isCoordinator: boolean;
  /** Number of slots by the rules; undefined when the rules cannot be read. */
  readonly slots: number | undefined;
  readonly clusters: number | undefined;
  /** The highest of its figures, 1 at the limit of one process. */
  readonly pressure: number | undefined;
  readonly pressureOf: string | undefined;
  readonly since: string | undefined;
  readonly renewed: string | undefined;
  readonly waiting: string | undefined;
  /** Undefined where the namespaces are fixed. */
  readonly namespaces: NamespacesNote | undefined;
}

export type OperatorMode = 'single' | 'static' | 'ring' | 'mixed' | 'none';

export interface Replicas {
  readonly mode: OperatorMode;
  readonly generation: number | undefined;
  readonly rows: readonly ReplicaRow[];
  /** A recommendation; undefined when nothing would be better, or too little is known. */
  readonly advice: string | undefined;
}

/** Above this pressure more replicas are recommended, so many that each comes to `WANTED`. */
const TOO_HIGH = 0.7;
const WANTED = 0.5;

export function replicasOf(leases: readonly Lease[], leaderName: string): Replicas {
  const leader = leases.find(({ metadata }) => metadata.name === leaderName);
  const shared = leases.filter(({ metadata }) => isReplicaLease(leaderName, metadata.name ?? ''));
  const mode = modeOf(leader, shared);
  const register = parseRegister(leader?.metadata.annotations?.[ANNOTATIONS.shares]);
  const coordinator = leader?.spec?.holderIdentity;
  const rows = [...(isSole(leader) && leader !== undefined ? [leader] : []), ...shared]
    .map((lease) =>
      rowOf(lease, slotsOfLease(lease, leaderName, register), lease !== leader && isHeldBy(lease, coordinator)),
    )
    .filter((row) => row.replica !== undefined || (row.slots ?? 0) > 0)
    .sort((a, b) => a.lease.localeCompare(b.lease, 'en', { numeric: true }));
  return {
    mode,
    generation: mode === 'ring' || mode === 'static' ? register?.generation : undefined,
    rows,
    advice: formatAdvice(shared) ?? adviceFor(mode, rows),
  };
}

/** Characters shown of an annotation, which anybody may have written. */
const MAX_SHOWN = 20;

/** A replica that takes no part holds no lease and has no row: what blocks it is the format on the leases of others. */
function formatAdvice(shared: readonly Lease[]): string | undefined {
  const held = shared.filter(({ spec }) => (spec?.holderIdentity ?? '') !== '');
  const formats = new Set(held.map(({ metadata }) => formatOf(metadata.annotations?.[ANNOTATIONS.shareFormat])));
  if (formats.size === 0 || (formats.size === 1 && formats.has(SHARE_FORMAT))) return undefined;
  const shown = [...formats].map((format) => format.slice(0, MAX_SHOWN)).sort();
  const what = `replicas share in format ${shown.join(' and ')}, and this version writes ${SHARE_FORMAT}`;
  return `${what}: one of another format takes no part while they hold leases. Let the rollout end`;
}

function isHeldBy({ spec }: Lease, holder: string | undefined): boolean {
  return holder !== undefined && holder !== '' && spec?.holderIdentity === holder;
}

function modeOf(leader: Lease | undefined, shared: readonly Lease[]): OperatorMode {
  const held = shared.filter(({ spec }) => (spec?.holderIdentity ?? '') !== '');
  const kinds = new Set<OperatorMode>(
    held.map(({ metadata }) => parseShareNote(metadata.annotations?.[ANNOTATIONS.share])?.mode ?? 'mixed'),
  );
  if (isSole(leader)) kinds.add('single');
  const [only] = kinds;
  if (only === undefined) return 'none';
  return kinds.size === 1 ? only : 'mixed';
}

function slotsOfLease(
  { metadata }: Lease,
  leaderName: string,
  register: ReturnType<typeof parseRegister>,
): number | undefined {
  if (metadata.name === leaderName) return SLOTS;
  const ordinal = ordinalOfLease(leaderName, metadata.name ?? '');
  return register === undefined || ordinal === undefined ? undefined : slotsOf(register.now, ordinal).size;
}

function rowOf({ metadata, spec }: Lease, slots: number | undefined, isCoordinator: boolean): ReplicaRow {
  const holder = spec?.holderIdentity ?? '';
  const load = holder === '' ? undefined : parseReplicaLoad(metadata.annotations?.[ANNOTATIONS.load]);
  const top = load === undefined ? undefined : highestOf(load);
  return {
    lease: metadata.name ?? '',
    replica: holder === '' ? undefined : (holder.split('_')[0] ?? holder),
    isCoordinator,
    slots,
    clusters: load?.clusters,
    pressure: top?.value,
    pressureOf: top?.what,
    since: spec?.acquireTime,
    renewed: spec?.renewTime,
    namespaces: holder === '' ? undefined : parseNamespacesNote(metadata.annotations?.[ANNOTATIONS.namespaces]),
    waiting: (holder === '' ? undefined : metadata.annotations?.[ANNOTATIONS.shareWaiting]) || undefined,
  };
}

function highestOf(load: ReplicaLoad): { readonly what: string; readonly value: number } | undefined {
  const known = PRESSURE_KINDS.flatMap((what) => {
    const value = load[what];
    return value === undefined ? [] : [{ what, value }];
  });
  return known.length === 0 ? undefined : known.reduce((a, b) => (b.value > a.value ? b : a));
}

/** Unknown figures lead to no recommendation. */
function adviceFor(mode: OperatorMode, rows: readonly ReplicaRow[]): string | undefined {
  if (mode === 'mixed')
    return 'replicas share by different rules: nobody takes what another may hold. Let the rollout end';
  const living = rows.filter(({ replica }) => replica !== undefined);
  const pressures = living.map(({ pressure }) => pressure);
  if (living.length === 0 || pressures.some((pressure) => pressure === undefined)) return undefined;
  const known = pressures.filter((pressure) => pressure !== undefined);
  const wanted = Math.max(2, Math.ceil(known.reduce((a, b) => a + b) / WANTED));
  const worst = living.reduce((a, b) => ((b.pressure ?? 0) > (a.pressure ?? 0) ? b : a));
  if ((worst.pressure ?? 0) <= TOO_HIGH) return undefined;
  const why = `${worst.replica} is at ${Math.round((worst.pressure ?? 0) * 100)} % of one process (${worst.pressureOf})`;
  if (mode === 'single') return `${why}: --mode=ring with ${wanted} replicas`;
  return wanted > living.length ? `${why}: ${wanted} replicas` : `${why}: its clusters are larger than those of others`;
}
