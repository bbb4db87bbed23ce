// The spec of a MarekvsCluster (design 2.1): a superset of the existing operator's. Static rules are CEL here and the
// same again in validate.ts.

import { z } from 'zod';
import { DEFAULTS } from '../default-values.ts';
import { ENUM_VALUES, MAX, INTEGER_RANGES as R } from '../limits.ts';
import { MESSAGES } from '../messages.ts';
import { describe, integer, quantity, text } from './field.ts';
import { environment, imageFields, podMetadata, secretRef } from './pod-fields.ts';
import { schedulingFields } from './scheduling.ts';

const positive = 'isQuantity(string(self)) && quantity(string(self)).isGreaterThan(quantity("0"))';
const notSmaller =
  '!isQuantity(string(self)) || !isQuantity(string(oldSelf)) || ' +
  'quantity(string(self)).compareTo(quantity(string(oldSelf))) >= 0';
const sameClass =
  'has(self.className) == has(oldSelf.className) && (!has(self.className) || self.className == oldSelf.className)';

const storage = describe(
  z.object({
    size: describe(
      quantity(),
      'Size of the volume of each node, in bytes as a quantity. May grow, never shrink. Default 10Gi.',
      {
        default: DEFAULTS.storageSize,
        rules: [
          { rule: positive, message: MESSAGES.storageSize },
          { rule: notSmaller, message: MESSAGES.storageShrink },
        ],
      },
    ).optional(),
    className: describe(
      text(MAX.name),
      'StorageClass of the volumes. Immutable. Default that of the cluster.',
    ).optional(),
  }),
  'Volume of each node.',
  { default: {}, rules: [{ rule: sameClass, message: MESSAGES.storageClass, fieldPath: '.className' }] },
);

const resources = describe(
  z.object({
    cpu: describe(quantity(), 'CPU request in cores as a quantity; there is no limit. Default 500m.', {
      default: DEFAULTS.cpu,
      rules: [{ rule: positive, message: MESSAGES.cpu }],
    }).optional(),
    memory: describe(quantity(), 'Memory request and limit in bytes as a quantity. Default 1Gi.', {
      default: DEFAULTS.memory,
      rules: [{ rule: positive, message: MESSAGES.memory }],
    }).optional(),
  }),
  'Compute resources of each Pod.',
  { default: {} },
);

const autoscale = describe(
  z.object({
    minNodes: describe(integer(R['autoscale.minNodes']), 'Smallest number of nodes. Required.'),
    maxNodes: describe(integer(R['autoscale.maxNodes']), 'Largest number of nodes. Required.'),
    targetOpsPerNode: describe(z.number(), 'Commands per second one node shall carry. Unset: not sized by load.', {
      rules: [{ rule: 'self > 0.0', message: MESSAGES.targetOps }],
    }).optional(),
    targetDiskPercent: describe(
      integer(R['autoscale.targetDiskPercent']),
      'Fill level in percent no volume shall pass; nodes are added before. Unset: not sized by disk.',
    ).optional(),
    scaleDownStabilizationSeconds: describe(
      integer(R['autoscale.scaleDownStabilizationSeconds']),
      'Seconds between two removals, during which the load must stay low. Default 300.',
      { default: DEFAULTS.scaleDownStabilizationSeconds },
    ).optional(),
    scaleUpCooldownSeconds: describe(
      integer(R['autoscale.scaleUpCooldownSeconds']),
      'Seconds after a change of size before nodes are added. Default 60.',
      { default: DEFAULTS.scaleUpCooldownSeconds },
    ).optional(),
  }),
  'Sizes the cluster by load or disk; spec.nodes is the initial size then. Default unset: fixed size.',
  {
    rules: [
      { rule: 'self.minNodes <= self.maxNodes', message: MESSAGES.minMax, fieldPath: '.minNodes' },
      { rule: 'has(self.targetOpsPerNode) || has(self.targetDiskPercent)', message: MESSAGES.target },
    ],
  },
);

const volumeRetention = describe(
  z.object({
    whenScaled: describe(
      z.enum(ENUM_VALUES['volumeRetention.whenScaled']),
      'What happens to the volume of a removed node, after the proof that it is not needed. Default Retain.',
      { default: DEFAULTS.retention },
    ).optional(),
    whenDeleted: describe(
      z.enum(ENUM_VALUES['volumeRetention.whenDeleted']),
      'What happens to the volumes when the cluster is deleted. Default Retain.',
      { default: DEFAULTS.retention },
    ).optional(),
  }),
  'Whether volumes are kept. Default: all are kept.',
);

const update = describe(
  z.object({
    type: describe(
      z.enum(ENUM_VALUES['update.type']),
      'RollingUpdate restarts members by itself, OnDelete waits for a person to delete Pods. Default RollingUpdate.',
      { default: DEFAULTS.updateType },
    ).optional(),
    maxUnavailable: describe(integer(R['update.maxUnavailable']), 'Members that may be down at once. Default 1.', {
      default: DEFAULTS.maxUnavailable,
    }).optional(),
    minAvailablePercent: describe(
      integer(R['update.minAvailablePercent']),
      'Percent of members that must be Active, rounded up. Default 75.',
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
  'How a change of the template reaches the members. Default: one at a time.',
);

const removal = describe(
  z.object({
    proof: describe(
      z.enum(ENUM_VALUES['removal.proof']),
      'Strict: no repair may be seen in the proof window. Bounded: no more than in a healthy one. Default Strict.',
      { default: DEFAULTS.removalProof },
    ).optional(),
    audit: describe(z.boolean(), 'Prove with canary keys. false doubles the flat rounds instead. Default true.', {
      default: DEFAULTS.removalAudit,
    }).optional(),
    deadlineSeconds: describe(
      integer(R['removal.deadlineSeconds']),
      'Seconds after which a removal is Blocked; it is never forced. Default 3600.',
      { default: DEFAULTS.removalDeadlineSeconds },
    ).optional(),
  }),
  'How the removal of a node is proven to be safe.',
);

export const clusterSpecSchema = describe(
  z.object({
    ...imageFields,
    nodes: describe(
      integer(R.nodes),
      'Number of nodes; under autoscale the initial one. Never effective below replicationFactor + 1. Default 3.',
      { default: DEFAULTS.nodes },
    ).optional(),
    replicationFactor: describe(integer(R.replicationFactor), 'Homes of every key, 1 to 16. Default 2.', {
      default: DEFAULTS.replicationFactor,
    }).optional(),
    storage: storage.optional(),
    resources: resources.optional(),
    autoscale: autoscale.optional(),
    reclaimPvcs: describe(
      z.boolean(),
      'true means volumeRetention.whenScaled: Delete, unless volumeRetention is given. Default false.',
      { default: DEFAULTS.reclaimPvcs },
    ).optional(),
    volumeRetention: volumeRetention.optional(),
    extraEnv: environment('spec.extraEnv').optional(),
    ...schedulingFields,
    podMetadata: podMetadata('spec.podMetadata').optional(),
    auth: describe(
      z.object({ secretRef }),
      'Password of the cluster. Default none: every client that reaches the port may read and write.',
    ).optional(),
    gcGraceSeconds: describe(
      integer(R.gcGraceSeconds),
      'Seconds deleted keys are remembered; a member that was away longer drops what it alone has. Default 604800.',
      { default: DEFAULTS.gcGraceSeconds },
    ).optional(),
    update: update.optional(),
    removal: removal.optional(),
    paused: describe(z.boolean(), 'Stop writing to Pods, volumes and nodes; status goes on. Default false.', {
      default: DEFAULTS.paused,
    }).optional(),
    deletionProtection: describe(z.boolean(), 'Refuse to delete this object until it is switched off. Default false.', {
      default: DEFAULTS.deletionProtection,
    }).optional(),
  }),
  'Wanted state of the cluster.',
);
