// How a cluster is sized by load or disk (docs/design/contract.md#sizing).

import { z } from 'zod';
import { INTEGER_RANGES as R } from '../limits.ts';
import { MESSAGES } from '../messages.ts';
import { describe, integer, optional, setting } from './field.ts';

export const autoscale = describe(
  z.object({
    minNodes: describe(integer(R['autoscale.minNodes']), 'Smallest number of nodes. Required.'),
    maxNodes: describe(integer(R['autoscale.maxNodes']), 'Largest number of nodes. Required.'),
    targetOpsPerNode: optional(z.number(), 'Commands per second one node shall carry. Unset: not sized by load.', {
      rules: [{ rule: 'self > 0.0', message: MESSAGES.targetOps }],
    }),
    targetDiskPercent: setting(
      'autoscale.targetDiskPercent',
      'Fill level in percent no volume shall pass; a node is added 10 points before. Unset: not sized by disk.',
    ),
    scaleDownStabilizationSeconds: setting(
      'autoscale.scaleDownStabilizationSeconds',
      'Seconds for which the load must stay low before one node is removed, and between two changes of size. Default 300.',
    ),
    scaleUpCooldownSeconds: setting(
      'autoscale.scaleUpCooldownSeconds',
      'Seconds after a change of size before nodes are added. Default 60.',
    ),
  }),
  'To size the cluster by load or disks: up at once to as many nodes as carry it, down one at a time while it stays low, and ' +
    'every decision with its figures in status.autoscale. spec.nodes is the initial size then. Default unset: fixed size.',
  {
    rules: [
      { rule: 'self.minNodes <= self.maxNodes', message: MESSAGES.minMax, fieldPath: '.minNodes' },
      { rule: 'has(self.targetOpsPerNode) || has(self.targetDiskPercent)', message: MESSAGES.target },
    ],
  },
);
