// When a record counts as covered, which members are asked, and how long the answer is waited for.

import type { Mutant } from '../edits/mutant.ts';

const COVERED = 'planner/src/contents/records/mark-coverage.ts';
const COVERS = 'planner/src/contents/records/record-coverage.ts';
/** What only the target has is missed when its open process ends, or when it is proven that it may go. */
export const ONLY_THERE =
  /^(?:Pod demo-3 goes and with it the last living copy|demo-3 is proven to be dispensable \(Pre\) while \d+ copies are missing)/;

export const CONTENTS_MUTANTS: readonly Mutant[] = [
  {
    name: 'contents/absent',
    edits: [
      {
        file: COVERED,
        text: "  if (home === undefined) return 'missing';\n",
        replacement: "  if (home === undefined) return 'covered';\n",
      },
    ],
    caught: { scenario: 'repairs-lost', seed: 1, violation: ONLY_THERE },
    without: 'A record that a home does not have counts as there.',
  },
  {
    name: 'contents/newer',
    edits: [
      {
        file: COVERED,
        text: "  return home.version >= wanted.version ? 'doubtful' : 'older';",
        replacement: "  return home.version > wanted.version ? 'covered' : 'older';",
      },
    ],
    caught: { scenario: 'counted-apart', seed: 1, violation: ONLY_THERE },
    without: 'A newer version of a counter counts as one that contains the older one.',
  },
  {
    name: 'contents/older',
    edits: [
      {
        file: COVERED,
        text: "  return home.version >= wanted.version ? 'doubtful' : 'older';",
        replacement: "  return home.version >= wanted.version ? 'doubtful' : 'covered';",
      },
    ],
    caught: { scenario: 'repairs-lost', seed: 2, violation: ONLY_THERE },
    without: 'An older version of a record counts as the record.',
  },
  {
    name: 'contents/slots',
    edits: [
      {
        file: COVERS,
        text: '    if (reached === undefined || increments > reached.increments || decrements > reached.decrements) return false;\n',
        replacement: '    if (decrements > (reached?.decrements ?? increments)) return false;\n',
      },
    ],
    caught: { scenario: 'counted-apart', seed: 1, violation: ONLY_THERE },
    without: 'Counts that only the member that goes has counted are lost.',
  },
  {
    name: 'contents/elements',
    edits: [
      {
        file: COVERS,
        text: "  if (own.isHead || given.content.kind !== 'element') return true;\n",
        replacement: '  if (own.isHead || !isNewer) return true;\n',
      },
    ],
    caught: { scenario: 'restamped-elsewhere', seed: 1, violation: ONLY_THERE },
    without: 'A newer version of a field counts as one that contains the values and deletions of the older one.',
  },
  {
    name: 'contents/lasting',
    edits: [
      {
        file: COVERS,
        text: '  if (isNewer) return false;\n',
        replacement: "  if (isNewer && given.content.kind !== 'counter') return false;\n",
      },
    ],
    caught: { scenario: 'persisted-there', seed: 1, violation: ONLY_THERE },
    without: 'A counter that only the member that goes keeps from expiring counts as covered by equal counts.',
  },
  {
    name: 'contents/strays',
    edits: [
      {
        file: 'planner/src/contents/members.ts',
        text: '    return homes;\n  }\n}\n',
        replacement: '    return homes.length === width ? [] : homes;\n  }\n}\n',
      },
    ],
    caught: { scenario: 'burst-while-leaving', seed: 1, violation: ONLY_THERE },
    without: 'Records of partitions that the member does not home are not asked for.',
  },
  {
    name: 'contents/sweep',
    edits: [
      {
        file: 'operator/src/comparisons/comparison-run.ts',
        text: '      comparison.sweep(clock.monotonicMs());\n',
        replacement: '',
      },
    ],
    caught: { scenario: 'unsaid', seed: 1, violation: /^wait for rest at 3/ },
    without: 'What is covered is never looked at again, and grows too old for a proof.',
  },
  {
    name: 'contents/unused',
    edits: [
      { file: 'operator/src/comparisons/comparison-run.ts', text: '        else link.rest();\n', replacement: '' },
    ],
    caught: { scenario: 'second-observer', seed: 1, violation: /^wait for 3 of 4 stay/ },
    without: 'A connection whose place somebody else has taken makes a mesh seem incomplete for ever.',
  },
  {
    name: 'before/deadline',
    edits: [
      {
        file: 'planner/src/operations/removal/before.ts',
        text: '  if (!isOver || !goesByProof(record) || cannotComeBack(node)) return undefined;\n',
        replacement: '  if (!isOver || isOver || !goesByProof(record) || cannotComeBack(node)) return undefined;\n',
      },
    ],
    caught: { scenario: 'never-proven', seed: 1, violation: /^wait for the removal is taken back/ },
    without: 'A member that cannot be read keeps another one from its work for ever.',
  },
];
