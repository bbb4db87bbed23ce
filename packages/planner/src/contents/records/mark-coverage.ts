// When does another member have a record of one member? Any doubt means "no". A member's record only ever grows: later
// states contain earlier ones, so whatever covers a later state covers the earlier one, too.

import type { RecordMark } from '@marekvs/api';

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

function isSame(a: RecordMark, b: RecordMark): boolean {
  return a.version === b.version && a.content === b.content;
}
