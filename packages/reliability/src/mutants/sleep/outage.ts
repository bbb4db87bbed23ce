// What keeps members from starting one by one after an outage of gcGraceSeconds.

import type { Mutant } from '../edits/mutant.ts';

const OUTAGE = 'planner/src/node/outage.ts';

export const OUTAGE_MUTANTS: readonly Mutant[] = [
  {
    name: 'outage/together',
    edits: [
      {
        file: OUTAGE,
        text: '  return obstacle === undefined ? undefined : tooLong(node, old, obstacle);\n',
        replacement:
          '  return obstacle === undefined || tooLong !== undefined ? undefined : tooLong(node, old, obstacle);\n',
      },
    ],
    caught: {
      scenario: 'long-outage',
      seed: 4,
      violation: /^demo-0 is started while the host of 1,2 is away/,
    },
    without: 'Members start one by one, and each drops what the ones before it lack.',
  },
  {
    name: 'outage/unseen',
    edits: [
      {
        file: 'operator/src/node/observation/observe.ts',
        text: "status?.phase === 'Active' && !podsSeen.has(view.uid)",
        replacement: "status?.phase === 'Pending' && !podsSeen.has(view.uid)",
      },
    ],
    caught: {
      scenario: 'outage-unwatched',
      seed: 4,
      violation: /^demo-0 is started while the host of 1,2 is away/,
    },
    without: 'An operator that was away as well takes the moment at which it looks for the end of every member.',
  },
  {
    name: 'outage/short',
    edits: [
      {
        file: OUTAGE,
        text: '  return lastMs === undefined || o.nowMs - lastMs >= reusableForMs(o.gcGraceSeconds);\n',
        replacement: '  return lastMs === undefined || o.nowMs + reusableForMs(o.gcGraceSeconds) >= lastMs;\n',
      },
    ],
    caught: { scenario: 'short-outage', seed: 1, violation: /^wait for the first member is back by itself/ },
    without: 'Members wait for each other after an outage that can do no harm, and nobody serves.',
  },
];
