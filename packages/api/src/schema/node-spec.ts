// The spec of a MarekvsNode (docs/design/contract.md#resources): written by the cluster controller only. A change of
// `template` is the permission to restart the member.

import { z } from 'zod';
import { DEFAULTS, MAX, INTEGER_RANGES as R } from '../limits.ts';
import { MESSAGES } from '../messages.ts';
import { MAX_CLUSTER_NAME_LENGTH } from '../names.ts';
import { MAX_NODE_ID } from '../placement.ts';
import { describe, integer, list, optional, text } from './field.ts';
import { environment, imageFields, podMetadata, secretRef } from './pod-fields.ts';
import { notSmaller, positive } from './quantity-rules.ts';
import { schedulingFields } from './scheduling.ts';
import { attributesClass, attributesClassStays, sameClass } from './volumes.ts';

const template = z.object({
  ...imageFields,
  resources: describe(
    z.object({
      cpu: describe(text(MAX.quantity, 1), 'CPU request in cores as a quantity.'),
      memory: describe(text(MAX.quantity, 1), 'Memory request and limit in bytes as a quantity.'),
    }),
    'Compute resources of the Pod.',
  ),
  env: environment('spec.template.env').optional(),
  replicationFactor: describe(integer(R.replicationFactor), 'Homes of every key (MAREKVS_REPLICAS_N).'),
  gcGraceSeconds: describe(integer(R.gcGraceSeconds), 'Seconds deleted keys are remembered (MAREKVS_GC_GRACE_SECS).'),
  clusterIdentity: describe(text(512, 1), 'Identity of the cluster (MAREKVS_CLUSTER).'),
  authSecretRef: secretRef.optional(),
  scheduling: optional(z.object(schedulingFields), 'Where the Pod may run.'),
  podMetadata: podMetadata('spec.template.podMetadata').optional(),
});

const storage = z.object({
  size: describe(text(MAX.quantity, 1), 'Size of the volume in bytes as a quantity. May grow, never shrink.', {
    rules: [positive('text', MESSAGES.storageSize), notSmaller('text', MESSAGES.storageShrink)],
  }),
  className: optional(text(MAX.name), 'StorageClass of the volume. Immutable. Default that of the cluster.'),
  volumeAttributesClassName: optional(
    attributesClass,
    'VolumeAttributesClass of the volume; it cannot be taken away again. Default none.',
  ),
});

export const nodeSpecSchema = describe(
  z.object({
    clusterName: describe(text(MAX_CLUSTER_NAME_LENGTH, 1), 'Name of the MarekvsCluster. Immutable.', {
      rules: [{ rule: 'self == oldSelf', message: MESSAGES.nodeClusterName }],
    }),
    nodeId: describe(integer({ min: 0, max: MAX_NODE_ID }), 'Id of the member, bound to its volume. Immutable.', {
      rules: [{ rule: 'self == oldSelf', message: MESSAGES.nodeIdImmutable }],
    }),
    template: describe(template, 'What the Pod is made from. A change permits one restart of the member.'),
    storage: describe(storage, 'The volume of the node.', {
      rules: [sameClass, attributesClassStays],
    }),
    serving: optional(z.boolean(), 'Whether clients reach it through the client Service. Default false.', {
      default: DEFAULTS.serving,
    }),
    intent: optional(
      z.enum(['Active', 'Leaving']),
      'Leaving asks the member to hand over its clients. Default Active.',
      {
        default: DEFAULTS.intent,
      },
    ),
    stopped: optional(
      z.enum(['Suspended', 'Hibernated']),
      'Its Pod is ended, and none is made while this stands; its volume is kept. Suspended: this member alone, for repair by hand. ' +
        'Hibernated: with all others of its cluster. Default none: its Pod runs.',
    ),
    seeds: optional(
      list(text(MAX.name + 8, 1), MAX.seeds),
      'Gossip addresses (ip:port) the member is started with, besides the headless Service, when it missed its peers. ' +
        'Not part of the template: a change alone does not restart it. Default none.',
    ),
  }),
  'Wanted state of the node, stamped by the cluster controller.',
);
