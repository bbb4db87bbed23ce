// How members are changed and how they are removed.

import { z } from 'zod';
import { DEFAULTS, ENUM_VALUES, INTEGER_RANGES as R, REMOVAL_SECONDS } from '../rules/limits.ts';
import { MESSAGES } from '../rules/messages.ts';
import { describe, integer, optional, setting } from './field.ts';

export const update = describe(
  z.object({
    type: optional(
      z.enum(ENUM_VALUES['update.type']),
      'RollingUpdate restarts members automatically; OnDelete waits for a person to delete their Pods. Default RollingUpdate.',
      { default: DEFAULTS.update.type },
    ),
    maxUnavailable: setting(
      'update.maxUnavailable',
      'How many members may be down at once. Whatever it allows, they are restarted one at a time, because any two of them are ' +
        'homes of some partition together. Default 1.',
    ),
    minAvailablePercent: setting(
      'update.minAvailablePercent',
      'Has no effect, because one member is restarted at a time, and only while all others are up. It is accepted so that specs ' +
        'with it stay valid. Default none.',
    ),
    canaryNodes: setting(
      'update.canaryNodes',
      'Number of members updated first, after which the rollout waits for approval. Default 0.',
    ),
    rollbackOnFailure: optional(z.boolean(), 'Return a member that fails to the last good template. Default true.', {
      default: DEFAULTS.update.rollbackOnFailure,
    }),
    progressDeadlineSeconds: setting(
      'update.progressDeadlineSeconds',
      'Seconds that one member may take before the rollout counts as failed. Default 600.',
    ),
  }),
  'How a change of image, resources, environment or scheduling reaches the members: they are restarted one at a time, each after ' +
    'the one before is proven to have all its records. What is not in force yet is listed in status.pendingChanges. Default: one at a time.',
);

/** Beside the grace, the door of the member is closed, its contents are compared, and its process ends. A stored
 *  deadline that is shorter counts as this long (defaults.ts). */
const GRACE_FITS = `(has(self.deadlineSeconds) ? self.deadlineSeconds : ${DEFAULTS.removal.deadlineSeconds}) >= (has(self.clientGraceSeconds) ? self.clientGraceSeconds : ${DEFAULTS.removal.clientGraceSeconds}) + ${REMOVAL_SECONDS}`;

export const removal = describe(
  z.object({
    deadlineSeconds: setting(
      'removal.deadlineSeconds',
      'Seconds that a removal may take. If its node is not deleted by then, the removal is taken back; if it is, the node comes ' +
        'back from its kept volume. A removal is never forced. At least clientGraceSeconds + 300. Default 3600.',
    ),
    clientGraceSeconds: setting(
      'removal.clientGraceSeconds',
      'Seconds in which clients may move away from a member that is being removed, or stopped, once no other member names it to ' +
        'them. Then its door is closed: connections that are left end. Default 5.',
    ),
  }),
  'Limits on the removal of a node.',
  { rules: [{ rule: GRACE_FITS, message: MESSAGES.graceFits, fieldPath: '.deadlineSeconds' }] },
);

export const verification = describe(
  z.object({
    intervalSeconds: setting(
      'verification.intervalSeconds',
      'Seconds between comparisons of the members’ contents while nothing changes; 0 compares only after changes. Default 86400.',
    ),
  }),
  'How often it is verified that every record is on all its homes.',
);

export const autoscale = describe(
  z.object({
    minNodes: describe(integer(R['autoscale.minNodes']), 'Smallest number of nodes. Required.'),
    maxNodes: describe(integer(R['autoscale.maxNodes']), 'Largest number of nodes. Required.'),
    targetOpsPerNode: optional(
      z.number(),
      'Commands per second that one node should carry. Unset: not sized by load.',
      {
        rules: [{ rule: 'self > 0.0', message: MESSAGES.targetOps }],
      },
    ),
    targetDiskPercent: setting(
      'autoscale.targetDiskPercent',
      'Fill level in percent that no volume should exceed; a node is added 10 points below it. Unset: not sized by disks.',
    ),
    scaleDownStabilizationSeconds: setting(
      'autoscale.scaleDownStabilizationSeconds',
      'Seconds for which the load must stay low, and that must pass after a change of size, before one node is removed. Default 300.',
    ),
    scaleUpCooldownSeconds: setting(
      'autoscale.scaleUpCooldownSeconds',
      'Seconds after a change of size before nodes are added. Default 60.',
    ),
  }),
  'Size the cluster by load or disks: it grows at once to as many nodes as are needed, and shrinks one node at a time while the ' +
    'load stays low. Each decision is in status.autoscale with its figures. spec.nodes is then only the initial size. Default unset: fixed size.',
  {
    rules: [
      { rule: 'self.minNodes <= self.maxNodes', message: MESSAGES.minMax, fieldPath: '.minNodes' },
      { rule: 'has(self.targetOpsPerNode) || has(self.targetDiskPercent)', message: MESSAGES.target },
    ],
  },
);
