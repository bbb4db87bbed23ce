// The status of a MarekvsCluster: written by the cluster controller only, and only on a change of meaning.

import { z } from 'zod';
import { MAX_NODE_ID } from '../members/placement.ts';
import { MAX } from '../rules/limits.ts';
import { conditions, reasonTimes } from './condition.ts';
import { count, describe, integer, list, optional, text, time } from './field.ts';
import { lastOperationSchema, operationSchema } from './operation.ts';

const nodeId = () => integer({ min: 0, max: MAX_NODE_ID });

const detachedVolume = z.object({
  pvcName: describe(text(MAX.ownName, 1), 'Name of the kept volume claim.'),
  pvcUID: describe(text(MAX.labelValue), 'Its UID.'),
  nodeId: describe(nodeId(), 'The node id bound to it.'),
  detachedAt: optional(time(), 'When its node left, if known.'),
  lastActiveAt: optional(time(), 'When its member was last known to be Active.'),
  state: optional(
    z.enum(['Reusable', 'TooOld', 'AgeUnknown', 'HostLost', 'HostDrained', 'Terminating']),
    'Whether a new node may use it: only while it is known to be younger than gcGraceSeconds less a margin, and not if its ' +
      'host was lost or drained.',
  ),
});

const autoscale = z.object({
  size: describe(count(), 'The size decided last, in force until the next decision.'),
  nodes: optional(count(), 'spec.nodes when that was decided.'),
  ideal: optional(
    count(),
    'Number of nodes that load and disks called for then, before minNodes and maxNodes were applied.',
  ),
  opsPerSecond: optional(
    z.number(),
    'Commands per second of all members that the decision is based on, to two significant digits.',
  ),
  target: optional(z.number(), 'The targetOpsPerNode that the decision is based on.'),
  diskPercent: optional(z.number(), 'Fill level of the fullest volume then, in percent.'),
  grownAtPercent: optional(
    z.number(),
    'Fill level in percent at which a node was last added for the disks; the next one is added once they have filled up further.',
  ),
  reason: optional(text(MAX.labelValue), 'A code from the reason catalogue.'),
  message: optional(text(MAX.pendingText), 'The decision in one sentence.'),
  since: optional(time(), 'Since when this size has been in force.'),
  nextChange: optional(time(), 'The earliest time at which the size may change again by itself.'),
});

const missingRecords = z.object({
  home: describe(text(MAX.ownName, 1), 'Name of the node that lacks the records.'),
  partitions: describe(count(), 'Number of partitions they are in.'),
  records: describe(count(), 'Number of missing records; there may be more.'),
});

const verifiedMember = z.object({
  name: describe(text(MAX.ownName, 1), 'Name of the node whose records were checked.'),
  partitionsDone: describe(count(), 'Partitions whose records were found on every other home.'),
  records: optional(count(), 'Approximate number of records it holds, estimated from the digests.'),
  missing: optional(
    list(missingRecords, MAX.lackingHomes),
    'Homes on which records are missing, those with the most missing records first.',
  ),
});

const verification = z.object({
  state: describe(
    z.enum(['Waiting', 'Running', 'Covered', 'Missing', 'Unreadable']),
    'Covered: every record was found on all its homes. Missing: some were not. Waiting, Running: not known yet. ' +
      'Unreadable: the contents of a member cannot be read.',
  ),
  topology: optional(text(128), 'Hash of the members, their generations and the placement that the result is for.'),
  requested: optional(text(MAX.name), 'The request that this answers: the value of the annotation marekvs.io/verify.'),
  at: describe(time(), 'Since when it has been in this state.'),
  message: optional(text(MAX.message), 'One sentence with the figures.'),
  members: optional(
    list(verifiedMember, MAX.comparedMembers),
    'Results by member; only if a person asked for them or records are missing. Of more than 100 members, those with the most missing records.',
  ),
});

const stopped = z.object({
  node: describe(text(MAX.ownName, 1), 'Name of the node whose turn failed.'),
  nodeUID: describe(text(MAX.labelValue, 1), 'Its UID.'),
  reason: describe(text(MAX.labelValue, 1), 'What was wrong with it: a code from the reason catalogue.'),
  message: describe(text(MAX.pendingText), 'What was wrong with it, in one sentence.'),
  at: describe(time(), 'When this was found.'),
});

const update = z.object({
  revision: describe(
    text(MAX.revision, 1),
    'The revision asked for: the hash of the template. Its ControllerRevision is named after the cluster and this hash.',
  ),
  previous: optional(text(MAX.revision, 1), 'The last revision that every member had, which a rollback goes back to.'),
  updated: describe(count(), 'Members that run the revision.'),
  total: describe(count(), 'Members that are to run it.'),
  node: optional(text(MAX.ownName, 1), 'Name of the node whose turn it is.'),
  stopped: optional(stopped, 'Set while the update is stopped: no further member is restarted.'),
  retried: optional(text(MAX.name), 'The last value of the annotation marekvs.io/rollout-retry that was acted on.'),
});

const release = z.object({
  phase: describe(
    z.enum(['Preparing', 'Waiting', 'LettingGo', 'TakingBack', 'Closing']),
    'Preparing: the Pods get the label of the StatefulSet, and the Services its selector. Waiting: for the StatefulSet. ' +
      'LettingGo: it takes over the Pods one by one. TakingBack: the nodes take them back. Closing: it has all Pods, and the nodes are removed.',
  ),
  statefulSetUID: optional(text(MAX.labelValue, 1), 'UID of the StatefulSet that takes over the Pods.'),
  since: describe(time(), 'Since when it has been in this phase.'),
});

/** Written by versions before rolling updates. During an upgrade such a version may lead while the new CRDs are
 *  installed. Without this field the API server would refuse its whole status, and it could not even report why it is
 *  blocked. */
const earlierTemplate = z.object({
  hash: describe(text(MAX.labelValue), 'Hash of the template new Pods were made from.'),
  updatedNodes: optional(count(), 'Nodes whose Pod had that template.'),
});

const loss = {
  at: describe(time(), 'When it was first seen.'),
  nodeIds: describe(list(nodeId(), MAX.lossNodes), 'Ids of the nodes whose volumes are lost; of many, the first ones.'),
  partitions: describe(count(), 'Number of partitions whose homes were all among them.'),
  percent: describe(z.number(), 'Their share of all partitions, in percent.'),
};

const data = z.object({
  state: describe(
    z.enum(['Whole', 'NotCompared', 'AtRisk', 'Lost']),
    'Whole: every record was found on all its homes. NotCompared: the members have changed since. AtRisk: a home is lost, or is ' +
      'being removed without proof. Lost: all homes of some partitions were lost; this stays until somebody acknowledges it.',
  ),
  homes: optional(
    z.object({
      nodeIds: describe(list(nodeId(), MAX.members), 'Ids of the members.'),
      replicationFactor: describe(count(), 'Homes of every key.'),
    }),
    'The placement for which every record was last found on all its homes.',
  ),
  lostNodeIds: optional(
    list(nodeId(), MAX.members),
    'Ids of the members of that placement whose volumes have been lost since.',
  ),
  losses: optional(list(z.object(loss), MAX.losses), 'Losses of data that nobody has acknowledged.'),
  acknowledged: optional(
    z.object({
      ...loss,
      by: describe(text(MAX.name), 'Who acknowledged it.'),
      acknowledgedAt: describe(time(), 'When it was acknowledged.'),
    }),
    'The last loss that somebody acknowledged.',
  ),
});

const pendingText = () => text(MAX.pendingText);

const pendingChange = z.object({
  field: describe(text(MAX.labelValue, 1), 'The field of the spec, such as spec.replicationFactor.'),
  asked: describe(pendingText(), 'What the spec asks for.'),
  effective: describe(pendingText(), 'What is in force instead.'),
  reason: describe(text(MAX.labelValue), 'A code from the reason catalogue.'),
  why: describe(pendingText(), 'Why it is not in force.'),
  wayOut: describe(pendingText(), 'What would bring it into force.'),
  needsPerson: describe(z.boolean(), 'Whether a person has to act. If false, it comes into force by itself.'),
  since: describe(time(), 'Since when it has been asked for without being in force.'),
});

export const clusterStatusSchema = describe(
  z.object({
    phase: optional(
      z.enum(['Reconciling', 'Healthy', 'ScalingUp', 'ScalingDown', 'Blocked', 'Hibernated']),
      'For display only; programs should use the conditions.',
    ),
    message: optional(text(MAX.message), 'The phase, explained in one sentence.'),
    observedGeneration: optional(count(), 'The metadata.generation that this status describes.'),
    desiredNodes: optional(
      count(),
      'Size that the operator works towards, after autoscaling and the smallest allowed size.',
    ),
    readyNodes: optional(count(), 'Members that are ready.'),
    replicas: optional(count(), 'Number of members, without those still joining; read by the scale subresource.'),
    selector: optional(text(512), 'Label selector of the Pods, for the scale subresource.'),
    instanceNames: optional(list(text(MAX.ownName), MAX.members), 'Names of the members, without those still joining.'),
    underreplicatedPartitions: optional(
      count(),
      'Partitions with fewer homes than replicationFactor, as counted by the members. This is about membership and proves nothing about contents.',
    ),
    opsPerSecond: optional(z.number(), 'Commands per second of all members, to two significant digits.'),
    formed: optional(
      z.object({
        at: describe(time(), 'When all members first agreed.'),
        clusterId: describe(text(512, 1), 'Identity of the cluster (MAREKVS_CLUSTER), fixed for life.'),
      }),
      'Set once, when the cluster was first complete; a cluster is never formed twice.',
    ),
    highestNodeId: optional(nodeId(), 'Highest node id ever used in this cluster; ids are never reused.'),
    operation: optional(operationSchema, 'The operation under way, if any.'),
    lastOperation: optional(lastOperationSchema, 'The previous operation.'),
    detachedVolumes: optional(list(detachedVolume, MAX.detachedVolumes), 'Kept volumes without a node.'),
    verification: optional(verification, 'The last comparison of the members’ contents.'),
    autoscale: optional(autoscale, 'The last decision of the autoscaler, with its inputs.'),
    release: optional(
      release,
      'How far the members have been handed to a StatefulSet; absent unless somebody asked for that.',
    ),
    update: optional(update, 'How far the current template has reached the members.'),
    template: optional(earlierTemplate, 'Written only by early versions that had no rolling updates.'),
    data: optional(data, 'What is known about the data as a whole.'),
    blockedBy: optional(
      text(MAX.labelValue),
      'Why the phase is Blocked or the operation does not proceed: a code from the reason catalogue. Absent when nothing is in the way.',
    ),
    reasonTimes: reasonTimes.optional(),
    pendingChanges: optional(
      list(pendingChange, MAX.pendingChanges),
      'What the spec asks for that is not in force, field by field; absent when everything is in force.',
    ),
    conditions: conditions.optional(),
  }),
  'Observed state of the cluster.',
);
