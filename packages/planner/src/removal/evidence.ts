// Answers: is it proven that every copy of the target is elsewhere (pre), or that the survivors have every copy (post)?
// Pure folds over the members' samples (marekvs.md 5.7 and 11). Who acts on it is the operation's business.

import type { Hold, NodeRecord } from '../observation.ts';
import type { AuditReport } from './audit.ts';
import type { Check } from './checks.ts';
import type { MemberHistory } from './sample.ts';

export type ProofTier = 'Strict' | 'Bounded';

export interface ProofRules {
  readonly tier: ProofTier;
  /** Canaries are part of the proof. */
  readonly audited: boolean;
  readonly replicationFactor: number;
  /** Bounded: most repairs per round, by node id. */
  readonly bounds: ReadonlyMap<number, number>;
  /** No pre-removal proof was possible: twice the rounds. */
  readonly isDead: boolean;
}

export interface Evidence {
  readonly checks: readonly Check[];
  readonly isProven: boolean;
  /** Of the first check that did not pass. */
  readonly missing: Hold | undefined;
  readonly flatRounds: number;
  /** Empty while the members do not agree. */
  readonly topologyHash: string;
  readonly generations: Readonly<Record<string, string>>;
}

export interface PreProofInput {
  readonly nodes: readonly NodeRecord[];
  readonly target: NodeRecord;
  readonly rules: ProofRules;
  readonly histories: readonly MemberHistory[];
  readonly monotonicMs: number;
  readonly audit: AuditReport | undefined;
  /** Idle rounds the cluster had before the isolation began. */
  readonly idleRoundsBefore: number;
}

export interface PostProofInput {
  readonly survivors: readonly NodeRecord[];
  readonly target: { readonly id: number; readonly name: string };
  readonly rules: ProofRules;
  readonly histories: readonly MemberHistory[];
  readonly monotonicMs: number;
  readonly audit: AuditReport | undefined;
}

export function preRemovalEvidence(_input: PreProofInput): Evidence {
  return NOTHING;
}

export function postRemovalEvidence(_input: PostProofInput): Evidence {
  return NOTHING;
}

const NOTHING: Evidence = {
  checks: [],
  isProven: false,
  missing: undefined,
  flatRounds: 0,
  topologyHash: '',
  generations: {},
};
