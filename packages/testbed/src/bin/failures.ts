// Keeps what failed from all that is printed, to be told once more above the closing line: who sees only the end of a
// long log, as CI shows it, still reads what it is about.

/** A test's line starts so, as that of a check and of a scenario of lives. */
const FAILED = /^ *✗ /;
/** What belongs to a failure is farther to the right than its mark. */
const DETAIL = /^ {6}/;
/** Of one failure: its line, what was expected, and where. */
const MOST_LINES = 12;
const MOST_FAILURES = 20;

export interface Failures {
  /** Sees the output as it comes, in pieces of any length. */
  see(text: string): void;
  /** What failed so far, at most 20 of them with at most 12 lines each; empty when nothing did. */
  tell(): string;
}

export function createFailures(): Failures {
  const found: string[][] = [];
  /** What the next lines may belong to. */
  let latest: string[] | undefined;
  let rest = '';
  function seeLine(line: string): void {
    if (FAILED.test(line)) {
      latest = [line];
      found.push(latest);
    } else if (DETAIL.test(line)) latest?.push(line);
    else latest = undefined;
  }
  return {
    see(text) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) seeLine(line);
    },
    tell() {
      if (found.length === 0) return '';
      const shown = found.slice(0, MOST_FAILURES).flatMap((lines) => lines.slice(0, MOST_LINES));
      const more = found.length > MOST_FAILURES ? [`  and ${found.length - MOST_FAILURES} more`] : [];
      return ['What failed:', ...shown, ...more, ''].join('\n');
    },
  };
}
