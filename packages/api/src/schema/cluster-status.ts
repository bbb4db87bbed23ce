// The status of a MarekvsCluster: written by the cluster controller only, and only on a change of meaning.

import { z } from 'zod';
import { MAX } from '../limits.ts';
import { MAX_NODE_ID } from '../placement.ts';
import { conditions, reasonTimes } from './condition.ts';
import { count, describe, integer, list, optional, text, time } from './field.ts';
import { lastOperationSchema, operationSchema } from './operation.ts';

const nodeId = () => integer({ min: 0, max: MAX_NODE_ID });

const detachedVolume = z.object({
  pvcName: describe(text(MAX.ownName, 1), 'Name of the kept volume claim.'),
  pvcUID: describe(text(MAX.labelValue), 'Its UID.'),
  nodeId: describe(nodeId(), 'The node id bound to it.'),
  detachedAt: optional(time(), 'When its node left, as far as known.'),
  lastActiveAt: optional(time(), 'When its member was last known to be Active.'),
  state: optional(
    z.enum(['Reusable', 'TooOld', 'AgeUnknown', 'HostLost', 'HostDrained', 'Terminating']),
    'Whether a new node may take it up: only while it is known to be younger than gcGraceSeconds minus a margin, and not on a host that was lost or drained.',
  ),
});

const autoscale = z.object({
  size: describe(count(), 'Size that was decided, and is in force until the next decision.'),
  nodes: optional(count(), 'spec.nodes when it was decided.'),
  ideal: optional(count(), 'Nodes that load and disks asked for then, before minNodes and maxNodes.'),
  opsPerSecond: optional(z.number(), 'Commands per second of all members it rests on, two significant digits.'),
  target: optional(z.number(), 'targetOpsPerNode it rests on.'),
  diskPercent: optional(z.number(), 'Fill level in percent of the fullest volume then.'),
  grownAtPercent: optional(
    z.number(),
    'Fill level in percent at which a node was last added for the disks; the next one is added when they have filled further.',
  ),
  reason: optional(text(MAX.labelValue), 'One code of the reason catalogue.'),
  message: optional(text(MAX.pendingText), 'The decision in one sentence.'),
  since: optional(time(), 'Since when the size is this one.'),
  nextChange: optional(time(), 'When the size may change again by itself, at the earliest.'),
});

const missingRecords = z.object({
  home: describe(text(MAX.ownName, 1), 'Name of the node that lacks them.'),
  partitions: describe(count(), 'Partitions they are in.'),
  records: describe(count(), 'Records, at least so many.'),
});

const verifiedMember = z.object({
  name: describe(text(MAX.ownName, 1), 'Name of the node whose records were looked for.'),
  partitionsDone: describe(count(), 'Partitions whose records are on every other home.'),
  records: optional(count(), 'Records it holds, about: estimated from the digests.'),
  missing: optional(list(missingRecords, MAX.lackingHomes), 'Where records are missing, most first.'),
});

const verification = z.object({
  state: describe(
    z.enum(['Waiting', 'Running', 'Covered', 'Missing', 'Unreadable']),
    'Covered: every record was seen on every home of it. Missing: some were not. Waiting, Running: it is not known yet. ' +
      'Unreadable: a member’s contents cannot be read.',
  ),
  topology: optional(text(128), 'Hash of the members, their lives and the placement it is about.'),
  requested: optional(text(MAX.name), 'The request it answers: value of the annotation marekvs.io/verify.'),
  at: describe(time(), 'Since when the state is this one.'),
  message: optional(text(MAX.message), 'One sentence with the figures.'),
  members: optional(
    list(verifiedMember, MAX.comparedMembers),
    'By member; only when a person asked, or records are missing. Of more than 100, those that lack most.',
  ),
});

const stopped = z.object({
  node: describe(text(MAX.ownName, 1), 'Name of the node whose turn failed.'),
  nodeUID: describe(text(MAX.labelValue, 1), 'Its UID.'),
  reason: describe(text(MAX.labelValue, 1), 'One code of the reason catalogue: what was wrong with it.'),
  message: describe(text(MAX.pendingText), 'What was wrong with it, in one sentence.'),
  at: describe(time(), 'When it was found.'),
});

const update = z.object({
  revision: describe(
    text(MAX.revision, 1),
    'Revision that is asked for: hash of the template, and name of its ControllerRevision after the cluster’s.',
  ),
  previous: optional(text(MAX.revision, 1), 'The last revision that every member had: what a rollback goes back to.'),
  updated: describe(count(), 'Members that have come up with the revision.'),
  total: describe(count(), 'Members that shall have it.'),
  node: optional(text(MAX.ownName, 1), 'Name of the node whose turn it is.'),
  stopped: optional(stopped, 'Set while the update has stopped: no further member is restarted.'),
  retried: optional(text(MAX.name), 'The last value of the annotation marekvs.io/rollout-retry that was heeded.'),
});

const release = z.object({
  phase: describe(
    z.enum(['Preparing', 'Waiting', 'LettingGo', 'TakingBack', 'Closing']),
    'Preparing: the Pods get the label, and the Services the selector, of the StatefulSet. Waiting: for the StatefulSet. LettingGo: it takes ' +
      'the Pods, one after the other. TakingBack: nodes take them again. Closing: it has all of them, and the nodes go.',
  ),
  statefulSetUID: optional(text(MAX.labelValue, 1), 'UID of the StatefulSet that takes the Pods.'),
  since: describe(time(), 'Since when the phase is this one.'),
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
  nodeIds: describe(list(nodeId(), MAX.lossNodes), 'Ids of the nodes whose volumes are lost, the first of many.'),
  partitions: describe(count(), 'Partitions that had all their homes on them.'),
  percent: describe(z.number(), 'Their share of all partitions, in percent.'),
};

const data = z.object({
  state: describe(
    z.enum(['Whole', 'NotCompared', 'AtRisk', 'Lost']),
    'Whole: every record was seen on all its homes. NotCompared: the members have changed since. AtRisk: a home is lost, or goes without ' +
      'proof. Lost: all homes of some partitions were lost, until somebody acknowledges it.',
  ),
  homes: optional(
    z.object({
      nodeIds: describe(list(nodeId(), MAX.nodes), 'Ids of the members.'),
      replicationFactor: describe(count(), 'Homes of every key.'),
    }),
    'The placement for which contents were last seen whole.',
  ),
  lostNodeIds: optional(
    list(nodeId(), MAX.nodes),
    'Ids of the members of that placement whose volumes were lost since.',
  ),
  losses: optional(list(z.object(loss), MAX.losses), 'Lost data that nobody has acknowledged.'),
  acknowledged: optional(
    z.object({
      ...loss,
      by: describe(text(MAX.name), 'Who has acknowledged it.'),
      acknowledgedAt: describe(time(), 'When.'),
    }),
    'The last loss that somebody has acknowledged.',
  ),
});

const pendingText = () => text(MAX.pendingText);

const pendingChange = z.object({
  field: describe(text(MAX.labelValue, 1), 'The field of the spec, such as spec.replicationFactor.'),
  asked: describe(pendingText(), 'What the spec asks for.'),
  effective: describe(pendingText(), 'What is in force in its place.'),
  reason: describe(text(MAX.labelValue), 'One code of the reason catalogue.'),
  why: describe(pendingText(), 'Why it is not in force.'),
  wayOut: describe(pendingText(), 'What ends that.'),
  needsPerson: describe(z.boolean(), 'false: it comes into force by itself.'),
  since: describe(time(), 'Since when it is asked for in vain.'),
});

export const clusterStatusSchema = describe(
  z.object({
    phase: optional(
      z.enum(['Reconciling', 'Healthy', 'ScalingUp', 'ScalingDown', 'Blocked', 'Hibernated']),
      'For display only; read conditions instead.',
    ),
    message: optional(text(MAX.message), 'One sentence to the phase.'),
    observedGeneration: optional(count(), 'metadata.generation this status is about.'),
    desiredNodes: optional(count(), 'Size the operator works towards, after floor and autoscaling.'),
    readyNodes: optional(count(), 'Members that are ready.'),
    replicas: optional(count(), 'Members that count, without those still joining; the scale subresource reads it.'),
    selector: optional(text(512), 'Label selector of the Pods, for the scale subresource.'),
    instanceNames: optional(
      list(text(MAX.ownName), MAX.nodes),
      'Names of the members that count, without those still joining.',
    ),
    underreplicatedPartitions: optional(
      count(),
      'Partitions with fewer homes than replicationFactor, as the members count it: membership, not a proof.',
    ),
    opsPerSecond: optional(z.number(), 'Commands per second of all members, two significant digits.'),
    formed: optional(
      z.object({
        at: describe(time(), 'When all members first agreed.'),
        clusterId: describe(text(512, 1), 'Identity of the cluster (MAREKVS_CLUSTER), fixed for life.'),
      }),
      'Set once, when the cluster first was whole; a cluster is never formed twice.',
    ),
    highestNodeId: optional(nodeId(), 'Highest node id ever used in this cluster; ids are not used twice.'),
    operation: optional(operationSchema, 'The operation under way, if any.'),
    lastOperation: optional(lastOperationSchema, 'The operation before.'),
    detachedVolumes: optional(list(detachedVolume, MAX.nodes), 'Kept volumes without a node.'),
    verification: optional(verification, 'The last comparison of the members’ contents.'),
    autoscale: optional(autoscale, 'The last decision of the autoscaler and its inputs.'),
    release: optional(release, 'How far the members are handed to a StatefulSet; absent while nobody asks for it.'),
    update: optional(update, 'How far the template that is asked for has reached the members.'),
    template: optional(earlierTemplate, 'Written by versions before rolling updates, and by no later one.'),
    data: optional(data, 'What is known of the data as a whole.'),
    blockedBy: optional(
      text(MAX.labelValue),
      'Why the phase is Blocked or the operation does not go on: one code of the reason catalogue. Absent when nothing is in the way.',
    ),
    reasonTimes: reasonTimes.optional(),
    pendingChanges: optional(
      list(pendingChange, MAX.pendingChanges),
      'What the spec asks for and is not in force, field by field; absent when everything is.',
    ),
    conditions: conditions.optional(),
  }),
  'Observed state of the cluster.',
);
