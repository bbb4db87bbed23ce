// Does one member's record make another's superfluous? It does when the server's own merge of the two would leave it as
// it is (docs/design/server.md#how-records-merge). What cannot be decoded is covered only by the same bytes.

import {
  type Counter,
  compareVersions,
  decodeStoredValue,
  type Element,
  elementOf,
  MAX_COVERED,
  MAX_LIVE,
  type StoredValue,
  type Version,
} from './stored-value.ts';

/** `diverging`: HyperLogLog registers of which neither is covered, and which the server never reconciles: it sends by
 *  version, and the higher rank keeps its own. */
export type Coverage = 'covered' | 'missing' | 'diverging';

/** `covered`: the merge of the home's value with the source's leaves the home's as it is. */
export function coverageOf(home: Uint8Array, source: Uint8Array): Coverage {
  if (areSameBytes(home, source)) return 'covered';
  const own = decodeStoredValue(home);
  const given = decodeStoredValue(source);
  if (own === undefined || given === undefined) return 'missing';
  if (mergesUnchanged(own, given)) return 'covered';
  return own.content.kind === 'register' && given.content.kind === 'register' ? 'diverging' : 'missing';
}

function mergesUnchanged(own: StoredValue, given: StoredValue): boolean {
  const isNewer = compareVersions(given.version, own.version) > 0;
  if (own.content.kind === 'register' && given.content.kind === 'register') {
    // Of equal ranks the server keeps the older version; for us the rank and the time are enough.
    return own.content.rank >= given.content.rank && lastsAsLong(own, given);
  }
  // From here on the newer version brings its deadline along, whatever else it holds.
  if (isNewer) return false;
  if (own.content.kind === 'counter' && given.content.kind === 'counter') {
    return coversCounter(own.content, given.content);
  }
  if (own.isHead || given.content.kind !== 'element') return true;
  if (own.content.kind === 'element') {
    return own.type === given.type && coversElement(own, own.content, given.content);
  }
  // The kind of what comes in decides: a value of another kind is merged if it happens to read as an element, and
  // changes its kind.
  return elementOf(own.payload) === undefined;
}

function lastsAsLong({ deadlineMs }: StoredValue, given: StoredValue): boolean {
  return deadlineMs === undefined || (given.deadlineMs !== undefined && deadlineMs >= given.deadlineMs);
}

/** Setting a counter forgets what was counted before; since the same setting, each member's count only grows. */
function coversCounter(own: Counter, given: Counter): boolean {
  const order = compareVersions(own.base, given.base);
  if (order !== 0) return order > 0;
  for (const [nodeId, { increments, decrements }] of given.slots) {
    const reached = own.slots.get(nodeId);
    if (reached === undefined || increments > reached.increments || decrements > reached.decrements) return false;
  }
  return true;
}

/** Additions and removals of both together, less what is removed. */
function coversElement({ isTombstone }: StoredValue, own: Element, given: Element): boolean {
  if (isTombstone !== (own.live.length === 0)) return false;
  const covered = union(own.covered, given.covered).slice(0, MAX_COVERED);
  const live = union(own.live, given.live).filter((dot) => !covered.some((gone) => compareVersions(dot, gone) === 0));
  return areSame(own.covered, covered) && areSame(own.live, live.slice(0, MAX_LIVE));
}

/** Each once, the newest first, as both are. */
function union(a: readonly Version[], b: readonly Version[]): readonly Version[] {
  const all: Version[] = [];
  for (const dot of [...a, ...b].sort((one, other) => compareVersions(other, one))) {
    const last = all.at(-1);
    if (last === undefined || compareVersions(last, dot) !== 0) all.push(dot);
  }
  return all;
}

function areSame(a: readonly Version[], b: readonly Version[]): boolean {
  return a.length === b.length && a.every((dot, i) => b[i] !== undefined && compareVersions(dot, b[i]) === 0);
}

function areSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
