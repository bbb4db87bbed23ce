// From the DELETE of the node to the end of the process: the guards before the DELETE of its Pod, and before the node
// is let go.

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are quoted from the source.

import type { Edit, Mutant } from '../edits/mutant.ts';
import { EARLIER_ANSWERS_COUNT, PROCESSES_ARE_KNOWN } from '../edits/processes.ts';

const DEPARTURE_PROOF = 'planner/src/node/departure-proof.ts';
const NODE_FENCES = 'operator/src/node/steps/fences.ts';
const DEPARTURE = 'planner/src/node/departure.ts';
const PERMIT = 'planner/src/node/departure-permit.ts';

/** An operator that takes over uses no proof but its own, which would hide other faults of a proof. */
export const OF_ANOTHER_PROCESS: Edit = {
  file: DEPARTURE_PROOF,
  text: "  if (proof !== undefined && !o.isProvenHere && !isEnding(o)) return 'another process of the operator has made it';\n",
  replacement: '',
};

export const DEPARTURE_MUTANTS: readonly Mutant[] = [
  {
    name: 'departure/own-clock',
    edits: [OF_ANOTHER_PROCESS],
    caught: { scenario: 'other-clock-after-delete', seed: 1, violation: /^Pod demo-3 goes on a proof \d+ ms old/ },
    without: 'A Pod goes on a proof of minutes ago, since the clock that stamped it was ahead.',
  },
  {
    name: 'departure/operation',
    edits: [
      {
        file: PERMIT,
        text: 'if (operation?.target === undefined) return withoutOperation(o);',
        replacement: 'if (operation?.target === undefined) return undefined;',
      },
    ],
    caught: { scenario: 'by-hand', seed: 1, violation: /^delete pods demo-\d: its node is held, at undefined/ },
    without: 'A node that was deleted by hand goes at once, before another one has joined.',
  },
  {
    name: 'departure/turn',
    edits: [
      {
        file: PERMIT,
        text: "  if (operation.target.uid !== node.uid)\n    return hold('WaitingForTurn', `${node.name} was deleted: ${operation.target.name} is removed first`);\n",
        replacement: '',
      },
    ],
    caught: { scenario: 'dead-two', seed: 1, violation: /^delete pods demo-\d: its node is held, at undefined/ },
    without: 'Two nodes go on the operation of one.',
  },
  {
    name: 'departure/phase',
    edits: [
      {
        file: PERMIT,
        text: "  if (stageOf(operation) !== 'deleting') return gathering(node, operation);\n",
        replacement: '',
      },
    ],
    caught: {
      scenario: 'forced-and-deleted',
      seed: 1,
      violation: /^delete pods demo-\d: its node is held, at Claimed/,
    },
    without: 'A node that is forced out goes before its clients were moved away.',
  },
  {
    name: 'departure/mark',
    edits: [
      { file: PERMIT, text: '  if (!isMarked(node, operation))\n', replacement: '  if (operation.id === undefined)\n' },
    ],
    caught: { scenario: 'other-mark', seed: 1, violation: /^demo-3 goes marked by another removal/ },
    without: 'The mark of another removal is obeyed.',
  },
  {
    name: 'departure/carried',
    edits: [
      {
        file: PERMIT,
        text: "  if (proof?.pre === undefined || removalProof === undefined || !sameValue(proof.pre, removalProof))\n    return hold('WaitingForProof', `${name} was deleted: its proof is being written down`);\n",
        replacement: '',
      },
      OF_ANOTHER_PROCESS,
    ],
    caught: { scenario: 'unstored', seed: 1, violation: /^demo-3 goes on a proof that the removal does not have/ },
    without: 'What the node says of itself lets it go.',
    shared: 'The operator dies in this life, and the next one goes by no proof but its own.',
  },
  {
    name: 'departure/proof',
    edits: [
      {
        file: PERMIT,
        text: '  return problem === undefined ? undefined : hold(',
        replacement: "  return problem !== '' ? undefined : hold(",
      },
    ],
    caught: { scenario: 'silent-at-the-end', seed: 1, violation: /^demo-3 goes while a member is silent/ },
    without: 'The Pod goes although what its proof rests on is not known any more.',
  },
  {
    name: 'departure/ready',
    edits: [
      { file: DEPARTURE_PROOF, text: '  if (absent !== undefined) return absent;\n', replacement: '' },
      ...EARLIER_ANSWERS_COUNT,
    ],
    caught: {
      scenario: 'killed-after-delete',
      seed: 7,
      violation: /^demo-3 goes while 2 others live and 3 are needed/,
    },
    without: 'A process is ended beside one that was killed after the DELETE of its node.',
    shared: PROCESSES_ARE_KNOWN,
  },
  {
    name: 'departure/dead',
    edits: [{ file: PERMIT, text: '      return deadHold(o);', replacement: '      return undefined;' }],
    caught: { scenario: 'back-from-the-dead', seed: 1, violation: /^demo-2 goes as a dead one, and it serves/ },
    without: 'A member that lives again goes without proof.',
  },
  {
    name: 'departure/madeAgain',
    edits: [
      {
        file: 'planner/src/members/replacement.ts',
        text: ' && !mayBeMadeAgain(node, o.nowMs);\n',
        replacement: ' && mayBeMadeAgain !== undefined;\n',
      },
    ],
    caught: { scenario: 'deleted-with-its-pod', seed: 1, violation: /^demo-2 goes as a dead one/ },
    without: 'A deleted node goes without proof because its Pod could not be made again for a moment.',
  },
  {
    name: 'departure/joined',
    edits: [
      { file: PERMIT, text: '      return joinedHold(o);', replacement: '      return undefined;' },
      { file: NODE_FENCES, text: '[targetNeverJoined, decisionIsUnchanged, ', replacement: '[decisionIsUnchanged, ' },
    ],
    caught: {
      scenario: 'joined-after-all',
      seed: 1,
      violation: /^demo-4 goes as one that never joined, and it serves/,
    },
    without: 'A member that has joined after all goes without proof.',
    shared: 'The member itself is asked right before the end of its Pod.',
  },
  {
    name: 'departure/forced',
    edits: [
      {
        file: PERMIT,
        text: '      return isForced(node)\n        ? undefined\n        : hold(',
        replacement: '      return isForced(node) || !isForced(node)\n        ? undefined\n        : hold(',
      },
    ],
    caught: { scenario: 'forced-no-more', seed: 1, violation: /^demo-\d goes although nobody forces it/ },
    without: 'A person who has thought better of it is not heard.',
  },
  {
    name: 'departure/stillShown',
    edits: [{ file: DEPARTURE, text: '  if (showing.length > 0)\n', replacement: '  if (showing.length < 0)\n' }],
    caught: { scenario: 'stuck-list', seed: 11, violation: /^demo-3 is let go while demo-1 still see it/ },
    without: 'The node is gone while members still count on it.',
  },
  {
    name: 'departure/unknownList',
    edits: [
      {
        file: DEPARTURE,
        text: '  if (unknown.length === 0) return undefined;',
        replacement: '  if (unknown.length >= 0) return undefined;',
      },
    ],
    caught: { scenario: 'stuck-list', seed: 16, violation: /^demo-3 is let go while demo-1 still see it/ },
    without: 'A member that does not answer counts as one that has forgotten the other.',
  },
  {
    name: 'departure/listedBefore',
    edits: [
      {
        file: DEPARTURE,
        text: "answer.kind === 'serving' && answer.viewAtMs <= sinceMs;\n",
        replacement: "answer.kind === 'serving' && Number.isNaN(answer.viewAtMs + sinceMs);\n",
      },
    ],
    caught: { scenario: 'last-gossip', seed: 1, violation: /^demo-3 is let go while demo-\d .*still see it/ },
    without: 'The node is gone while members have just heard of it again.',
  },
];
