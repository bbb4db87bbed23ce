// An operator from before rolling updates, as far as a turn is concerned: it does not know the record of one and begins
// none. In everything else it is the present product.

import type { Edit } from './mutant.ts';

export const OLDER = 'older';

export const OLDER_EDITS: readonly Edit[] = [
  {
    file: 'planner/src/cluster/plan-formed.ts',
    text: '  const { roll, target, phase } = operation;',
    replacement:
      "  const { target, phase } = operation;\n  const roll = operation.type === 'Roll' ? undefined : operation.roll;",
  },
  {
    file: 'planner/src/operations/rows/under-way.ts',
    text: '  Roll: TURN,',
    replacement: '  Roll: REMOVAL,',
  },
  {
    file: 'planner/src/operations/rows/starters.ts',
    text: '  return isBefore && !isChoiceOpen(o, desired);',
    replacement: '  return isBefore && !isChoiceOpen(o, desired) && o.nodes.length === 0;',
  },
  {
    file: 'operator/src/cluster/status/health.ts',
    text: 'const roll = operation?.roll;',
    replacement: 'const { roll } = { ...operation, roll: undefined };',
  },
  {
    file: 'operator/src/cluster/status/conditions.ts',
    text: 'if (operation === undefined || operation.roll !== undefined) return undefined;',
    replacement: 'if (operation === undefined) return undefined;',
  },
  {
    file: 'operator/src/cluster/reconciler.ts',
    text: 'operation?.target !== undefined ? blockedHold(',
    replacement: "operation?.type !== 'none' ? blockedHold(",
  },
];
