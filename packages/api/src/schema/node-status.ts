// The status of a MarekvsNode: written by the node controller only.

import { z } from 'zod';
import { MAX } from '../rules/limits.ts';
import { conditions, reasonTimes } from './condition.ts';
import { count, describe, optional, text, time } from './field.ts';
import { removalProofSchema } from './removal-proof.ts';

export const nodeStatusSchema = describe(
  z.object({
    phase: optional(
      z.enum([
        'Pending',
        'Starting',
        'Joining',
        'Active',
        'Leaving',
        'Departed',
        'Failed',
        'Unknown',
        'Suspended',
        'Hibernated',
      ]),
      'For display only; programs should use the conditions.',
    ),
    observedGeneration: optional(count(), 'The metadata.generation that this status describes.'),
    podName: optional(text(MAX.name), 'Name of its Pod.'),
    podIP: optional(text(64), 'Address of its Pod.'),
    podUID: optional(text(MAX.labelValue), 'UID of its Pod.'),
    pvcName: optional(text(MAX.name), 'Name of its volume claim.'),
    pvcUID: optional(text(MAX.labelValue), 'UID of its volume claim.'),
    volumeSize: optional(text(MAX.quantity), 'Size of its volume as reported by its claim, as a quantity.'),
    hostName: optional(text(MAX.name), 'Kubernetes Node its Pod runs on.'),
    zone: optional(text(MAX.labelValue), 'Zone of that host (topology.kubernetes.io/zone).'),
    zoneSource: optional(
      z.enum(['Pod', 'Host', 'HostUnlabelled', 'NotReadable']),
      'Where the zone comes from: a label of the Pod, or of its host. HostUnlabelled: neither has one. ' +
        'NotReadable: the Pod has none, and the operator may not read its host.',
    ),
    memberGeneration: optional(count(), 'Generation of the member: when its process started, in seconds since 1970.'),
    seenBy: optional(text(16), 'How many members see it, out of how many, such as 3/3.'),
    ownedPartitions: optional(count(), 'Partitions it is a home of, 0 to 4096.'),
    templateHash: optional(text(MAX.labelValue), 'Hash of the template its Pod was made from.'),
    lastActiveAt: optional(time(), 'When it was last known to be Active; written when it no longer is.'),
    removalProof: optional(removalProofSchema, 'The proof that it may be removed.'),
    reasonTimes: reasonTimes.optional(),
    conditions: conditions.optional(),
  }),
  'Observed state of the node.',
);
