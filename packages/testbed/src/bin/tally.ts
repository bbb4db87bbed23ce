// Counts and the closing line. Pure.

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const NOTHING: Tally = { passed: 0, failed: 0, skipped: 0 };

export function addTallies(a: Tally, b: Tally): Tally {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

export function closingLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** What a test process wrote about itself. A process that died before it wrote anything counts as one failure. */
export function parseTally(text: string | undefined): Tally {
  const died: Tally = { passed: 0, failed: 1, skipped: 0 };
  if (text === undefined) return died;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return died;
    const { passed, failed, skipped } = { passed: undefined, failed: undefined, skipped: undefined, ...value };
    if (typeof passed !== 'number' || typeof failed !== 'number' || typeof skipped !== 'number') return died;
    return { passed, failed, skipped };
  } catch {
    return died;
  }
}
