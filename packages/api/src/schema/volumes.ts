// The volumes of a cluster: how large, of which class, and what becomes of them.

import { z } from 'zod';
import { DEFAULTS } from '../default-values.ts';
import { ENUM_VALUES, MAX } from '../limits.ts';
import { MESSAGES } from '../messages.ts';
import { type CelRule, describe, quantity, text } from './field.ts';
import { notSmaller, positive } from './quantity-rules.ts';

/** Of the object that has `className`: neither changed nor set nor unset. */
export const sameClass: CelRule = {
  rule: 'has(self.className) == has(oldSelf.className) && (!has(self.className) || self.className == oldSelf.className)',
  message: MESSAGES.storageClass,
  fieldPath: '.className',
};

export const storage = describe(
  z.object({
    size: describe(
      quantity(),
      'Size of the volume of each node, in bytes as a quantity. May grow, never shrink. Default 10Gi.',
      {
        default: DEFAULTS.storageSize,
        rules: [positive('int-or-string', MESSAGES.storageSize), notSmaller('int-or-string', MESSAGES.storageShrink)],
      },
    ).optional(),
    className: describe(
      text(MAX.name),
      'StorageClass of the volumes. Immutable. Default that of the cluster.',
    ).optional(),
  }),
  'Volume of each node.',
  { default: {}, rules: [sameClass] },
);

export const volumeRetention = describe(
  z.object({
    whenScaled: describe(
      z.enum(ENUM_VALUES['volumeRetention.whenScaled']),
      'What happens to the volume of a removed node; Delete only after the proof that it is not needed, and never without ' +
        'a proof. Default Retain, with reclaimPvcs Delete.',
    ).optional(),
    whenDeleted: describe(
      z.enum(ENUM_VALUES['volumeRetention.whenDeleted']),
      'What happens to all volumes of the cluster, kept ones too, when it is deleted. Default Retain.',
      { default: DEFAULTS.retention },
    ).optional(),
  }),
  'Whether volumes are kept. Default: all are kept.',
);
