// A stored proof counts only while every field of it matches what is known now: editing it by hand gains nothing.

import type { RemovalProof } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { PROOF_LIFETIME_MS, type ProofFacts, presentTopology, proofOf, proofProblem } from '../../src/index.ts';
import { MONOTONIC_MS, NOW_MS } from '../support/builders.ts';
import { post, pre, sealedFive } from '../support/proofs.ts';

const evidence = pre();
const present = presentTopology(sealedFive);
const about = {
  operationId: '4-abc',
  stage: 'Pre',
  targetUid: 'node-uid-4',
  podUid: 'sealed-pod-uid-4',
  pvcUid: 'volume-uid-4',
} as const;
const at = { nowMs: NOW_MS, monotonicMs: MONOTONIC_MS };
const proof = proofOf(evidence, { ...about, ...at });
const facts: ProofFacts = {
  ...about,
  topologyHash: present?.hash,
  generations: present?.generations ?? {},
  nowMs: NOW_MS + 1_000,
};

const problem = (change: Partial<RemovalProof> = {}, now: Partial<ProofFacts> = {}) =>
  proofProblem({ ...proof, ...change }, { ...facts, ...now });

describe('a stored proof', () => {
  it('counts as it was written', () => {
    expect(problem()).to.equal(undefined);
  });
  it('names the topology that the members themselves show', () => {
    expect(proof.topologyHash).to.equal(present?.hash);
    expect(proof.generations).to.deep.equal(present?.generations);
  });
  it('names what was compared, and when on the wall clock', () => {
    expect(proof).to.deep.include({
      at: new Date(NOW_MS).toISOString(),
      coveredAt: new Date(NOW_MS - 2_000).toISOString(),
      partitions: 4_096,
      records: 1_004,
    });
  });
  it('omits the number of records when it is unknown', () => {
    const { covered } = evidence;
    if (covered === undefined) throw new Error('not covered');
    const unknown = proofOf({ ...evidence, covered: { ...covered, records: undefined } }, { ...about, ...at });
    expect('records' in unknown).to.equal(false);
    expect(proofProblem(unknown, facts)).to.equal(undefined);
  });
  it('is unchanged after being stored and read', () => {
    expect(proofProblem(JSON.parse(JSON.stringify(proof)), facts)).to.equal(undefined);
  });
  it('does not count when it is absent or malformed', () => {
    expect(proofProblem(undefined, facts)).to.equal('there is no proof');
  });

  const { podUID: _pod, ...withoutPod } = proof;
  const { pvcUID: _pvc, ...withoutVolume } = proof;
  const { generations: _lives, ...withoutLives } = proof;
  const { inputs: _inputs, ...withoutInputs } = proof;
  const { coveredAt: _covered, ...withoutMoment } = proof;
  const { partitions: _partitions, ...withoutPartitions } = proof;
  const inputs = proof.inputs ?? [];
  const edits: readonly (readonly [string, RemovalProof])[] = [
    ['operationId', { ...proof, operationId: '4-abd' }],
    ['stage', { ...proof, stage: 'Post' }],
    ['at, in the future', { ...proof, at: new Date(facts.nowMs + 60_000).toISOString() }],
    ['at, long ago', { ...proof, at: new Date(facts.nowMs - 60_000).toISOString() }],
    ['at, no time', { ...proof, at: 'yesterday' }],
    ['targetUid', { ...proof, targetUid: 'node-uid-3' }],
    ['podUID', { ...proof, podUID: 'pod-uid-3' }],
    ['podUID, taken out', withoutPod],
    ['pvcUID', { ...proof, pvcUID: 'volume-uid-3' }],
    ['pvcUID, taken out', withoutVolume],
    ['topologyHash', { ...proof, topologyHash: '0123456789abcdef' }],
    ['topologyHash, empty', { ...proof, topologyHash: '' }],
    ['generations, one changed', { ...proof, generations: { ...proof.generations, 2: '1' } }],
    ['generations, one more', { ...proof, generations: { ...proof.generations, 9: '1' } }],
    [
      'generations, another id',
      {
        ...proof,
        generations: { 0: '1767225600', 1: '1767225601', 2: '1767225602', 3: '1767225603', 9: '1767225604' },
      },
    ],
    ['generations, taken out', withoutLives],
    ['inputs, taken out', withoutInputs],
    ['inputs, one twice', { ...proof, inputs: [...inputs, ...inputs.slice(0, 1)] }],
    [
      'inputs, an unknown one for a known one',
      { ...proof, inputs: [{ name: 'mine', passed: true }, ...inputs.slice(1)] },
    ],
    ['coveredAt, too long before', { ...proof, coveredAt: new Date(NOW_MS - PROOF_LIFETIME_MS - 1).toISOString() }],
    ['coveredAt, after the proof', { ...proof, coveredAt: new Date(NOW_MS + 1).toISOString() }],
    ['coveredAt, no time', { ...proof, coveredAt: 'yesterday' }],
    ['coveredAt, taken out', withoutMoment],
    ['partitions, none', { ...proof, partitions: 0 }],
    ['partitions, no number', { ...proof, partitions: Number.NaN }],
    ['partitions, taken out', withoutPartitions],
    ...inputs.map((input, index): [string, RemovalProof] => [
      `inputs, ${input.name} taken out`,
      { ...proof, inputs: inputs.toSpliced(index, 1) },
    ]),
    ...inputs.map((input, index): [string, RemovalProof] => [
      `inputs, ${input.name} not passed`,
      { ...proof, inputs: inputs.with(index, { ...input, passed: false }) },
    ]),
  ];
  for (const [title, edited] of edits)
    it(`does not count when edited by hand: ${title}`, () => {
      expect(proofProblem(edited, facts)).to.be.a('string');
    });
  it('has no field that can be edited without voiding it', () => {
    // The number of records is an estimate for people: nothing follows from it.
    const fields = new Set(['records', ...edits.map(([title]) => title.split(',')[0])]);
    expect(Object.keys(proof).filter((field) => !fields.has(field))).to.deep.equal([]);
  });

  it('counts for 30 s, and not a millisecond longer', () => {
    expect(problem({}, { nowMs: NOW_MS + PROOF_LIFETIME_MS })).to.equal(undefined);
    expect(problem({}, { nowMs: NOW_MS + PROOF_LIFETIME_MS + 1 })).to.match(/older than 30 s$/);
  });
  it('counts up to a second before its time, since the clocks of two machines may differ, and no earlier', () => {
    expect(problem({}, { nowMs: NOW_MS - 1_000 })).to.equal(undefined);
    expect(problem({}, { nowMs: NOW_MS - 1_001 })).to.match(/in the future$/);
  });
  it('counts when the contents were covered up to 30 s before it', () => {
    const covered = (ms: number) => problem({ coveredAt: new Date(NOW_MS - ms).toISOString() });
    expect(covered(0)).to.equal(undefined);
    expect(covered(PROOF_LIFETIME_MS)).to.equal(undefined);
    expect(covered(PROOF_LIFETIME_MS + 1)).to.match(/too long before the proof$/);
  });
  it('does not count when a clock jumped by a day, in either direction', () => {
    for (const jumpMs of [-86_400_000, 86_400_000]) expect(problem({}, { nowMs: NOW_MS + jumpMs })).to.be.a('string');
  });

  const worlds: readonly (readonly [string, Partial<ProofFacts>])[] = [
    ['another operation is under way', { operationId: '4-abd' }],
    ['it is asked for the other stage', { stage: 'Post' }],
    ['the node is another one of the same name', { targetUid: 'new' }],
    ['its Pod is another one', { podUid: 'new' }],
    ['its Pod is gone', { podUid: undefined }],
    ['its volume is another one', { pvcUid: 'new' }],
    ['the members show another list', { topologyHash: 'new' }],
    ['what the members show is not known', { topologyHash: undefined }],
    ['a member was restarted', { generations: { ...facts.generations, 2: '99' } }],
    ['a member is gone', { generations: {} }],
  ];
  for (const [title, now] of worlds)
    it(`does not count when ${title}`, () => {
      expect(problem({}, now)).to.be.a('string');
    });

  it('does not count when its evidence was not complete', () => {
    const early = proofOf(pre({}, { comparison: undefined }), { ...about, ...at });
    expect([early.coveredAt, early.partitions]).to.deep.equal([undefined, undefined]);
    expect(proofProblem(early, facts)).to.equal("the proof's input contents did not pass");
  });
  it('counts among the survivors without a Pod, and with fewer inputs', () => {
    const after = post();
    const of = { ...about, stage: 'Post', podUid: undefined } as const;
    const stored = proofOf(after, { ...of, ...at });
    const now = { ...facts, ...of, topologyHash: after.topologyHash, generations: after.generations };
    expect('podUID' in stored).to.equal(false);
    expect(stored.partitions).to.equal(16_384);
    expect(proofProblem(stored, now)).to.equal(undefined);
    expect(proofProblem(stored, { ...now, stage: 'Pre' })).to.be.a('string');
  });
});
