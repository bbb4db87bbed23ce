// The proof among the survivors, when the member has gone: it ends the removal, and may cost the volume.

import type { Mutant } from './mutant.ts';

const AFTER = 'planner/src/removal/after.ts';
const EVIDENCE = 'planner/src/removal/evidence.ts';

export const AFTER_MUTANTS: readonly Mutant[] = [
  {
    name: 'evidence/nobodyLeavingAfter',
    edits: [
      {
        file: EVIDENCE,
        text: '  if (!views.passed || idle === undefined) return views;\n',
        replacement: '  if (!views.passed || idle === undefined || idle !== undefined) return views;\n',
      },
    ],
    caught: { scenario: 'to-the-end/drained', seed: 1, violation: /^the removal of demo-3 is over while / },
    without: 'A removal ends on a list of homes that is about to change.',
  },
  {
    name: 'evidence/canariesAfter',
    edits: [
      { file: AFTER, text: "    if (isGone && report?.state === 'complete')\n", replacement: '    if (isGone)\n' },
    ],
    caught: {
      scenario: 'copies-lost',
      seed: 2,
      violation: /^demo-3 is proven to be dispensable \(Post\) while \d+ copies are missing/,
    },
    without: 'A removal ends, and its volume may go, while new homes lack copies and no counter says so.',
  },
  {
    name: 'evidence/roundsSinceCanaries',
    edits: [
      {
        file: EVIDENCE,
        text: 'agreedMs !== undefined ? Math.max(agreedMs, auditedMs) : undefined;',
        replacement: 'agreedMs !== undefined ? Number.NEGATIVE_INFINITY : undefined;',
      },
    ],
    caught: {
      scenario: 'paused',
      seed: 1,
      violation: /^demo-3 is proven to be dispensable \d+ ms after its test keys were found/,
    },
    without: 'Rounds from before the copies had come count for them.',
  },
  {
    name: 'evidence/volumeOnStoredProof',
    edits: [
      {
        file: AFTER,
        text: '  if (!(ageMs >= -1_000 && ageMs <= PROOF_LIFETIME_MS / 2)) return store(',
        replacement: '  if (ageMs > PROOF_LIFETIME_MS / 2) return store(',
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
