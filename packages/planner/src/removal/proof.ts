// The stored proof: how evidence becomes a record, and why a record does not count. Never trusts what it reads.

import type { RemovalProof } from '@marekvs/api';
import type { Evidence, ProofRules } from './evidence.ts';

/** A proof is void when it is older (design 4). */
export const PROOF_LIFETIME_MS = 30_000;

export interface ProofAbout {
  readonly operationId: string;
  readonly stage: 'Pre' | 'Post';
  readonly rules: ProofRules;
  readonly targetUid: string;
  readonly podUid?: string | undefined;
  readonly pvcUid?: string | undefined;
  /** Wall clock. */
  readonly nowMs: number;
}

export function proofOf(evidence: Evidence, about: ProofAbout): RemovalProof {
  return {
    operationId: about.operationId,
    stage: about.stage,
    tier: about.rules.tier,
    audited: about.rules.audited,
    at: new Date(about.nowMs).toISOString(),
    flatRounds: evidence.flatRounds,
    targetUid: about.targetUid,
    ...(about.podUid === undefined ? {} : { podUID: about.podUid }),
    ...(about.pvcUid === undefined ? {} : { pvcUID: about.pvcUid }),
    topologyHash: evidence.topologyHash,
    generations: { ...evidence.generations },
    inputs: evidence.checks.map(({ name, passed, value }) => ({ name, passed, value })),
  };
}

/** What a proof must match now. */
export interface ProofFacts {
  readonly operationId: string;
  readonly stage: 'Pre' | 'Post';
  readonly rules: ProofRules;
  readonly targetUid: string;
  readonly podUid: string | undefined;
  readonly pvcUid: string | undefined;
  /** Of the members' present answers; undefined = not known, which is a problem. */
  readonly topologyHash: string | undefined;
  readonly generations: Readonly<Record<string, string>>;
  /** Wall clock. */
  readonly nowMs: number;
}

/** Why the proof does not count, or undefined when it does. */
export function proofProblem(_proof: RemovalProof | undefined, _facts: ProofFacts): string | undefined {
  return 'there is no proof';
}
