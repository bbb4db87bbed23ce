// From the stored proof to the DELETE of the node: the guards of its phase, and what is read live right before it.

import type { Mutant } from '../edits/mutant.ts';

const FENCES = 'operator/src/cluster/steps/fences.ts';
const DELETING = 'planner/src/operations/removal/deleting.ts';
const EXECUTE = 'operator/src/cluster/steps/execute.ts';

export const DELETING_MUTANTS: readonly Mutant[] = [
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
        text: 'isAsSeen === true ? { name, uid, resourceVersion } : { name, uid }',
        replacement: '{ name, uid, resourceVersion: isAsSeen === undefined ? resourceVersion : undefined }',
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
        text: '!isCarried(scope, node) ? lostForGood(scope, node) : undefined;',
        replacement: '!isCarried(scope, node) && scope === undefined ? lostForGood(scope, node) : undefined;',
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
];
