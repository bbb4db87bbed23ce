// What a replica of mode `static` notes on its own lease about all of them: among how many replicas it has seen anybody
// share, and whether nobody can be working by another count. One that has just started relies on it. Text that people
// can read, too.
import { MAX_REPLICAS } from '../slots/assignment.ts';

export interface CountsNote {
  /** Ascending; the own one is among them. */
  readonly counts: readonly number[];
  /** Nobody works by any other count. */
  readonly isComplete: boolean;
}

const COMPLETE = ' and no others';

export function formatCountsNote({ counts, isComplete }: CountsNote): string {
  return `${counts.join(', ')}${isComplete ? COMPLETE : ''}`;
}

/** Undefined when the text is not a valid note. */
export function parseCountsNote(text: string | undefined): CountsNote | undefined {
  if (text === undefined) return undefined;
  const isComplete = text.endsWith(COMPLETE);
  const listed = isComplete ? text.slice(0, -COMPLETE.length) : text;
  if (!/^\d{1,2}(, \d{1,2})*$/.test(listed)) return undefined;
  const counts = listed.split(', ').map(Number);
  return counts.every((count) => count >= 1 && count <= MAX_REPLICAS) ? { counts, isComplete } : undefined;
}
