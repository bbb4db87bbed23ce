// The proof among the survivors after the member has gone: it ends the removal, and may delete the volume.

import type { Mutant } from '../edits/mutant.ts';

const AFTER = 'planner/src/operations/removal/after.ts';

export const AFTER_MUTANTS: readonly Mutant[] = [
  {
    name: 'evidence/contentsAfter',
    edits: [
      {
        file: 'planner/src/operations/scope.ts',
        text: 'sources: members.map(({ nodeId }) => nodeId),',
        replacement: 'sources: members.slice(0, 0).map(({ nodeId }) => nodeId),',
      },
    ],
    caught: {
      scenario: 'copies-lost',
      seed: 1,
      violation: /^demo-3 is proven to be dispensable \(Post\) while \d+ copies are missing/,
    },
    without: 'A removal ends, and its volume may go, while new homes lack copies.',
  },
  {
    name: 'evidence/everySurvivor',
    edits: [
      {
        file: 'planner/src/operations/scope.ts',
        text: 'sources: members.map(({ nodeId }) => nodeId),',
        replacement: 'sources: members.slice(0, 1).map(({ nodeId }) => nodeId),',
      },
    ],
    caught: {
      scenario: 'copies-lost',
      seed: 2,
      violation: /^demo-3 is proven to be dispensable \(Post\) while \d+ copies are missing/,
    },
    without: 'A removal ends when one of the survivors is covered, whatever the others hold alone.',
  },
  {
    name: 'evidence/volumeOnStoredProof',
    edits: [
      {
        file: AFTER,
        text: '  if (!(o.isProvenHere && ageMs >= -1_000 && ageMs <= PROOF_LIFETIME_MS / 2))\n',
        replacement: '  if (ageMs > PROOF_LIFETIME_MS / 2)\n',
      },
    ],
    caught: {
      scenario: 'shrink-reclaiming',
      seed: 1,
      violation: /^delete persistentvolumeclaims data-demo-3: the removal is at Settling, without its second proof/,
    },
    without: 'A volume is deleted on a proof that nobody could read again.',
  },
];
