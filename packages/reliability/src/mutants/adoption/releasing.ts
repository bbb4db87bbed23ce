// What keeps the operator from letting members go without a StatefulSet, to one that would end them, or with half of it
// undone (docs/decisions/adopting-and-releasing.md).

import { type Mutant, withoutFence } from '../edits/mutant.ts';

const PLAN = 'planner/src/releasing/plan.ts';
const OBSTACLE = 'planner/src/releasing/obstacle.ts';
const SET = 'operator/src/objects/released-set.ts';
const FENCES = 'operator/src/node/steps/fences.ts';
const CLUSTER_FENCES = 'operator/src/cluster/steps/fences.ts';
const LET_GO = '    rightBefore: [podIsToBeLetGo, setIsThere],\n';

export const RELEASE_MUTANTS: readonly Mutant[] = [
  {
    name: 'release/waits',
    edits: [
      {
        file: PLAN,
        text: '  if (obstacle !== undefined) return { hold',
        replacement: "  if (obstacle?.reason === 'ReleaseRefused') return { hold",
      },
    ],
    caught: {
      scenario: 'release-while-shrinking',
      seed: 1,
      violation: /^members are handed over while one of them is being removed/,
    },
    without: 'Members change hands in the middle of a removal, which nobody finishes.',
  },
  {
    name: 'release/folders',
    edits: [
      {
        file: OBSTACLE,
        text: '  if (first === undefined) return undefined;\n  const why',
        replacement: '  if (first !== undefined || o.nodes.length < 0) return undefined;\n  const why',
      },
    ],
    caught: { scenario: 'release-of-ours', seed: 1, violation: /^members are handed over which would look elsewhere/ },
    without: 'A member that ends is made again on an empty folder, under a used id.',
  },
  {
    name: 'release/ids',
    edits: [
      {
        file: OBSTACLE,
        text: '  if (gap < 0) return undefined;\n',
        replacement: '  if (gap < o.nodes.length) return undefined;\n',
      },
    ],
    caught: { scenario: 'release-with-a-gap', seed: 1, violation: /^members are handed over of which a StatefulSet/ },
    without: 'The StatefulSet ends the members whose ids are beyond its size.',
  },
  {
    name: 'release/strategy',
    edits: [
      {
        file: SET,
        text: "  if (spec.updateStrategy?.type !== 'OnDelete' && partition < members)\n",
        replacement: '  if (partition > members)\n',
      },
    ],
    caught: { scenario: 'release-unfit', seed: 1, violation: /it is let go to a StatefulSet that restarts it/ },
    without: 'The StatefulSet restarts every member that comes to it.',
  },
  {
    name: 'release/setThere',
    edits: [withoutFence('setIsThere', LET_GO, FENCES)],
    caught: { scenario: 'release-set-gone', seed: 1, violation: /is let go to nobody/ },
    without: 'A member is nobody’s, and is not made again when it ends.',
  },
  {
    name: 'release/asked',
    edits: [withoutFence('podIsToBeLetGo', LET_GO, FENCES)],
    caught: { scenario: 'release-called-off', seed: 1, violation: /is let go although nobody asks/ },
    without: 'Members go on changing hands after they were wanted back.',
  },
  {
    name: 'release/services',
    edits: [
      { file: PLAN, text: '  if (!isPrepared(o, seen)) return', replacement: '  if (isPrepared === undefined) return' },
    ],
    caught: { scenario: 'release', seed: 1, violation: /would be behind no Service/ },
    without: 'A member that the StatefulSet makes again meanwhile serves no client.',
  },
  {
    name: 'release/all',
    edits: [
      {
        file: PLAN,
        text: '  const isAllThere = o.nodes.every((node) => node.pod?.ownerUid === set.uid && hasReadyPod(node));\n',
        replacement: '  const isAllThere = o.nodes.length > 0;\n',
      },
      withoutFence(
        'setHasAllPods',
        '    rightBefore: [nodesAreTheSame, setHasAllPods, podsAreTakenBack],\n',
        CLUSTER_FENCES,
      ),
      withoutFence('podIsInOtherHands', '    rightBefore: [podIsInOtherHands],\n', CLUSTER_FENCES),
    ],
    caught: { scenario: 'release', seed: 1, violation: /its Pod is not the StatefulSet's/ },
    without: 'A node goes while its Pod is its own, which the garbage collector then ends.',
    shared: 'That it is so is decided, confirmed before the turn, and again before each node goes.',
  },
  {
    name: 'release/last',
    edits: [
      {
        file: PLAN,
        text: '  if (o.nodes.length === 0) {\n',
        replacement: '  if (o.nodes.length >= 0) {\n',
      },
    ],
    caught: { scenario: 'release', seed: 1, violation: /it forgets that it was formed while \d nodes are there/ },
    without: 'Nodes are left behind that nobody takes away.',
  },
];
