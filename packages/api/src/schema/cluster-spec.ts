// The spec of a MarekvsCluster (docs/design/contract.md#resources): a superset of the existing operator's. Static rules
// are CEL here and the same again in validate-cluster.ts.

import { z } from 'zod';
import { DEFAULTS, LABEL_VALUE_PATTERN, MIN_GC_GRACE_SECONDS, REFUSED_ENV } from '../rules/limits.ts';
import { MESSAGES } from '../rules/messages.ts';
import { clients } from './clients.ts';
import { type CelRule, describe, optional, quantity, setting } from './field.ts';
import { hosts } from './hosts.ts';
import { environment, imageFields, podMetadata, secretRef } from './pod-fields.ts';
import { autoscale, removal, update, verification } from './policies.ts';
import { positive } from './quantity-rules.ts';
import { schedulingFields } from './scheduling.ts';
import { storage, volumeRetention } from './volumes.ts';

/** What the API server refuses in a Pod is refused here: otherwise a member that was stopped for the change could not
 *  be made again. */
const image: CelRule = { rule: 'self.image == self.image.trim()', message: MESSAGES.image, fieldPath: '.image' };

const nodeSelector: CelRule = {
  rule: `!has(self.nodeSelector) || self.nodeSelector.all(key, self.nodeSelector[key].matches('${LABEL_VALUE_PATTERN}'))`,
  message: MESSAGES.nodeSelector,
  fieldPath: '.nodeSelector',
};

/** whenScaled has no default in the schema, so a Retain here was set by a user. */
const reclaim: CelRule = {
  rule:
    '!(has(self.reclaimPvcs) && self.reclaimPvcs && has(self.volumeRetention) && has(self.volumeRetention.whenScaled) && ' +
    "self.volumeRetention.whenScaled == 'Retain')",
  message: MESSAGES.reclaim,
  fieldPath: '.reclaimPvcs',
};

/** While load decides the size, an edit of `nodes` would be accepted and have no effect, also through the scale
 *  subresource. */
const sizedByLoad: CelRule = {
  rule:
    '!has(self.autoscale) || !has(oldSelf.autoscale) || ' +
    `(has(self.nodes) ? self.nodes : ${DEFAULTS.nodes}) == (has(oldSelf.nodes) ? oldSelf.nodes : ${DEFAULTS.nodes})`,
  message: MESSAGES.sizedByLoad,
  fieldPath: '.nodes',
};

/** The same while the size is the number of hosts. */
const sizedByHosts: CelRule = {
  rule:
    '!has(self.hosts) || !has(self.hosts.onePerHost) || !has(oldSelf.hosts) || !has(oldSelf.hosts.onePerHost) || ' +
    `(has(self.nodes) ? self.nodes : ${DEFAULTS.nodes}) == (has(oldSelf.nodes) ? oldSelf.nodes : ${DEFAULTS.nodes})`,
  message: MESSAGES.sizedByHosts,
  fieldPath: '.nodes',
};

/** While no member runs, the only effect of a smaller value is that the members may not be woken any more. */
const rememberedAsleep: CelRule = {
  rule:
    '!has(oldSelf.hibernated) || !oldSelf.hibernated || ' +
    `(has(self.gcGraceSeconds) ? self.gcGraceSeconds : ${DEFAULTS.gcGraceSeconds}) >= ` +
    `(has(oldSelf.gcGraceSeconds) ? oldSelf.gcGraceSeconds : ${DEFAULTS.gcGraceSeconds})`,
  message: MESSAGES.rememberedAsleep,
  fieldPath: '.gcGraceSeconds',
};

/** On the field itself, because the API server then leaves a stored value alone until an edit changes it. */
const gcGraceFloor: CelRule = { rule: `self >= ${MIN_GC_GRACE_SECONDS}`, message: MESSAGES.gcGraceFloor };

/** The same for a field that was stored with it. */
const upstream: CelRule = {
  rule: `!self.exists(name, name in ['${REFUSED_ENV.join("', '")}'])`,
  message: MESSAGES.upstream,
};

const oneSizing: CelRule = {
  rule: '!has(self.autoscale) || !has(self.hosts) || !has(self.hosts.onePerHost)',
  message: MESSAGES.onePerHostOrLoad,
  fieldPath: '.hosts',
};

const resources = describe(
  z.object({
    cpu: optional(quantity(), 'CPU request in cores, as a quantity; no CPU limit is set. Default 500m.', {
      default: DEFAULTS.resources.cpu,
      rules: [positive('int-or-string', MESSAGES.cpu)],
    }),
    memory: optional(quantity(), 'Memory request and limit in bytes, as a quantity. Default 1Gi.', {
      default: DEFAULTS.resources.memory,
      rules: [positive('int-or-string', MESSAGES.memory)],
    }),
  }),
  'Compute resources of each Pod.',
  { default: {} },
);

export const clusterSpecSchema = describe(
  z.object({
    ...imageFields,
    nodes: setting(
      'nodes',
      'Number of nodes. With autoscale or hosts.onePerHost it is only the initial size and cannot be edited. A cluster always ' +
        'has at least replicationFactor + 1 nodes; if fewer are asked for, status.pendingChanges says so. Default 3.',
    ),
    replicationFactor: setting(
      'replicationFactor',
      'Number of members that hold each key (its homes), 1 to 16. Default 2.',
    ),
    storage: storage.optional(),
    resources: resources.optional(),
    autoscale: autoscale.optional(),
    reclaimPvcs: optional(
      z.boolean(),
      'true is short for volumeRetention.whenScaled: Delete; it is refused together with an explicit Retain. Default false.',
      { default: DEFAULTS.reclaimPvcs },
    ),
    volumeRetention: volumeRetention.optional(),
    extraEnv: environment('spec.extraEnv', [upstream]).optional(),
    ...schedulingFields,
    podMetadata: podMetadata('spec.podMetadata').optional(),
    auth: optional(
      z.object({ secretRef }),
      'Password that clients must give. Default none: any client that can reach the port may read and write.',
    ),
    clients: clients.optional(),
    gcGraceSeconds: setting(
      'gcGraceSeconds',
      'Seconds for which deleted keys are remembered, at least 3600. A member that was away for longer drops the records that ' +
        'only it has. Default 604800.',
      [gcGraceFloor],
    ),
    update: update.optional(),
    removal: removal.optional(),
    verification: verification.optional(),
    hosts: hosts.optional(),
    paused: optional(
      z.boolean(),
      'Stop writing to Pods, volumes and nodes, except for what keeps volumes from being deleted. The status is still updated. ' +
        'Default false.',
      {
        default: DEFAULTS.paused,
      },
    ),
    hibernated: optional(
      z.boolean(),
      'Stop all members together once every record is on all its homes, and keep their nodes and volumes. false starts them ' +
        'together again. After gcGraceSeconds less a tenth they are not started without a person. Default false.',
      { default: DEFAULTS.hibernated },
    ),
    deletionProtection: optional(
      z.boolean(),
      'Refuse to delete this object, its nodes and their volumes until this is switched off. Needs the policies of ' +
        'config/components/deletion-protection; does not block the deletion of the namespace. Default false.',
      { default: DEFAULTS.deletionProtection },
    ),
  }),
  'Desired state of the cluster.',
  { rules: [image, nodeSelector, reclaim, sizedByLoad, sizedByHosts, oneSizing, rememberedAsleep] },
);
