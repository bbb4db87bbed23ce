// What keeps a resize from doing harm: which members get one in place, when it counts as done, and that it ends.

import type { Mutant } from '../edits/mutant.ts';

const WAY = 'planner/src/operations/rolling/way-of-turn.ts';
const RESIZE = 'planner/src/operations/rolling/resize.ts';
const NODE = 'planner/src/node/node-plan.ts';
const CLUSTER_FENCES = 'operator/src/cluster/steps/fences.ts';
const FENCES = 'operator/src/node/steps/fences.ts';
const REVISIONS = 'planner/src/templates/revisions.ts';

export const RESIZING_MUTANTS: readonly Mutant[] = [
  {
    name: 'resizing/only-resources',
    edits: [
      { file: WAY, text: ' || before.restartHash !== after?.restartHash) return', replacement: ') return' },
      {
        file: WAY,
        text: 'after.resources !== undefined && !mayTakeMemory',
        replacement: 'after?.resources !== undefined && !mayTakeMemory',
      },
    ],
    caught: { scenario: 'rollout', seed: 1, violation: /is called one of/ },
    without: 'A Pod with the old image is called one with the new image.',
    shared: 'The second edit is about the type alone: the first guard has also told that there is a template.',
  },
  {
    name: 'resizing/memory-taken',
    edits: [
      {
        file: WAY,
        text: 'after.resources !== undefined && !mayTakeMemory(pod.resources, after.resources)',
        replacement: 'after.resources !== undefined',
      },
    ],
    caught: { scenario: 'resources-lowered', seed: 1, violation: /in place/ },
    without: 'Memory that a member may have in use is taken from it, and its host kills it.',
  },
  {
    name: 'resizing/confirmed',
    edits: [
      {
        file: NODE,
        text: 'if (isInForce(pod.resources, resources)) return',
        replacement: 'if (isAskedFor(pod.resources, resources)) return',
      },
    ],
    caught: { scenario: 'resources-in-place', seed: 1, violation: /is called one of/ },
    without: 'A Pod is called updated that its host has only been asked to resize.',
  },
  {
    name: 'resizing/patience',
    edits: [
      {
        file: RESIZE,
        text: 'if (o.nowMs - sinceMs <= RESIZE_PATIENCE_MS) return undefined;',
        replacement: 'if (o.nowMs >= sinceMs) return undefined;',
      },
    ],
    caught: { scenario: 'resources-refused', seed: 7, violation: /./ },
    without: 'A host that has no room is waited for for ever, and nobody gets the resources.',
  },
  {
    name: 'resizing/tried-once',
    edits: [{ file: WAY, text: ' || isAttempted(node, revision)) return', replacement: ') return' }],
    caught: { scenario: 'resources-refused', seed: 7, violation: /./ },
    without: 'A Pod that cannot be resized is tried again and again, and never restarted.',
  },
  {
    name: 'resizing/half-resized',
    edits: [
      {
        file: REVISIONS,
        text: 'runningRevision(node) === revision && !isHalfResized(node);',
        replacement: 'runningRevision(node) === revision;',
      },
    ],
    caught: { scenario: 'resources-set-back', seed: 2, violation: /is called changed/ },
    without: 'A Pod that has the resources of a change that was set back is called one with those that are asked for.',
  },
  {
    name: 'resizing/permit-live',
    edits: [
      {
        file: FENCES,
        text: '  resizePod: {\n    rightBefore: [decisionIsUnchanged],',
        replacement: '  resizePod: {\n    rightBefore: [],',
      },
    ],
    caught: { scenario: 'resources-behind', seed: 5, violation: /is called changed/ },
    without:
      'An operator that hears of nodes late gives a Pod the resources of a permit that is not in force any more.',
  },
  {
    name: 'resizing/end-as-seen',
    edits: [
      {
        file: CLUSTER_FENCES,
        text: '[nodesAreTheSame, targetVolumeIsGone, nodeThatStaysIsAsSeen]',
        replacement: '[nodesAreTheSame, targetVolumeIsGone]',
      },
    ],
    caught: { scenario: 'resources-behind', seed: 3, violation: /is called changed/ },
    without: 'An operator that hears of nodes late ends a turn whose Pod was just let to have other resources.',
  },
  {
    name: 'resizing/permit-used-up',
    edits: [
      {
        file: RESIZE,
        text: 'if (pod.resizedBy === record.id)',
        replacement: 'if (pod.resizedBy === record.type)',
      },
    ],
    caught: { scenario: 'resources-behind', seed: 2, violation: /not within/ },
    without: 'What is set back once a Pod has it is permitted with a used permit, every second, and never done.',
  },
];
