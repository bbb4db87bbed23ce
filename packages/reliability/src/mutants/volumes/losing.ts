// What keeps a false loss from being reported, and a real one from being missed.

import type { Mutant } from '../edits/mutant.ts';

export const LOSING_MUTANTS: readonly Mutant[] = [
  {
    name: 'losing/process',
    edits: [
      {
        file: 'planner/src/evidence/verification/data-record.ts',
        text: 'return hasLostVolume(node) && isKnownSilent(node) && !isProven;',
        replacement: 'return hasLostVolume(node) && isKnownSilent !== undefined && !isProven;',
      },
    ],
    caught: { scenario: 'homes-outlived', seed: 1, violation: /^a loss is told and there is none/ },
    without: 'Volumes are called lost with all that was on them while their processes still have it.',
  },
  {
    name: 'losing/total',
    edits: [
      {
        file: 'planner/src/cluster/plan-formed.ts',
        text: 'return wasUsed && o.nodes.every((node) => isLost(node) || servesNobody(node));',
        replacement: 'return wasUsed && o.nodes.every(isLost);',
      },
    ],
    caught: { scenario: 'all-volumes-swept', seed: 1, violation: /serve, and nothing is left/ },
    without: 'Clients are let in to the empty members that were begun while the last of the others went.',
  },
  {
    name: 'losing/told',
    edits: [
      {
        file: 'planner/src/evidence/verification/data-record.ts',
        text: '  if (partitions === 0) return losses;',
        replacement: '  if (partitions < PARTITIONS / 2) return losses;',
      },
    ],
    caught: { scenario: 'both-homes-lost', seed: 1, violation: /the loss is not told/ },
    without: 'A cluster that has lost both homes of some of its keys is called well when its members are replaced.',
  },
];
