// What keeps the operator from taking over members that were not handed over, or from forming a cluster beside them
// (docs/decisions/adopting-and-releasing.md).

import type { Mutant } from '../edits/mutant.ts';

const READ = 'operator/src/cluster/observation/read-adoption.ts';
const PLAN = 'planner/src/forming/adoption.ts';
const CHECKS = 'operator/src/node/steps/live-checks.ts';
const TAKE = 'operator/src/node/steps/execute-adoption.ts';

export const ADOPTION_MUTANTS: readonly Mutant[] = [
  {
    name: 'adoption/asked',
    edits: [
      {
        file: READ,
        text: '  if (isFormed || isDeleting) return undefined;\n',
        replacement: '  if (isFormed || isDeleting || !isFormed) return undefined;\n',
      },
    ],
    caught: { scenario: 'adopt', seed: 1, violation: /^demo-\d is made beside a StatefulSet/ },
    without: 'A second cluster is formed beside the members of a StatefulSet.',
  },
  {
    name: 'adoption/letGo',
    edits: [
      {
        file: READ,
        text: '    const isOurs = controllerOf(metadata)?.uid === uid;\n',
        replacement:
          "    const isOurs = controllerOf(metadata)?.uid === uid;\n    if (typeof request === 'object') return { kind: 'underWay', request };\n",
      },
    ],
    caught: { scenario: 'adopt-asked', seed: 1, violation: /^demo-\d is made beside a StatefulSet/ },
    without: 'Members are taken over while the existing operator may still run them.',
  },
  {
    name: 'adoption/complete',
    edits: [
      {
        file: PLAN,
        text: '  if (isComplete(o, membership)) return',
        replacement: '  if (isComplete !== undefined) return',
      },
    ],
    caught: { scenario: 'adopt-late', seed: 1, violation: /^the cluster is formed without demo-1/ },
    without: 'The cluster counts as formed, and its Services are switched, before every member is there.',
  },
  {
    name: 'adoption/claim',
    edits: [
      {
        file: CHECKS,
        text: '  if (claim.metadata.uid !== record.adopts?.volumeUid)\n',
        replacement: '  if (record.adopts === undefined)\n',
      },
      {
        file: 'planner/src/node/adoption.ts',
        text: '  if (volume.uid === adopts.volumeUid) return undefined;\n',
        replacement: '  if (volume !== undefined) return undefined;\n',
      },
    ],
    caught: { scenario: 'adopt-swapped', seed: 1, violation: /^Pod demo-1 is made for an empty claim/ },
    without: 'A member starts on an empty claim under the id of one that had data.',
    shared: 'What was labelled by mistake, or by hand, is compared once more before anything starts on it.',
  },
  {
    name: 'adoption/onClaim',
    edits: [
      {
        file: TAKE,
        text: '  return isWanted && !isControlled && isOnClaim === true && ',
        replacement: '  return isWanted && !isControlled && isOnClaim !== undefined && ',
      },
    ],
    caught: { scenario: 'adopt-stranger', seed: 1, violation: /^Pod demo-1 of a stranger is taken over/ },
    without: 'Somebody else’s Pod becomes a member of the client Service.',
  },
];
