// Collects failures from the printed output, to repeat them above the closing line: somebody who sees only the end of a
// long log, as CI shows it, still reads what failed.

/** The line of a failed test, check, or scenario of lives. */
const FAILED = /^ *✗ /;
/** Lines that belong to a failure are indented more than its mark. */
const DETAIL = /^ {6}/;
/** Lines per failure: its title, what was expected, and where. */
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
  /** The failure that the next lines may belong to. */
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
