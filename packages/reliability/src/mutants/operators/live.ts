// What is read live before a step that its own precondition does not protect (docs/decisions/live-reads.md): without it
// an operator that is shown the past acts on it.

import { type Mutant, withoutFence } from '../edits/mutant.ts';

const FENCES = 'operator/src/cluster/steps/fences.ts';
const NODE_FENCES = 'operator/src/node/steps/fences.ts';

/** The fences that the creation of a node shares with other steps. */
const CREATE = '    oncePerPass: [clusterIsUnchanged, nodesAreTheSame, volumesAreUnchanged],\n';
/** The fences of the DELETE of a node. */
const DELETE =
  '    rightBefore: [targetIsMarked, removalIsDeleting, nodesAreTheSame, lostVolumesAreLost, othersAreUnchanged],\n';
/** The fences of the end of its Pod, and those before it is let go. */
const END = '    rightBefore: [targetNeverJoined, decisionIsUnchanged, othersAreUnchanged],\n';
const RELEASE = '    rightBefore: [hasOurFinalizer, podIsGone, decisionIsUnchanged, othersAreAsSeen],\n';

const BESIDE = withoutFence('othersAreUnchanged', END, NODE_FENCES);

export const LIVE_MUTANTS: readonly Mutant[] = [
  {
    name: 'live/decision',
    edits: [withoutFence('clusterIsUnchanged', CREATE, FENCES)],
    caught: { scenario: 'unseen-size', seed: 2, violation: /^demo-\d is made for a wish that is past/ },
    without: 'A node is made for a size that nobody wants any more.',
  },
  {
    name: 'live/volume',
    edits: [withoutFence('volumeIsItsOwn', '    rightBefore: [volumeIsItsOwn],\n', NODE_FENCES)],
    caught: {
      scenario: 'volume-swapped-time-travel',
      seed: 10,
      violation: /^demo-\d was on volume \S+ and starts on /,
    },
    without: 'A member starts on an empty claim that was made under the name of its own.',
  },
  {
    name: 'live/volumes',
    edits: [withoutFence('volumesAreUnchanged', CREATE, FENCES)],
    caught: { scenario: 'unseen-claims', seed: 1, violation: /^wait for / },
    without: 'A cluster is made again beside kept volumes that are not seen, and its writes are on those.',
  },
  {
    name: 'live/newVolume',
    edits: [withoutFence('nodeMayHaveNewVolume', '    rightBefore: [nodeMayHaveNewVolume],\n', NODE_FENCES)],
    caught: { scenario: 'unseen-reclaiming', seed: 1, violation: /^a claim is made for demo-3, which is gone/ },
    without: 'An empty claim is made for a node that has gone with its volume, and stays behind under a used id.',
  },
  {
    name: 'live/end',
    edits: [
      {
        file: FENCES,
        text: '    rightBefore: [nodesAreTheSame, targetVolumeIsGone, nodeThatStaysIsAsSeen],\n',
        replacement: '    rightBefore: [],\n',
      },
    ],
    caught: {
      scenario: 'unseen-removal',
      seed: 1,
      violation: /^the removal of demo-3 is given up while its node is there/,
    },
    without:
      'A removal under way is given up because a cache of the past does not show its target yet, and tried again ten minutes later.',
  },
  {
    name: 'live/again',
    edits: [
      {
        file: 'operator/src/cluster/reconciler.ts',
        text: "    if (shownPlan.removal.isUrgent) return { kind: 'requeue', afterMs: STEP_INTERVAL_MS };\n",
        replacement: '',
      },
    ],
    caught: {
      scenario: 'unseen-beginning',
      seed: 1,
      violation: /^the removal of demo-3 is given up while its node is there/,
    },
    without:
      'A pass that began at a cluster without a status, and has read the present one live, ends its removal without a look at its nodes.',
  },
  {
    name: 'live/nodes',
    edits: [withoutFence('nodesAreTheSame', CREATE, FENCES)],
    caught: { scenario: 'unseen-node', seed: 1, violation: /^5 nodes are made, and 4 are wanted/ },
    without: 'A node is made beside one that was made for the same wish.',
  },
  {
    name: 'live/oneTooMany',
    edits: [withoutFence('nodesAreTheSame', DELETE, FENCES)],
    caught: { scenario: 'unseen-second', seed: 1, violation: /^demo-3 is deleted although it is wanted/ },
    without: 'Two nodes go where one was too many.',
  },
  {
    name: 'live/members',
    edits: [withoutFence('othersAreUnchanged', DELETE, FENCES), BESIDE],
    caught: { scenario: 'unseen-ending', seed: 3, violation: /^demo-3 goes while 2 others live and 3 are needed/ },
    without: 'A node goes beside a member whose Pod somebody has just deleted.',
    shared: 'Before the DELETE of the node and before that of its Pod: between the two a Pod may go as well.',
  },
  {
    name: 'live/beside',
    edits: [BESIDE],
    caught: { scenario: 'unseen-eviction', seed: 4, violation: /^demo-2 goes while 2 others live and 3 are needed/ },
    without: 'A node that a person has deleted goes beside a member whose Pod was just deleted as well.',
  },
  {
    name: 'live/endOfPod',
    edits: [withoutFence('decisionIsUnchanged', END, NODE_FENCES)],
    caught: {
      scenario: 'unseen-template',
      seed: 1,
      violation: /^delete pods demo-\d: its node is to stay as it is/,
    },
    without: 'Members of a formed cluster are ended for a template of before.',
  },
  {
    name: 'live/podOfNode',
    edits: [withoutFence('podIsGone', RELEASE, NODE_FENCES)],
    caught: { scenario: 'unseen-pod', seed: 1, violation: /demo-3: it is let go while its Pod is there/ },
    without: 'A node is let go from under a Pod whose process may run.',
  },
  {
    name: 'live/release',
    edits: [withoutFence('decisionIsUnchanged', RELEASE, NODE_FENCES)],
    caught: { scenario: 'unseen-return', seed: 1, violation: /demo-3: it is let go at Proving/ },
    without: 'A node is let go by a removal that has gone back to gathering its proof.',
  },
  {
    name: 'live/askedOthers',
    edits: [withoutFence('othersAreAsSeen', RELEASE, NODE_FENCES)],
    caught: { scenario: 'unseen-address', seed: 7, violation: /^demo-3 is let go while demo-\d .*still see it/ },
    without: 'A node is let go while members still list it that were never asked, because their Pods were not seen.',
  },
  {
    name: 'live/joined',
    edits: [withoutFence('targetNeverJoined', END, NODE_FENCES)],
    caught: {
      scenario: 'joined-at-last',
      seed: 60009,
      violation: /^demo-4 ends as one that never joined, and it has joined/,
    },
    without: 'A member that joined since it was last looked at goes without proof of what it took.',
  },
  {
    name: 'live/goes-on',
    edits: [
      {
        file: 'planner/src/cluster/plan-formed.ts',
        text: '  if (operation === undefined) return planAtRest(o, membership, desired);\n',
        replacement:
          '  if (operation === undefined || (operation.proof !== undefined && !o.isProvenHere)) return planAtRest(o, membership, desired);\n',
      },
    ],
    caught: { scenario: 'killed-at-each-phase', seed: 1, violation: /./ },
    without: 'The next process of an operator begins anew instead of going on with what is stored (F32).',
  },
];
