// An operator of before rolling updates, as far as a turn is concerned: it knows no record of one and begins none. Whatever else it does
// is what the product does now.

import type { Edit } from './mutant.ts';

export const OLDER = 'older';

export const OLDER_EDITS: readonly Edit[] = [
  {
    file: 'planner/src/cluster-plan.ts',
    text: '  if (operation?.roll !== undefined) {\n    const turn',
    replacement: "  if (operation?.roll !== undefined && operation.type !== 'Roll') {\n    const turn",
  },
  {
    file: 'planner/src/cluster-plan.ts',
    text: '  if (isFree && (isMovePending(o) || isTurnPending(o))) {',
    replacement: '  if (isFree && isTurnPending(o) && isMovePending(o) && o.nodes.length === 0) {',
  },
  {
    file: 'operator/src/cluster/health.ts',
    text: 'const rolledUid = plan.removal.operation?.roll?.uid;',
    replacement: 'const rolledUid = undefined;',
  },
  {
    file: 'operator/src/cluster/conditions.ts',
    text: 'if (operation === undefined || operation.roll !== undefined) return undefined;',
    replacement: 'if (operation === undefined) return undefined;',
  },
  {
    file: 'operator/src/cluster/reconciler.ts',
    text: 'operation?.roll === undefined ? blockedHold(',
    replacement: "operation?.type !== 'none' ? blockedHold(",
  },
];
