// Answers: how much was repaired in each round? A round is told by the counter of rounds, not by samples: several samples lie
// in one round while an operation runs, and several rounds between two samples at rest.

import type { MemberSample } from './sample.ts';

/** From one begin of a round to the next: a sample in which the counter of rounds had risen, and those in which it had not. */
export interface RoundRepairs {
  /** Rounds that began: at least 1, more when samples are far apart. */
  readonly rounds: number;
  /** Records repaired meanwhile. NaN where a figure is missing, which no bound allows. */
  readonly repairs: number;
  /** Index of its last sample. */
  readonly to: number;
}

/** Oldest first. What came before the first begin counts as a round of its own. */
export function roundsOf(samples: readonly MemberSample[], from: number): readonly RoundRepairs[] {
  const found: RoundRepairs[] = [];
  let current: { rounds: number; repairs: number; to: number } | undefined;
  for (let i = from + 1; i < samples.length; i += 1) {
    const before = samples[i - 1];
    const after = samples[i];
    const begun = (after?.rounds ?? Number.NaN) - (before?.rounds ?? Number.NaN);
    const repairs = (after?.repairs ?? Number.NaN) - (before?.repairs ?? Number.NaN);
    if (current !== undefined && begun === 0) {
      current.repairs += repairs;
      current.to = i;
      continue;
    }
    current = { rounds: Math.max(1, begun), repairs, to: i };
    found.push(current);
  }
  return found;
}
