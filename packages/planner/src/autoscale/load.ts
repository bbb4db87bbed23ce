// Answers: how many commands per second do clients send to a cluster, and how sure is that? A member that did not
// answer is unknown, never idle. What the others serve is then a lower bound: enough to grow on, never enough to shrink
// on.

/** What one member was last measured to serve. */
export interface MemberLoad {
  readonly name: string;
  /** Commands of clients per second; undefined while no two readings of the same life are known. */
  readonly opsPerSecond: number | undefined;
  /** Monotonic milliseconds of the two readings it comes from. */
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Load {
  /** Commands per second of the members that are known: all of them unless some are missing. */
  readonly opsPerSecond: number;
  /** Members whose rate is not known. */
  readonly missing: readonly string[];
  /** All that are known were measured just now, over a whole window after the sign that called for it
   *  (measuring.ts). */
  readonly isSharp: boolean;
  /** The member that serves most; undefined when no rate is known. */
  readonly highest: { readonly name: string; readonly opsPerSecond: number } | undefined;
  readonly members: number;
}

/** A rate whose later reading is older than this says nothing about now. At rest a member is asked every 24 s, and in
 *  full when it does not answer: by then that has failed twice. */
export const STALE_RATE_MS = 40_000;
/** Time over which a rate is measured while a member is asked often: less is noise, more hides a step in the load. */
export const RATE_WINDOW_MS = 5_000;
/** A rate that ended longer ago than this is not sharp. */
const SHARP_AGE_MS = 6_000;
/** No member serves so many commands a second: a counter that says so contradicts itself. */
export const ABSURD_OPS = 50_000_000;

/** @param nowMs monotonic
 *  @param measuredSinceMs monotonic: since when the load has been measured closely; undefined while it is not */
export function loadOf(members: readonly MemberLoad[], nowMs: number, measuredSinceMs: number | undefined): Load {
  const known: (MemberLoad & { readonly opsPerSecond: number })[] = [];
  const missing: string[] = [];
  for (const member of members) {
    const opsPerSecond = rateNow(member, nowMs);
    if (opsPerSecond === undefined) missing.push(member.name);
    else known.push({ ...member, opsPerSecond });
  }
  const sinceMs = measuredSinceMs ?? Number.POSITIVE_INFINITY;
  const isSharp = known.every(
    ({ fromMs, toMs }) => fromMs >= sinceMs && toMs - fromMs >= RATE_WINDOW_MS && nowMs - toMs <= SHARP_AGE_MS,
  );
  const highest = [...known].sort((a, b) => b.opsPerSecond - a.opsPerSecond)[0];
  return {
    opsPerSecond: known.reduce((sum, { opsPerSecond }) => sum + opsPerSecond, 0),
    missing,
    isSharp: known.length > 0 && isSharp,
    highest: highest === undefined ? undefined : { name: highest.name, opsPerSecond: highest.opsPerSecond },
    members: members.length,
  };
}

/** All members are known: nothing may be missing for a cluster to shrink. */
export function isWholeLoad(load: Load): boolean {
  return load.members > 0 && load.missing.length === 0;
}

/** From this multiple of the mean on, one member has a load that other members do not share… */
const UNEVEN_FACTOR = 2;
/** …if it is not simply one of very few commands. */
const UNEVEN_MIN_OPS = 10;

/** "demo-1 serves 91 % of it": adding members does not help a hot key. Undefined while the load is spread. */
export function unevenText({ opsPerSecond, highest, members }: Load): string | undefined {
  if (highest === undefined || members < 2 || highest.opsPerSecond < UNEVEN_MIN_OPS) return undefined;
  if (highest.opsPerSecond < (UNEVEN_FACTOR * opsPerSecond) / members) return undefined;
  const percent = Math.round((100 * highest.opsPerSecond) / opsPerSecond);
  return `${highest.name} serves ${percent} % of it: more nodes do not help a key that many ask for`;
}

function rateNow({ opsPerSecond, toMs }: MemberLoad, nowMs: number): number | undefined {
  if (opsPerSecond === undefined || nowMs - toMs > STALE_RATE_MS) return undefined;
  return opsPerSecond >= 0 && opsPerSecond <= ABSURD_OPS ? opsPerSecond : undefined;
}

/** Two significant digits, whole numbers from 1 on: what is shown, so that noise writes nothing
 *  (docs/design/contract.md#figures). */
export function roundRate(perSecond: number): number {
  if (perSecond < 1) return 0;
  return Math.round(Number(perSecond.toPrecision(2)));
}
