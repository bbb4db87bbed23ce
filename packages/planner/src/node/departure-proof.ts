// Answers: does this proof let this node go at this moment? The rules are those of every proof (removal/proof.ts). Here
// it is compared with the operation under way, the node's own Pod and volume, and what the members show now.

import type { RemovalProof } from '@marekvs/api';
import { absence } from '../evidence/answers.ts';
import { type ProofFacts, proofProblem } from '../evidence/proof.ts';
import { hasProcess } from '../members/member-state.ts';
import { presentTopology } from '../members/topology.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import { type NodeObservation, othersOf, ownPod } from './node-step.ts';

/** Why this proof does not let the node go at this moment; undefined when it does. */
export function removalProofProblem(o: NodeObservation, proof: RemovalProof | undefined): string | undefined {
  const { node, operation } = o;
  if (operation === undefined) return 'there is no operation';
  const absent = isEnding(o) ? undefined : absentWitness(o, proof);
  if (absent !== undefined) return absent;
  // Its age is by the clock of another process and worth nothing. The cluster stores its next proof at once.
  if (proof !== undefined && !o.isProvenHere && !isEnding(o)) return 'another process of the operator has made it';
  const topology = presentTopology(witnesses(o, proof));
  const facts: ProofFacts = {
    operationId: operation.id,
    stage: 'Pre',
    targetUid: node.uid,
    podUid: ownPod(o)?.uid,
    pvcUid: node.recordedVolumeUid,
    topologyHash: topology?.hash,
    generations: topology?.generations ?? {},
    nowMs: o.nowMs,
  };
  return proofProblem(proof, isEnding(o) && proof !== undefined ? factsAtItsEnd(facts, proof) : facts);
}

/** The members in the proof, and those that run now: a node that never joined, or never will answer again, is
 *  neither. */
function witnesses({ siblings }: NodeObservation, proof: RemovalProof | undefined): readonly NodeRecord[] {
  const runs = (node: NodeRecord) => hasProcess(node) && (node.pod?.isReady === true || node.answer.kind === 'serving');
  return siblings.filter((sibling) => isIn(proof, sibling) || runs(sibling));
}

function isIn(proof: RemovalProof | undefined, { id }: NodeRecord): boolean {
  return Object.hasOwn(proof?.generations ?? {}, id);
}

/** Why a member of the proof is not there to go on serving without this one; undefined when all are. */
function absentWitness(o: NodeObservation, proof: RemovalProof | undefined): string | undefined {
  const others = othersOf(o).filter((other) => isIn(proof, other));
  return others.map((other) => absence(other)?.message).find((message) => message !== undefined);
}

/** While the process ends, the members' answers change because of that and the proof ages. Only the identities still
 *  have to match. */
function factsAtItsEnd(facts: ProofFacts, proof: RemovalProof): ProofFacts {
  return {
    ...facts,
    podUid: facts.podUid ?? proof.podUID,
    topologyHash: proof.topologyHash,
    generations: proof.generations ?? {},
    nowMs: Date.parse(proof.at),
  };
}

/** True when the node is being deleted and has no Pod of its own but a terminating one. */
export function isEnding(o: NodeObservation): boolean {
  return o.node.isDeleting && !hasProcess(o.node);
}
