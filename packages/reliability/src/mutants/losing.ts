// What keeps a loss from being told that is none.

import type { Mutant } from './mutant.ts';

export const LOSING_MUTANTS: readonly Mutant[] = [
  {
    name: 'losing/process',
    edits: [
      {
        file: 'planner/src/data-record.ts',
        text: 'return hasLostVolume(node) && isKnownSilent(node) && !isProven;',
        replacement: 'return hasLostVolume(node) && isKnownSilent !== undefined && !isProven;',
      },
    ],
    caught: { scenario: 'homes-outlived', seed: 1, violation: /^a loss is told and there is none/ },
    without: 'Volumes are called lost with all that was on them while their processes still have it.',
  },
];
