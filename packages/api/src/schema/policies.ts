// How members are changed and how they are removed.

import { z } from 'zod';
import { DEFAULTS } from '../default-values.ts';
import { ENUM_VALUES, INTEGER_RANGES as R } from '../limits.ts';
import { describe, integer } from './field.ts';

export const update = describe(
  z.object({
    type: describe(
      z.enum(ENUM_VALUES['update.type']),
      'RollingUpdate restarts members by itself, OnDelete waits for a person to delete Pods. Default RollingUpdate.',
      { default: DEFAULTS.updateType },
    ).optional(),
    maxUnavailable: describe(
      integer(R['update.maxUnavailable']),
      'Members that may be down at once, at most. They are restarted one at a time whatever it allows, since any two are homes ' +
        'of some partition together. Default 1.',
      { default: DEFAULTS.maxUnavailable },
    ).optional(),
    minAvailablePercent: describe(
      integer(R['update.minAvailablePercent']),
      'Percent of members that must be Active, rounded up; one of them may always be away. Default 75.',
      { default: DEFAULTS.minAvailablePercent },
    ).optional(),
    canaryNodes: describe(
      integer(R['update.canaryNodes']),
      'Members updated first, after which the roll-out waits for approval. Default 0.',
      { default: DEFAULTS.canaryNodes },
    ).optional(),
    rollbackOnFailure: describe(z.boolean(), 'Put a member that fails back on the last good template. Default true.', {
      default: DEFAULTS.rollbackOnFailure,
    }).optional(),
    progressDeadlineSeconds: describe(
      integer(R['update.progressDeadlineSeconds']),
      'Seconds one member may take before the roll-out has failed. Default 600.',
      { default: DEFAULTS.progressDeadlineSeconds },
    ).optional(),
  }),
  'How a change of image, resources, environment or scheduling reaches the members: they are restarted one at a time, each after the ' +
    'records of the one before are proven to be whole. What is not in force yet is in status.pendingChanges. Default: one at a time.',
);

export const removal = describe(
  z.object({
    deadlineSeconds: describe(
      integer(R['removal.deadlineSeconds']),
      'Seconds a removal may take. One that is not past its DELETE by then is taken back, a later one is undone from the kept ' +
        'volume; it is never forced. Default 3600.',
      { default: DEFAULTS.removalDeadlineSeconds },
    ).optional(),
  }),
  'Bounds of the removal of a node.',
);

export const verification = describe(
  z.object({
    intervalSeconds: describe(
      integer(R['verification.intervalSeconds']),
      'Seconds between two comparisons of the members’ contents at rest; 0 compares only after changes. Default 86400.',
      { default: DEFAULTS.verificationIntervalSeconds },
    ).optional(),
  }),
  'How often it is verified that every record is on all its homes.',
);
