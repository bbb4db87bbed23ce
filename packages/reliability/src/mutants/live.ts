// What is read live before a step that its own precondition does not protect (docs/decisions/0008): without it an operator that is shown
// the past acts on it.

import type { Mutant } from './mutant.ts';

const EXECUTE = 'operator/src/cluster/execute.ts';
const REPORT = 'operator/src/cluster/report.ts';
const NODE_EXECUTE = 'operator/src/node/execute.ts';

export const LIVE_MUTANTS: readonly Mutant[] = [
  {
    name: 'live/decision',
    edits: [
      {
        file: EXECUTE,
        text: '  if (!(await confirmDecision(context))) return steps.filter((step) => !restsOnCluster(step));\n',
        replacement: '',
      },
    ],
    caught: { scenario: 'volume-swapped-time-travel', seed: 3, violation: /^demo-\d was on volume \S+ and starts on / },
    without:
      'A node is made under an id that the cluster of the present has used before, and starts on an empty volume.',
  },
  {
    name: 'live/volume',
    edits: [{ file: NODE_EXECUTE, text: '  if (!(await isOnItsVolume(context))) return STALE;\n', replacement: '' }],
    caught: { scenario: 'volume-swapped-time-travel', seed: 1, violation: /^demo-\d was on volume \S+ and starts on / },
    without: 'A member starts on an empty claim that was made under the name of its own.',
  },
  {
    name: 'live/end',
    edits: [
      {
        file: REPORT,
        text: '      if (ended !== undefined && !(await confirmEnd(ended, observation.volumes, context))) return false;\n',
        replacement: '',
      },
    ],
    caught: {
      scenario: 'by-hand-two-time-travel',
      seed: 7021,
      violation: /^wait for 0 and 2 are replaced: not within \d+ virtual ms/,
    },
    without:
      'A removal under way is given up because a cache of the past does not show its target yet, and tried again ten minutes later.',
  },
];
