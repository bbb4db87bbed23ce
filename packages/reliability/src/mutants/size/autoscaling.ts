// What keeps a size that follows the load from flapping and from guessing.

import type { Mutant } from '../edits/mutant.ts';

const RULES = 'planner/src/autoscale/rules.ts';
const LOAD = 'planner/src/autoscale/load.ts';

export const AUTOSCALING_MUTANTS: readonly Mutant[] = [
  {
    name: 'autoscaling/window',
    edits: [
      {
        file: RULES,
        text: '  const waitMs = Math.max(rules.windowMs - (lowForMs ?? 0), rules.windowMs - decidedForMs);',
        replacement: '  const waitMs = 0;',
      },
    ],
    caught: { scenario: 'follows-load', seed: 1, violation: /is sized from \d to \d after/ },
    without: 'Every moment of little load takes a node away, and the next one brings it back.',
  },
  {
    name: 'autoscaling/whole-load',
    edits: [
      {
        file: RULES,
        text: '  if (targetOps !== undefined && !isWholeLoad(load)) return false;\n',
        replacement: '',
      },
      {
        file: RULES,
        text: '  const isLoadKnown = targetOps === undefined || isWholeLoad(load);',
        replacement: '  const isLoadKnown = true;',
      },
    ],
    caught: { scenario: 'silent-while-low', seed: 1, violation: /without a signal/ },
    without: 'A member that gives no figures counts as one that serves nobody.',
    shared: 'The window of a low load and the reason that is given each ask whether all of it is known.',
  },
  {
    name: 'autoscaling/stale-rate',
    edits: [{ file: LOAD, text: ' || nowMs - toMs > STALE_RATE_MS', replacement: '' }],
    caught: { scenario: 'silent-while-low', seed: 1, violation: /without a signal/ },
    without: 'What a member served when it last answered counts for as long as it is silent.',
  },
  {
    name: 'autoscaling/sharp-load',
    edits: [{ file: RULES, text: ' && !load.isSharp)', replacement: ' && load.members < 0)' }],
    caught: { scenario: 'follows-load', seed: 1, violation: /a part of a step was taken for the whole/ },
    without: 'A step is measured together with the time before it, and the cluster grows to less than it needs.',
  },
  {
    name: 'autoscaling/kept-size',
    edits: [
      {
        file: 'planner/src/size/sizing.ts',
        text: '  if (autoscale?.size === undefined || autoscale.nodes !== spec.nodes) return undefined;',
        replacement: '  if (autoscale?.size === undefined || autoscale.nodes !== -1) return undefined;',
      },
    ],
    caught: { scenario: 'switched-on-and-off', seed: 1, violation: /because autoscale was taken out/ },
    without: 'A spec.nodes from long ago takes members away as soon as spec.autoscale is taken out.',
  },
];
