// The volumes of a cluster: their size and class, and when they are kept or deleted.

import { z } from 'zod';
import { DEFAULTS, ENUM_VALUES, MAX } from '../limits.ts';
import { MESSAGES } from '../messages.ts';
import { type CelRule, describe, optional, quantity, setting, text } from './field.ts';
import { notSmaller, positive } from './quantity-rules.ts';

/** On the object that has `className`, which must not be changed, set or unset. */
export const sameClass: CelRule = {
  rule: 'has(self.className) == has(oldSelf.className) && (!has(self.className) || self.className == oldSelf.className)',
  message: MESSAGES.storageClass,
  fieldPath: '.className',
};

/** On the same object: Kubernetes does not allow a VolumeAttributesClass to be removed from a volume. */
export const attributesClassStays: CelRule = {
  rule: '!has(oldSelf.volumeAttributesClassName) || has(self.volumeAttributesClassName)',
  message: MESSAGES.volumeAttributesClass,
  fieldPath: '.volumeAttributesClassName',
};

export const attributesClass = text(MAX.name, 1);

/** A volume never shrinks, so a limit below the requested size can only be a mistake. */
const autoGrowFits: CelRule = {
  rule:
    '!has(self.autoGrow) || !isQuantity(string(self.autoGrow.max)) || !isQuantity(string(self.size)) || ' +
    'quantity(string(self.autoGrow.max)).compareTo(quantity(string(self.size))) >= 0',
  message: MESSAGES.autoGrowMax,
  fieldPath: '.autoGrow.max',
};

const autoGrow = describe(
  z.object({
    atPercent: setting('storage.autoGrow.atPercent', 'Fill level in percent at which a volume is grown. Default 80.'),
    byPercent: setting('storage.autoGrow.byPercent', 'How much larger it gets, in percent of its size. Default 50.'),
    max: describe(quantity(), 'Size no volume is grown beyond, in bytes as a quantity. At least storage.size.', {
      rules: [positive('int-or-string', MESSAGES.autoGrowLimit)],
    }),
    coolDownSeconds: setting(
      'storage.autoGrow.coolDownSeconds',
      'Seconds between two growths of one volume; some providers allow one in six hours. Default 21600.',
    ),
  }),
  'To grow each volume by itself when it fills up, one growth at a time, with an event for each. Not while a removed node is being made ' +
    'up for, and not on a fill level that is not known. Default unset: volumes have storage.size.',
);

export const storage = describe(
  z.object({
    size: optional(
      quantity(),
      'Size of the volume of each node, in bytes as a quantity. May grow, on the volumes that are there as well; never shrinks. Default 10Gi.',
      {
        default: DEFAULTS.storage.size,
        rules: [positive('int-or-string', MESSAGES.storageSize), notSmaller('int-or-string', MESSAGES.storageShrink)],
      },
    ),
    className: optional(text(MAX.name), 'StorageClass of the volumes. Immutable. Default that of the cluster.'),
    volumeAttributesClassName: optional(
      attributesClass,
      'VolumeAttributesClass of the volumes, changed on those that are there; it cannot be taken away again. Default none.',
    ),
    autoGrow: autoGrow.optional(),
  }),
  'Volume of each node.',
  { default: {}, rules: [sameClass, attributesClassStays, autoGrowFits] },
);

export const volumeRetention = describe(
  z.object({
    whenScaled: optional(
      z.enum(ENUM_VALUES['volumeRetention.whenScaled']),
      'What happens to the volume of a removed node; Delete only after the proof that it is not needed, and never without ' +
        'a proof. Default Retain, with reclaimPvcs Delete.',
    ),
    whenDeleted: optional(
      z.enum(ENUM_VALUES['volumeRetention.whenDeleted']),
      'What happens to all volumes of the cluster, kept ones too, when it is deleted. Default Retain.',
      { default: DEFAULTS.retention },
    ),
  }),
  'Whether volumes are kept. Default: all are kept.',
);
