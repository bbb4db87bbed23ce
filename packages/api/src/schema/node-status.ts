// The status of a MarekvsNode: written by the node controller only.

import { z } from 'zod';
import { MAX } from '../limits.ts';
import { conditions, reasonTimes } from './condition.ts';
import { count, describe, text, time } from './field.ts';
import { removalProofSchema } from './removal-proof.ts';

export const nodeStatusSchema = describe(
  z.object({
    phase: describe(
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
      'For display only; read conditions instead.',
    ).optional(),
    observedGeneration: describe(count(), 'metadata.generation this status is about.').optional(),
    podName: describe(text(MAX.name), 'Name of its Pod.').optional(),
    podIP: describe(text(64), 'Address of its Pod.').optional(),
    podUID: describe(text(MAX.labelValue), 'UID of its Pod.').optional(),
    pvcName: describe(text(MAX.name), 'Name of its volume claim.').optional(),
    pvcUID: describe(text(MAX.labelValue), 'UID of its volume claim.').optional(),
    volumeSize: describe(text(MAX.quantity), 'Size of its volume by the word of its claim, as a quantity.').optional(),
    hostName: describe(text(MAX.name), 'Kubernetes Node its Pod runs on.').optional(),
    zone: describe(text(MAX.labelValue), 'Zone of that host (topology.kubernetes.io/zone).').optional(),
    zoneSource: describe(
      z.enum(['Pod', 'Host', 'HostUnlabelled', 'NotReadable']),
      'How the zone is known: by the label of the Pod, or of its host. HostUnlabelled: neither has one. ' +
        'NotReadable: the Pod has none, and the operator may not read its host.',
    ).optional(),
    memberGeneration: describe(count(), 'Boot generation of the member, seconds since 1970.').optional(),
    seenBy: describe(text(16), 'How many members see it, of how many, such as 3/3.').optional(),
    ownedPartitions: describe(count(), 'Partitions it is a home of, 0 to 4096.').optional(),
    templateHash: describe(text(MAX.labelValue), 'Hash of the template its Pod was made from.').optional(),
    lastActiveAt: describe(time(), 'When it was last known to be Active; written when that ends.').optional(),
    removalProof: describe(removalProofSchema, 'The proof that it may be removed.').optional(),
    reasonTimes: reasonTimes.optional(),
    conditions: conditions.optional(),
  }),
  'Observed state of the node.',
);
