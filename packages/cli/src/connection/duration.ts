// Times as people type them: 90s, 10m, 1h.

import { InvalidArgumentError } from 'commander';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds, one second at least. For `argParser`. */
export function duration(text: string): number {
  const [, number, unit = 's'] = /^(\d{1,6})([smh])?$/.exec(text) ?? [];
  const ms = Number(number) * (UNIT_MS[unit] ?? Number.NaN);
  if (ms >= 1_000) return ms;
  throw new InvalidArgumentError('expected a time such as 90s, 10m or 1h');
}

/** Seconds between two readings of a member. For `argParser`. */
export function secondsOf(text: string): number {
  const value = Number(text);
  if (value >= 1 && value <= 60) return value;
  throw new InvalidArgumentError('expected seconds from 1 to 60');
}
