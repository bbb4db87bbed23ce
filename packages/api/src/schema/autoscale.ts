// How a cluster is sized by load or disk (docs/design/contract.md#not-built-yet).

import { z } from 'zod';
import { DEFAULTS } from '../default-values.ts';
import { INTEGER_RANGES as R } from '../limits.ts';
import { MESSAGES } from '../messages.ts';
import { describe, integer } from './field.ts';

export const autoscale = describe(
  z.object({
    minNodes: describe(integer(R['autoscale.minNodes']), 'Smallest number of nodes. Required.'),
    maxNodes: describe(integer(R['autoscale.maxNodes']), 'Largest number of nodes. Required.'),
    targetOpsPerNode: describe(z.number(), 'Commands per second one node shall carry. Unset: not sized by load.', {
      rules: [{ rule: 'self > 0.0', message: MESSAGES.targetOps }],
    }).optional(),
    targetDiskPercent: describe(
      integer(R['autoscale.targetDiskPercent']),
      'Fill level in percent no volume shall pass; nodes are added before. Unset: not sized by disk.',
    ).optional(),
    scaleDownStabilizationSeconds: describe(
      integer(R['autoscale.scaleDownStabilizationSeconds']),
      'Seconds between two removals, during which the load must stay low. Default 300.',
      { default: DEFAULTS.scaleDownStabilizationSeconds },
    ).optional(),
    scaleUpCooldownSeconds: describe(
      integer(R['autoscale.scaleUpCooldownSeconds']),
      'Seconds after a change of size before nodes are added. Default 60.',
      { default: DEFAULTS.scaleUpCooldownSeconds },
    ).optional(),
  }),
  'To size the cluster by load or disk. This version records it and does not act on it: the size is spec.nodes, and ' +
    'status.pendingChanges says so. Default unset: fixed size.',
  {
    rules: [
      { rule: 'self.minNodes <= self.maxNodes', message: MESSAGES.minMax, fieldPath: '.minNodes' },
      { rule: 'has(self.targetOpsPerNode) || has(self.targetDiskPercent)', message: MESSAGES.target },
    ],
  },
);
