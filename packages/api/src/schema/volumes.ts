// The volumes of a cluster: their size and class, and when they are kept or deleted.

import { z } from 'zod';
import { DEFAULTS, ENUM_VALUES, MAX } from '../rules/limits.ts';
import { MESSAGES } from '../rules/messages.ts';
import { type CelRule, describe, optional, quantity, setting, text } from './field.ts';
import { atLeast, notSmaller, positive } from './quantity-rules.ts';

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
  rule: `!has(self.autoGrow) || ${atLeast('string(self.autoGrow.max)', 'string(self.size)')}`,
  message: MESSAGES.autoGrowMax,
  fieldPath: '.autoGrow.max',
};

const autoGrow = describe(
  z.object({
    atPercent: setting('storage.autoGrow.atPercent', 'Fill level in percent at which a volume is grown. Default 80.'),
    byPercent: setting('storage.autoGrow.byPercent', 'How much the volume grows, in percent of its size. Default 50.'),
    max: describe(quantity(), 'Size beyond which no volume is grown, in bytes, as a quantity. At least storage.size.', {
      rules: [positive('int-or-string', MESSAGES.autoGrowLimit)],
    }),
    coolDownSeconds: setting(
      'storage.autoGrow.coolDownSeconds',
      'Seconds between two growths of the same volume; some providers allow one in six hours. Default 21600.',
    ),
  }),
  'Grow each volume automatically when it fills up, one growth at a time, with an event for each. Not while the others take over ' +
    'the data of a removed node, and not if the fill level is unknown. Default unset: volumes have storage.size.',
);

export const storage = describe(
  z.object({
    size: optional(
      quantity(),
      'Size of the volume of each node, in bytes, as a quantity. May be raised, which also grows existing volumes, but not lowered. Default 10Gi.',
      {
        default: DEFAULTS.storage.size,
        rules: [positive('int-or-string', MESSAGES.storageSize), notSmaller('int-or-string', MESSAGES.storageShrink)],
      },
    ),
    className: optional(
      text(MAX.name),
      'StorageClass of the volumes. Immutable. Default: the default class of Kubernetes.',
    ),
    volumeAttributesClassName: optional(
      attributesClass,
      'VolumeAttributesClass of the volumes, also of existing ones; once set, it can be changed but not removed. Default none.',
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
      'What happens to the volume of a removed node. Delete takes effect only after the proof that the volume is not needed; without a proof it is kept. ' +
        'Default Retain, or Delete with reclaimPvcs.',
    ),
    whenDeleted: optional(
      z.enum(ENUM_VALUES['volumeRetention.whenDeleted']),
      'What happens to all volumes of the cluster, including kept ones, when it is deleted. Default Retain.',
      { default: DEFAULTS.retention },
    ),
  }),
  'Whether volumes are kept. Default: all are kept.',
);
