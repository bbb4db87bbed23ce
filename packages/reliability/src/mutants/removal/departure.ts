// From the stored proof to the end of the process: the guards before the DELETE of the node, before the DELETE of its
// Pod, and before the node is let go.

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are quoted from the source.

import type { Edit, Mutant } from '../edits/mutant.ts';
import { EARLIER_ANSWERS_COUNT, PROCESSES_ARE_KNOWN } from '../edits/processes.ts';

const DEPARTURE_PROOF = 'planner/src/node/departure-proof.ts';
const FENCES = 'operator/src/cluster/steps/fences.ts';
const NODE_FENCES = 'operator/src/node/steps/fences.ts';
const DELETING = 'planner/src/operations/removal/deleting.ts';
const DEPARTURE = 'planner/src/node/departure.ts';
const EXECUTE = 'operator/src/cluster/steps/execute.ts';
const PERMIT = 'planner/src/node/departure-permit.ts';

/** An operator that takes over uses no proof but its own, which would hide other faults of a proof. */
export const OF_ANOTHER_PROCESS: Edit = {
  file: DEPARTURE_PROOF,
  text: "  if (proof !== undefined && !o.isProvenHere && !isEnding(o)) return 'another process of the operator has made it';\n",
  replacement: '',
};

export const DEPARTURE_MUTANTS: readonly Mutant[] = [
  {
    name: 'live/claim',
    edits: [
      {
        file: FENCES,
        text: '    rightBefore: [clusterIsUnclaimed, nodesAreTheSame, lostVolumesAreLost],\n',
        replacement: '    rightBefore: [],\n',
      },
    ],
    caught: {
      scenario: 'unseen-deletion',
      seed: 2,
      violation: /^the removal of demo-3 begins while demo-1 is being deleted/,
    },
    without: 'A second node goes beside one whose deletion the cache has not heard of.',
  },
  {
    name: 'live/delete',
    edits: [{ file: FENCES, text: '[targetIsMarked, removalIsDeleting, ', replacement: '[targetIsMarked, ' }],
    caught: { scenario: 'unseen-change', seed: 1, violation: /^demo-3 is deleted although it is wanted again/ },
    without: 'A node is deleted that a person has just asked to keep.',
  },
  {
    name: 'live/version',
    edits: [{ file: EXECUTE, text: '{ uid, resourceVersion }, { signal });', replacement: '{ uid }, { signal });' }],
    caught: {
      scenario: 'late-delete',
      seed: 1,
      violation: /^demo-3 is deleted by a request from before it was taken back/,
    },
    without: 'A DELETE that was long under way hits a node that was taken back.',
  },
  {
    name: 'live/unstarted',
    edits: [
      {
        file: 'operator/src/node/steps/execute.ts',
        text: "why === 'TemplateOutdated' ? { name, uid, resourceVersion } : { name, uid }",
        replacement: '{ name, uid, resourceVersion: why === undefined ? resourceVersion : undefined }',
      },
    ],
    caught: { scenario: 'unseen-start', seed: 1, violation: /^delete pods demo-2: its node is to stay as it is/ },
    without: 'A member that runs is ended as one that cannot, by somebody who saw it before it had a host.',
  },
  {
    name: 'deleting/other-pod',
    edits: [
      {
        file: DELETING,
        text: ' || isOfAnotherPod || isOfAnotherLife(scope, node);',
        replacement: ' || (isOfAnotherPod && isOfAnotherLife(scope, node) && scope === undefined);',
      },
    ],
    caught: {
      scenario: 'pod-deleted-before-delete',
      seed: 1,
      violation: /^node demo-3 is deleted on the proof of an earlier Pod/,
    },
    without: 'A node is deleted on what was proven of a Pod that is gone.',
  },
  {
    name: 'deleting/written-over',
    edits: [
      {
        file: DELETING,
        text: '!isCarried(scope, node) && isLostForGood(o, node))\n',
        replacement: '!isCarried(scope, node) && isLostForGood(o, node) && scope === undefined)\n',
      },
    ],
    caught: { scenario: 'proof-written-over', seed: 1, violation: /^wait for rest at 3/ },
    without: 'A node whose process has ended, and whose proof and volume are gone, stays for ever.',
  },
  {
    name: 'deleting/evidence',
    edits: [
      {
        file: DELETING,
        text: '  if (!evidence.isProven) {\n',
        replacement: '  if (!evidence.isProven && scope === undefined) {\n',
      },
    ],
    caught: { scenario: 'last-moment', seed: 1, violation: /^demo-3 is deleted while a member is silent/ },
    without: 'The node is deleted on a proof that would not be given any more.',
  },
  {
    name: 'deleting/carried',
    edits: [
      {
        file: DELETING,
        text: '  if (!isCarried(scope, node))\n',
        replacement: '  if (!isCarried(scope, node) && scope === undefined)\n',
      },
      {
        file: 'operator/src/cluster/steps/live-checks.ts',
        text: '  return isCarried || !goesByProof(operation) ? ',
        replacement: '  return isCarried || goesByProof(operation) !== undefined ? ',
      },
    ],
    caught: { scenario: 'unsaid', seed: 1, violation: /^node demo-3 is deleted (?:without a proof|on a proof)/ },
    without: 'The node is deleted before it carries what lets it go.',
    shared: 'The cache is asked, and the live node right before the DELETE.',
  },
  {
    name: 'deleting/renewed',
    edits: [
      {
        file: DELETING,
        text: '  if (isToBeRenewed(scope, node)) return store(renewed(scope, node, evidence), contents);\n',
        replacement: '',
      },
      {
        file: DELETING,
        text: "  return isOld(scope) ? store(inPhase(rest, 'Proving', scope.o.nowMs)) : proceed(scope.record, {});",
        replacement: "  return rest.id === '' ? store(rest) : proceed(scope.record, {});",
      },
    ],
    caught: { scenario: 'paused-with-proof', seed: 1, violation: /^node demo-3 is deleted on a proof \d+ ms old/ },
    without: 'The node is deleted on a proof that is long void.',
    shared: 'Evidence that falls apart voids an old proof, evidence that stands renews it.',
  },
  {
    name: 'deleting/own-clock',
    edits: [
      {
        file: DELETING,
        text: 'return isOld(scope) || !scope.o.isProvenHere || ',
        replacement: 'return isOld(scope) || ',
      },
    ],
    caught: {
      scenario: 'other-clock-before-delete',
      seed: 1,
      violation: /^node demo-3 is deleted on a proof \d+ ms old/,
    },
    without: 'A proof of minutes ago looks young, since the clock that stamped it was ahead.',
  },
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
        text: "  if (operation.phase !== 'Deleting' && operation.phase !== 'Departing') return gathering(node, operation);\n",
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
        text: '      sibling.answer.viewAtMs <= podGoneSinceMs + LAST_GOSSIP_MS,\n',
        replacement: '      Number.isNaN(sibling.answer.viewAtMs + podGoneSinceMs + LAST_GOSSIP_MS),\n',
      },
    ],
    caught: { scenario: 'last-gossip', seed: 1, violation: /^demo-3 is let go while demo-\d .*still see it/ },
    without: 'The node is gone while members have just heard of it again.',
  },
];
