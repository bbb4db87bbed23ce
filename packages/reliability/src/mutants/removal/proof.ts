// What a stored proof is checked against before the process of its node is ended.

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are quoted from the source.

import type { Mutant } from '../edits/mutant.ts';
import { OF_ANOTHER_PROCESS } from './departure.ts';

const DELETING = 'planner/src/operations/removal/deleting.ts';
const PROOF = 'planner/src/evidence/proof.ts';

export const PROOF_MUTANTS: readonly Mutant[] = [
  {
    name: 'proof/operation',
    edits: [
      {
        file: PROOF,
        text: '  if (proof.operationId !== facts.operationId) return `the proof belongs to operation ${proof.operationId}`;\n',
        replacement: '',
      },
    ],
    caught: { scenario: 'altered/operation', seed: 1, violation: /^demo-3 goes on a proof that somebody has altered/ },
    without: 'The proof of another removal lets the node go.',
  },
  {
    name: 'proof/stage',
    edits: [
      {
        file: PROOF,
        text: '  if (proof.stage !== facts.stage) return `the proof is of stage ${proof.stage}`;\n',
        replacement: '',
      },
    ],
    caught: { scenario: 'altered/stage', seed: 1, violation: /^demo-3 goes on a proof that somebody has altered/ },
    without: 'A proof among the survivors lets the node go.',
  },
  {
    name: 'proof/targetUid',
    edits: [
      {
        file: PROOF,
        text: "  if (proof.targetUid !== facts.targetUid) return 'the proof is about another MarekvsNode';\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'altered/target', seed: 1, violation: /^Pod demo-3 goes on the proof of another node/ },
    without: 'The proof of another node lets this one go.',
  },
  {
    name: 'proof/podUid',
    edits: [
      {
        file: PROOF,
        text: "  if (proof.podUID !== facts.podUid) return 'the proof is about another Pod';\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'altered/pod', seed: 1, violation: /^Pod demo-3 goes on the proof of an earlier Pod/ },
    without: 'The proof of an earlier process lets this one go.',
  },
  {
    name: 'proof/pvcUid',
    edits: [
      {
        file: PROOF,
        text: "  if (proof.pvcUID !== facts.pvcUid) return 'the proof is about another volume';\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'altered/volume', seed: 1, violation: /^demo-3 goes on a proof that somebody has altered/ },
    without: 'A proof about another volume lets the node go.',
  },
  {
    name: 'proof/time',
    edits: [{ file: PROOF, text: "  if (Number.isNaN(atMs)) return 'the proof has no time';\n", replacement: '' }],
    caught: { scenario: 'altered/timeless', seed: 1, violation: /^demo-3 goes on a proof that somebody has altered/ },
    without: 'A proof of no time lets the node go.',
  },
  {
    name: 'proof/future',
    edits: [
      {
        file: PROOF,
        text: '  if (atMs > nowMs + CLOCK_TOLERANCE_MS) return `the proof is of ${proof.at}, which is in the future`;\n',
        replacement: '',
      },
    ],
    caught: { scenario: 'altered/future', seed: 1, violation: /^demo-3 goes on a proof that somebody has altered/ },
    without: 'A proof from the future lets the node go.',
  },
  {
    name: 'proof/lifetime',
    edits: [
      {
        file: PROOF,
        text: '  if (nowMs - atMs > PROOF_LIFETIME_MS) return `the proof of ${proof.at} is older than ${PROOF_LIFETIME_MS / 1000} s`;\n',
        replacement: '',
      },
    ],
    caught: { scenario: 'altered/old', seed: 1, violation: /^Pod demo-3 goes on a proof \d+ ms old/ },
    without: 'A proof that is long void lets the node go.',
  },
  {
    name: 'proof/topologyKnown',
    edits: [
      {
        file: PROOF,
        text: "  if (facts.topologyHash === undefined) return 'what the members show now is not known';\n",
        replacement: '',
      },
      {
        file: PROOF,
        text: "  if (proof.topologyHash !== facts.topologyHash) return 'the members show another list or placement than in the proof';\n",
        replacement: '',
      },
      {
        file: PROOF,
        text: "  return isSame ? undefined : 'a member was restarted, joined or left since the proof';\n",
        replacement: '  return undefined;\n',
      },
      OF_ANOTHER_PROCESS,
    ],
    caught: { scenario: 'silent-at-the-end', seed: 1, violation: /^demo-3 goes while a member is silent/ },
    without: 'The node goes while it is not known what the members show.',
    shared:
      'What is not known equals no hash and no generations either, so this one only says it better; and the operator that takes over in this life goes by no proof but its own.',
  },
  {
    name: 'proof/topology',
    edits: [
      {
        file: PROOF,
        text: "  if (proof.topologyHash !== facts.topologyHash) return 'the members show another list or placement than in the proof';\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'altered/topology', seed: 1, violation: /^demo-3 goes on a proof that somebody has altered/ },
    without: 'The node goes although the members show another placement by now.',
  },
  {
    name: 'proof/generations',
    edits: [
      {
        file: PROOF,
        text: "  return isSame ? undefined : 'a member was restarted, joined or left since the proof';\n",
        replacement: '  return undefined;\n',
      },
      { file: DELETING, text: 'isOfAnotherLife(scope, node) ? withoutProof(scope) : ', replacement: '' },
    ],
    caught: {
      scenario: 'altered/generations',
      seed: 1,
      violation: /^demo-3 goes on a proof that somebody has altered/,
    },
    without: 'The node goes although a member was restarted since.',
    shared: 'As long as the evidence is not whole again, the cluster takes back a proof of another life as well.',
  },
  {
    name: 'proof/passed',
    edits: [
      {
        file: PROOF,
        text: "  if (open !== undefined) return `the proof's input ${open.name} did not pass`;\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'altered/failed', seed: 1, violation: /^demo-3 goes on a proof that somebody has altered/ },
    without: 'A proof whose inputs did not pass lets the node go.',
  },
  {
    name: 'proof/lacking',
    edits: [
      {
        file: PROOF,
        text: '  if (missing !== undefined) return `the proof lacks its input ${missing}`;\n',
        replacement: '',
      },
    ],
    caught: { scenario: 'altered/lacking', seed: 1, violation: /^demo-3 goes on a proof that somebody has altered/ },
    without: 'A proof that lacks inputs lets the node go.',
  },
  {
    name: 'proof/surplus',
    edits: [
      {
        file: PROOF,
        text: '  if (inputs.length !== names.length) return `the proof has ${inputs.length} inputs instead of ${names.length}`;\n',
        replacement: '',
      },
    ],
    caught: { scenario: 'altered/surplus', seed: 1, violation: /^demo-3 goes on a proof that somebody has altered/ },
    without: 'A proof with an input twice lets the node go.',
  },
  {
    name: 'proof/nothing',
    edits: [
      {
        file: PROOF,
        text: "    return 'the proof does not say what was compared, and when';\n",
        replacement: '    return undefined;\n',
      },
    ],
    caught: { scenario: 'altered/nothing', seed: 1, violation: /^demo-3 goes on a proof that somebody has altered/ },
    without: 'A proof for which nothing was compared lets the node go.',
  },
  {
    name: 'proof/later',
    edits: [
      {
        file: PROOF,
        text: '  if (beforeMs < 0) return `the contents were covered at ${proof.coveredAt}, which is after the proof`;\n',
        replacement: '',
      },
    ],
    caught: { scenario: 'altered/later', seed: 1, violation: /^demo-3 goes on a proof that somebody has altered/ },
    without: 'A proof by contents of the future lets the node go.',
  },
  {
    name: 'proof/stale',
    edits: [
      {
        file: PROOF,
        text: '    return `the contents were covered at ${proof.coveredAt}, which is too long before the proof`;\n',
        replacement: '    return undefined;\n',
      },
    ],
    caught: { scenario: 'altered/stale', seed: 1, violation: /^demo-3 goes on a proof that somebody has altered/ },
    without: 'A proof by contents of long before lets the node go.',
  },
];
