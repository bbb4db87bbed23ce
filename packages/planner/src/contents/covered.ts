// When does another member have a record of one member? Any doubt means "no". A member's record only ever grows: later
// states contain earlier ones, so whatever covers a later state covers the earlier one, too.

import type { RecordMark, RecordState } from '@marekvs/api';

/** `doubtful`: the home shows another record in this version or a newer one; only the records themselves tell whether
 *  it contains the wanted one. `older`: the home shows an older version, which only some kinds can do and still contain
 *  the wanted one. */
export type MarkVerdict = 'covered' | 'missing' | 'doubtful' | 'older';

/** What the entries tell about a wanted record.
 *  @param source what the source shows for the same hash now
 *  @param home what the home shows for it, read before or after that */
export function judgeMarks(wanted: RecordMark, source: RecordMark, home: RecordMark | undefined): MarkVerdict {
  if (home === undefined) return 'missing';
  if (isSame(home, wanted) || isSame(home, source)) return 'covered';
  return home.version >= wanted.version ? 'doubtful' : 'older';
}

/** Whether the record of the home contains that of the source. Both have to be known and of one kind: what becomes of a
 *  counter that is overwritten elsewhere is not known, so then only equality would tell. */
export function coversRecord(source: RecordState, home: RecordState | undefined): boolean {
  switch (source.kind) {
    case 'replaced':
      // The same version with another content is no copy, and nothing says which of the two wins.
      return home?.kind === 'replaced' && home.version > source.version;
    case 'register':
      return home?.kind === 'register' && home.rank >= source.rank;
    case 'counter':
      return home?.kind === 'counter' && coversCounter(source, home);
  }
}

type Counter = Extract<RecordState, { kind: 'counter' }>;

/** Setting a counter forgets what was counted before. With the same setting, the count of every member has to be
 *  reached. */
function coversCounter(source: Counter, home: Counter): boolean {
  if (source.base.version !== home.base.version) return home.base.version > source.base.version;
  if (source.base.origin !== home.base.origin) return home.base.origin > source.base.origin;
  for (const [nodeId, { increments, decrements }] of source.slots) {
    const reached = home.slots.get(nodeId);
    if (increments > (reached?.increments ?? 0n) || decrements > (reached?.decrements ?? 0n)) return false;
  }
  return true;
}

function isSame(a: RecordMark, b: RecordMark): boolean {
  return a.version === b.version && a.content === b.content;
}
