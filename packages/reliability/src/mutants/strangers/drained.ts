// What puts a member right that a stranger has drained, without being led by him.

import type { Mutant } from '../edits/mutant.ts';

export const DRAINED_MUTANTS: readonly Mutant[] = [
  {
    name: 'drained/in-turns',
    edits: [
      {
        file: 'operator/src/members/probing-pace.ts',
        text: 'export const REST_STEP_MS = 10_000;',
        replacement: 'export const REST_STEP_MS = 60_000;',
      },
    ],
    caught: { scenario: 'drained-from-outside', seed: 5, violation: /^wait for the status says that it leads nothing/ },
    without: 'A cluster is called Healthy for minutes while one of its members leads nothing.',
  },
  {
    name: 'drained/shared-homes',
    edits: [
      {
        file: 'planner/src/values/view-line.ts',
        text: '    !hasPrimaries || primaryPartitions < (theirs.get(id) ?? 0);\n',
        replacement: '    !hasPrimaries || primaryPartitions < 0 * (theirs.get(id) ?? 0);\n',
      },
    ],
    caught: { scenario: 'drained-most', seed: 1, violation: /^wait for all lead again/ },
    without: 'Whoever drains two members at once is not noticed: they still lead what only both are homes of.',
  },
  {
    name: 'drained/back-off',
    edits: [
      {
        file: 'planner/src/operations/mending/drained.ts',
        text: '  if (repeats < 0) return 0;\n',
        replacement: '  if (repeats < 100) return 0;\n',
      },
    ],
    caught: { scenario: 'drained-again', seed: 1, violation: /^wait for the cluster stalls/ },
    without: 'A stranger keeps a member away for as long as he likes, by one request a minute, and nobody is told.',
  },
  {
    name: 'drained/full-home',
    edits: [
      {
        file: 'planner/src/evidence/evidence.ts',
        text: '  const idle = agreed?.view.find((line) => !line.hasPrimaries && !drained.has(line.id));\n',
        replacement: '  const idle = agreed?.view.find((line) => !line.hasPrimaries);\n',
      },
    ],
    caught: { scenario: 'drained-in-a-roll', seed: 1, violation: /^wait for rest at 4/ },
    without: 'The turn of one member waits until another one leads, which waits for the end of that turn.',
  },
  {
    name: 'drained/before-another-goes',
    edits: [
      {
        file: 'planner/src/operations/removal/before.ts',
        text: "  const drained = record.basis === 'Proof' ? memberToMend(o) : undefined;\n",
        replacement: "  const drained = record.basis === 'Forced' ? memberToMend(o) : undefined;\n",
      },
    ],
    caught: { scenario: 'drained-meanwhile', seed: 2, violation: /^wait for it leads again/ },
    without: 'A removal waits for its deadline, since one of two homes leads what both are leaving.',
  },
];
