// What one life of a member's process has shown up to now, reading by reading: the raw material of every proof besides
// the contents themselves. A figure that was missing or NaN is undefined, never 0. Times are monotonic milliseconds of
// the operator.

import type { ViewLine } from '../values/view-line.ts';
import { viewKey } from '../values/view-line.ts';

/** The figures of one reading of `/metrics`. Gauges of the member's statistics task are up to 2 s old; counters
 *  restart with the process. */
export interface MemberFigures {
  /** False before the member's first statistics: its gauges mean nothing then. */
  readonly isFresh: boolean;
  readonly upSeconds: number | undefined;
  readonly rejoinActive: number | undefined;
  readonly meshPeers: number | undefined;
  readonly members: number | undefined;
  readonly ownedPartitions: number | undefined;
  readonly diskTotalBytes: number | undefined;
  readonly diskAvailBytes: number | undefined;
  readonly dbBytes: number | undefined;
  readonly writeStopped: number | undefined;
}

/** Whether the member's count of mesh connections includes us as an observer. `changing`: ours was opened or closed a
 *  moment ago. */
export type ObserverTrace = 'none' | 'counted' | 'changing';

export interface MemberReading {
  /** When the figures were asked for. */
  readonly atMs: number;
  readonly figures: MemberFigures;
  readonly observer: ObserverTrace;
  /** The list of members it showed last, with the digest of its whole answer and when it was asked for; undefined
   *  while it serves no commands. */
  readonly shown: { readonly view: readonly ViewLine[]; readonly digest: string; readonly atMs: number } | undefined;
}

/** Facts of one life: another Pod, or a changed generation, is another life with its own facts. */
export interface MemberFacts {
  readonly nodeId: number;
  readonly podUid: string;
  /** Boot time as gossip has it, unix seconds; undefined until a list showed it. */
  readonly generation: number | undefined;
  /** Monotonic: when its process began, by the first figures of this life. Tells lives apart where no list is shown. */
  readonly bornAtMs?: number | undefined;
  /** Milliseconds between two readings at the present pace. */
  readonly intervalMs: number;
  readonly last: MemberReading;
  /** Since when it has shown its present list, generations and phases included, and the same placement. */
  readonly shownSinceMs: number | undefined;
  /** Mesh connections to other members, without our own. */
  readonly meshPeers: number | undefined;
  /** Ids that any list of this life showed with primaries. */
  readonly shownActive: ReadonlySet<number>;
}

/** Two lists further apart than this say nothing about the time between: a member that leaves and comes back takes
 *  longer. */
const MAX_LIST_GAP_MS = 10_000;

/** The facts after one more reading of the same life; the first one of a life has none before it. */
export function nextFacts(
  before: MemberFacts | undefined,
  reading: MemberReading,
  life: Pick<MemberFacts, 'nodeId' | 'podUid' | 'generation' | 'intervalMs'>,
): MemberFacts {
  return {
    nodeId: life.nodeId,
    podUid: life.podUid,
    generation: life.generation,
    bornAtMs: before?.bornAtMs ?? bornAt(reading),
    intervalMs: life.intervalMs,
    last: reading,
    shownSinceMs: shownSince(before, reading),
    meshPeers: meshPeers(before, reading),
    shownActive: shownActive(before, reading),
  };
}

function bornAt({ atMs, figures: { upSeconds } }: MemberReading): number | undefined {
  return upSeconds === undefined ? undefined : Math.round(atMs - upSeconds * 1000);
}

function shownSince(before: MemberFacts | undefined, { shown }: MemberReading): number | undefined {
  const last = before?.last.shown;
  if (shown === undefined) return undefined;
  if (last === undefined || before?.shownSinceMs === undefined) return shown.atMs;
  const isSame = last.digest === shown.digest && viewKey(last.view) === viewKey(shown.view);
  const maxGapMs = Math.max(MAX_LIST_GAP_MS, 2 * before.intervalMs);
  return isSame && shown.atMs - last.atMs <= maxGapMs ? before.shownSinceMs : shown.atMs;
}

/** While our observer connects or disconnects, the gauge may include it or not: the smaller figure counts, but at most
 *  one connection is ours. */
function meshPeers(before: MemberFacts | undefined, { figures, observer }: MemberReading): number | undefined {
  const { meshPeers: peers } = figures;
  if (peers === undefined || !figures.isFresh) return undefined;
  if (observer === 'none') return peers;
  if (observer === 'counted') return peers - 1;
  return Math.max(peers - 1, Math.min(peers, before?.meshPeers ?? 0));
}

function shownActive(before: MemberFacts | undefined, { shown }: MemberReading): ReadonlySet<number> {
  const known = before?.shownActive ?? NOBODY;
  if (shown === undefined || shown.view === before?.last.shown?.view) return known;
  const fresh = shown.view.filter(({ id, hasPrimaries }) => hasPrimaries && !known.has(id));
  return fresh.length === 0 ? known : new Set([...known, ...fresh.map(({ id }) => id)]);
}

const NOBODY: ReadonlySet<number> = new Set();

/** A member that has not answered for longer than this is not known to be there. */
const RECENT_MS = 4_000;
/** Lists are read less often than figures at rest; the number of members covers the time between. */
const RECENT_LIST_MS = 8_000;

/** The last reading, unless it is too old to speak for now: two intervals, 4 s at least, so that one
 *  late answer voids nothing. */
export function recentReading(facts: MemberFacts | undefined, monotonicMs: number): MemberReading | undefined {
  if (facts === undefined) return undefined;
  return monotonicMs - facts.last.atMs <= Math.max(RECENT_MS, 2 * facts.intervalMs) ? facts.last : undefined;
}

/** The list it shows, while that is recent. */
export function recentView(facts: MemberFacts | undefined, monotonicMs: number): readonly ViewLine[] | undefined {
  const shown = recentReading(facts, monotonicMs)?.shown;
  if (facts === undefined || shown === undefined) return undefined;
  return monotonicMs - shown.atMs <= Math.max(RECENT_LIST_MS, 4 * facts.intervalMs) ? shown.view : undefined;
}

/** The facts of the process in the node's present Pod. */
export function factsOf(
  { facts }: { readonly facts: readonly MemberFacts[] },
  { id, pod }: { readonly id: number; readonly pod: { readonly uid: string } | undefined },
): MemberFacts | undefined {
  return facts.find(({ podUid, nodeId }) => podUid === pod?.uid && nodeId === id);
}
