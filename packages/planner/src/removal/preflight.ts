// Answers: may the removal of this candidate begin now, and if not, what is in the way?

import type { ClusterObservation, Hold } from '../observation.ts';
import type { Candidate } from './candidate.ts';

export interface PreflightCheck {
  readonly name: string;
  readonly passed: boolean;
  readonly value: string;
  readonly hold: Hold | undefined;
}

export interface Preflight {
  readonly checks: readonly PreflightCheck[];
  /** Of the first check that did not pass; undefined when the removal may begin. */
  readonly missing: Hold | undefined;
}

export function preflight(_o: ClusterObservation, _candidate: Candidate): Preflight {
  return { checks: [], missing: { reason: 'NotObserved', message: 'not checked yet', needsPerson: false } };
}

/** Undefined when a removal may be tried; otherwise why the next attempt waits. */
export function retryAllowed(_o: ClusterObservation): Hold | undefined {
  return undefined;
}
