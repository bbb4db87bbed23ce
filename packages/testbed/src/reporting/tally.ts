// Counts and the closing line. Pure.

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const NOTHING: Tally = { passed: 0, failed: 0, skipped: 0 };
const DIED: Tally = { ...NOTHING, failed: 1 };

export function addTallies(a: Tally, b: Tally): Tally {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

export function closingLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** What a test process wrote about itself. A process that died before it wrote anything counts as one failure. */
export function parseTally(text: string | undefined): Tally {
  if (text === undefined) return DIED;
  try {
    return readTally(JSON.parse(text));
  } catch {
    return DIED;
  }
}

/** True when the tally was written completely. */
export function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The CPU seconds in the same text; undefined when it has none. @throws SyntaxError when it is not JSON */
export function parseCpuSeconds(text: string): number | undefined {
  return readCpuSeconds(JSON.parse(text));
}

export function readCpuSeconds(value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { cpuSeconds } = { cpuSeconds: undefined, ...value };
  return typeof cpuSeconds === 'number' ? cpuSeconds : undefined;
}

/** Anything but a tally counts as one failure. */
export function readTally(value: unknown): Tally {
  if (typeof value !== 'object' || value === null) return DIED;
  const { passed, failed, skipped } = { passed: undefined, failed: undefined, skipped: undefined, ...value };
  if (typeof passed !== 'number' || typeof failed !== 'number' || typeof skipped !== 'number') return DIED;
  return { passed, failed, skipped };
}
