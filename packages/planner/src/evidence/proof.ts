// The stored proof: how evidence becomes a record, and why a record does not count. Never trusts what it reads.

import type { RemovalProof } from '@marekvs/api';
import { type CheckName, checksFor } from './checks.ts';
import type { Covered } from './contents-check.ts';
import type { Evidence } from './evidence.ts';

/** A proof is void when it is older (docs/design/contract.md#the-proof). */
export const PROOF_LIFETIME_MS = 30_000;

export interface ProofAbout {
  readonly operationId: string;
  readonly stage: 'Pre' | 'Post';
  readonly targetUid: string;
  readonly podUid?: string | undefined;
  readonly pvcUid?: string | undefined;
  /** Wall clock. */
  readonly nowMs: number;
  readonly monotonicMs: number;
}

export function proofOf(evidence: Evidence, about: ProofAbout): RemovalProof {
  const { covered } = evidence;
  return {
    operationId: about.operationId,
    stage: about.stage,
    at: new Date(about.nowMs).toISOString(),
    ...(covered === undefined ? {} : coveredFields(covered, about)),
    targetUid: about.targetUid,
    ...(about.podUid === undefined ? {} : { podUID: about.podUid }),
    ...(about.pvcUid === undefined ? {} : { pvcUID: about.pvcUid }),
    topologyHash: evidence.topologyHash,
    generations: { ...evidence.generations },
    inputs: evidence.checks.map(({ name, passed, value }) => ({ name, passed, value })),
  };
}

function coveredFields({ atMs, partitions, records }: Covered, { nowMs, monotonicMs }: ProofAbout) {
  const coveredAt = new Date(nowMs - (monotonicMs - atMs)).toISOString();
  return { coveredAt, partitions, ...(records === undefined ? {} : { records }) };
}

/** What a proof must match now. */
export interface ProofFacts extends Omit<ProofAbout, 'monotonicMs'> {
  /** Of the members' present answers; undefined when not known, which is a problem. */
  readonly topologyHash: string | undefined;
  readonly generations: Readonly<Record<string, string>>;
}

/** Why the proof does not count; undefined when it does. Anybody may have written the record: nothing in it is believed
 *  that does not match what is known now. */
export function proofProblem(proof: RemovalProof | undefined, facts: ProofFacts): string | undefined {
  if (proof === undefined) return 'there is no proof';
  return (
    identityProblem(proof, facts) ??
    timeProblem(proof, facts) ??
    topologyProblem(proof, facts) ??
    inputProblem(proof, facts)
  );
}

function identityProblem(proof: RemovalProof, facts: ProofFacts): string | undefined {
  if (proof.operationId !== facts.operationId) return `the proof belongs to operation ${proof.operationId}`;
  if (proof.stage !== facts.stage) return `the proof is of stage ${proof.stage}`;
  if (proof.targetUid !== facts.targetUid) return 'the proof is about another MarekvsNode';
  if (proof.podUID !== facts.podUid) return 'the proof is about another Pod';
  if (proof.pvcUID !== facts.pvcUid) return 'the proof is about another volume';
  return undefined;
}

/** Clocks of two machines may differ by this much. */
const CLOCK_TOLERANCE_MS = 1_000;

function timeProblem(proof: RemovalProof, { nowMs }: ProofFacts): string | undefined {
  const atMs = Date.parse(proof.at);
  if (Number.isNaN(atMs)) return 'the proof has no time';
  if (atMs > nowMs + CLOCK_TOLERANCE_MS) return `the proof is of ${proof.at}, which is in the future`;
  if (nowMs - atMs > PROOF_LIFETIME_MS) return `the proof of ${proof.at} is older than ${PROOF_LIFETIME_MS / 1000} s`;
  return undefined;
}

function topologyProblem(proof: RemovalProof, facts: ProofFacts): string | undefined {
  if (facts.topologyHash === undefined) return 'what the members show now is not known';
  if (proof.topologyHash !== facts.topologyHash) return 'the members show another list or placement than in the proof';
  const proven = proof.generations ?? {};
  const ids = Object.keys(facts.generations);
  const isSame =
    Object.keys(proven).length === ids.length &&
    ids.every((id) => Object.hasOwn(proven, id) && proven[id] === facts.generations[id]);
  return isSame ? undefined : 'a member was restarted, joined or left since the proof';
}

function inputProblem(proof: RemovalProof, { stage }: ProofFacts): string | undefined {
  const inputs = proof.inputs ?? [];
  const open = inputs.find((input) => input.passed !== true);
  if (open !== undefined) return `the proof's input ${open.name} did not pass`;
  const names: readonly CheckName[] = checksFor(stage === 'Pre' ? 'Proving' : 'Settling');
  const missing = names.find((name) => !inputs.some((input) => input.name === name));
  if (missing !== undefined) return `the proof lacks its input ${missing}`;
  if (inputs.length !== names.length) return `the proof has ${inputs.length} inputs instead of ${names.length}`;
  const coveredMs = Date.parse(proof.coveredAt ?? '');
  if (!(proof.partitions !== undefined && proof.partitions > 0) || Number.isNaN(coveredMs))
    return 'the proof does not say what was compared, and when';
  const beforeMs = Date.parse(proof.at) - coveredMs;
  if (beforeMs < 0) return `the contents were covered at ${proof.coveredAt}, which is after the proof`;
  if (beforeMs > PROOF_LIFETIME_MS)
    return `the contents were covered at ${proof.coveredAt}, which is too long before the proof`;
  return undefined;
}
