// The spec of a MarekvsNode (docs/design/contract.md#resources): written by the cluster controller only. A change of
// `template` is the permission to restart the member.

import { z } from 'zod';
import { MAX_NODE_ID } from '../members/placement.ts';
import { MAX_CLUSTER_NAME_LENGTH } from '../names/names.ts';
import { DEFAULTS, MAX, INTEGER_RANGES as R } from '../rules/limits.ts';
import { MESSAGES } from '../rules/messages.ts';
import { count, describe, integer, list, optional, text } from './field.ts';
import { environment, imageFields, podMetadata, secretRef } from './pod-fields.ts';
import { notSmaller, positive } from './quantity-rules.ts';
import { schedulingFields } from './scheduling.ts';
import { attributesClass, attributesClassStays, sameClass } from './volumes.ts';

const template = z.object({
  ...imageFields,
  resources: describe(
    z.object({
      cpu: describe(text(MAX.quantity, 1), 'CPU request in cores, as a quantity.'),
      memory: describe(text(MAX.quantity, 1), 'Memory request and limit in bytes, as a quantity.'),
    }),
    'Compute resources of the Pod.',
  ),
  env: environment('spec.template.env').optional(),
  replicationFactor: describe(
    integer(R.replicationFactor),
    'Number of members that hold each key (MAREKVS_REPLICAS_N).',
  ),
  gcGraceSeconds: describe(
    integer(R.gcGraceSeconds),
    'Seconds for which deleted keys are remembered (MAREKVS_GC_GRACE_SECS).',
  ),
  clusterIdentity: describe(text(512, 1), 'Identity of the cluster (MAREKVS_CLUSTER).'),
  authSecretRef: secretRef.optional(),
  scheduling: optional(z.object(schedulingFields), 'Where the Pod may run.'),
  podMetadata: podMetadata('spec.template.podMetadata').optional(),
});

const storage = z.object({
  size: describe(text(MAX.quantity, 1), 'Size of the volume in bytes, as a quantity. May grow, but never shrink.', {
    rules: [positive('text', MESSAGES.storageSize), notSmaller('text', MESSAGES.storageShrink)],
  }),
  className: optional(
    text(MAX.name),
    'StorageClass of the volume. Immutable. Default: the default class of Kubernetes.',
  ),
  volumeAttributesClassName: optional(
    attributesClass,
    'VolumeAttributesClass of the volume; once set, it can be changed but not removed. Default none.',
  ),
});

const ran = z.object({
  podUID: describe(text(MAX.labelValue, 1), 'UID of the Pod whose member was told to give up its clients.'),
  generation: optional(
    count(),
    'Generation of the process in that Pod: when it started, in seconds since 1970. Only a later one is sealed.',
  ),
  image: describe(text(MAX.image, 1), 'Image as its host had resolved it, by digest where that is known.'),
  hostName: optional(text(MAX.name), 'Kubernetes Node it ran on.'),
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
    serving: optional(z.boolean(), 'Whether clients reach the member through the client Service. Default false.', {
      default: DEFAULTS.serving,
    }),
    intent: optional(
      z.enum(['Active', 'Leaving', 'Sealed']),
      'Leaving asks the member to give up its clients. Sealed restarts it with its door closed to them. Default Active.',
      { default: DEFAULTS.intent },
    ),
    ran: optional(
      ran,
      'What its Pod ran when its door was closed. Its next Pods run the same, until it gets another template. Default none.',
    ),
    stopped: optional(
      z.enum(['Suspended', 'Hibernated']),
      'While this is set, the Pod is stopped and not recreated, and the volume is kept. Suspended: this member alone, for manual ' +
        'repair. Hibernated: together with all other members of its cluster. Default none: the Pod runs.',
    ),
    seeds: optional(
      list(text(MAX.name + 8, 1), MAX.seeds),
      'Gossip addresses (ip:port) that the member is started with, besides the headless Service, after it failed to find its peers. ' +
        'Not part of the template: a change here does not restart the member. Default none.',
    ),
  }),
  'Desired state of the node, written by the cluster controller.',
);
