// How members are changed and how they are removed.

import { z } from 'zod';
import { DEFAULTS, ENUM_VALUES, INTEGER_RANGES as R } from '../limits.ts';
import { MESSAGES } from '../messages.ts';
import { describe, integer, optional, setting } from './field.ts';

export const update = describe(
  z.object({
    type: optional(
      z.enum(ENUM_VALUES['update.type']),
      'RollingUpdate restarts members by itself, OnDelete waits for a person to delete Pods. Default RollingUpdate.',
      { default: DEFAULTS.update.type },
    ),
    maxUnavailable: setting(
      'update.maxUnavailable',
      'Members that may be down at once, at most. They are restarted one at a time whatever it allows, since any two are homes ' +
        'of some partition together. Default 1.',
    ),
    minAvailablePercent: setting(
      'update.minAvailablePercent',
      'Percent of members that must be Active, rounded up; one of them may always be away. Default 75.',
    ),
    canaryNodes: setting(
      'update.canaryNodes',
      'Members updated first, after which the roll-out waits for approval. Default 0.',
    ),
    rollbackOnFailure: optional(z.boolean(), 'Put a member that fails back on the last good template. Default true.', {
      default: DEFAULTS.update.rollbackOnFailure,
    }),
    progressDeadlineSeconds: setting(
      'update.progressDeadlineSeconds',
      'Seconds one member may take before the roll-out has failed. Default 600.',
    ),
  }),
  'How a change of image, resources, environment or scheduling reaches the members: they are restarted one at a time, each after the ' +
    'records of the one before are proven to be whole. What is not in force yet is in status.pendingChanges. Default: one at a time.',
);

export const removal = describe(
  z.object({
    deadlineSeconds: setting(
      'removal.deadlineSeconds',
      'Seconds a removal may take. One that is not past its DELETE by then is taken back, a later one is undone from the kept ' +
        'volume; it is never forced. Default 3600.',
    ),
  }),
  'Bounds of the removal of a node.',
);

export const verification = describe(
  z.object({
    intervalSeconds: setting(
      'verification.intervalSeconds',
      'Seconds between two comparisons of the members’ contents at rest; 0 compares only after changes. Default 86400.',
    ),
  }),
  'How often it is verified that every record is on all its homes.',
);

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
