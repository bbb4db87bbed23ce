// The status of a MarekvsCluster: written by the cluster controller only, and only on a change of meaning.

import { z } from 'zod';
import { MAX } from '../limits.ts';
import { MAX_NODE_ID } from '../placement.ts';
import { conditions, reasonTimes } from './condition.ts';
import { count, describe, integer, text, time } from './field.ts';
import { lastOperationSchema, operationSchema } from './operation.ts';

const nodeId = () => integer({ min: 0, max: MAX_NODE_ID });

const detachedVolume = z.object({
  pvcName: describe(text(MAX.ownName, 1), 'Name of the kept volume claim.'),
  pvcUID: describe(text(MAX.labelValue), 'Its UID.'),
  nodeId: describe(nodeId(), 'The node id bound to it.'),
  detachedAt: describe(time(), 'When its node left, as far as known.').optional(),
  lastActiveAt: describe(time(), 'When its member was last known to be Active.').optional(),
  state: describe(
    z.enum(['Reusable', 'TooOld', 'AgeUnknown', 'HostLost', 'HostDrained', 'Terminating']),
    'Whether a new node may take it up: only while it is known to be younger than gcGraceSeconds minus a margin, and not on a host that was lost or drained.',
  ).optional(),
});

const autoscale = z.object({
  size: describe(count(), 'Size that was decided, and is in force until the next decision.'),
  nodes: describe(count(), 'spec.nodes when it was decided.').optional(),
  ideal: describe(count(), 'Nodes that load and disks asked for then, before minNodes and maxNodes.').optional(),
  opsPerSecond: describe(
    z.number(),
    'Commands per second of all members it rests on, two significant digits.',
  ).optional(),
  target: describe(z.number(), 'targetOpsPerNode it rests on.').optional(),
  diskPercent: describe(z.number(), 'Fill level in percent of the fullest volume then.').optional(),
  grownAtPercent: describe(
    z.number(),
    'Fill level in percent at which a node was last added for the disks; the next one is added when they have filled further.',
  ).optional(),
  reason: describe(text(MAX.labelValue), 'One code of the reason catalogue.').optional(),
  message: describe(text(MAX.pendingText), 'The decision in one sentence.').optional(),
  since: describe(time(), 'Since when the size is this one.').optional(),
  nextChange: describe(time(), 'When the size may change again by itself, at the earliest.').optional(),
});

const missingRecords = z.object({
  home: describe(text(MAX.ownName, 1), 'Name of the node that lacks them.'),
  partitions: describe(count(), 'Partitions they are in.'),
  records: describe(count(), 'Records, at least so many.'),
});

const verifiedMember = z.object({
  name: describe(text(MAX.ownName, 1), 'Name of the node whose records were looked for.'),
  partitionsDone: describe(count(), 'Partitions whose records are on every other home.'),
  records: describe(count(), 'Records it holds, about: estimated from the digests.').optional(),
  missing: describe(z.array(missingRecords).max(MAX.lackingHomes), 'Where records are missing, most first.', {
    'x-kubernetes-list-type': 'atomic',
  }).optional(),
});

const verification = z.object({
  state: describe(
    z.enum(['Waiting', 'Running', 'Covered', 'Missing', 'Unreadable']),
    'Covered: every record was seen on every home of it. Missing: some were not. Waiting, Running: it is not known yet. ' +
      'Unreadable: a member’s contents cannot be read.',
  ),
  topology: describe(text(128), 'Hash of the members, their lives and the placement it is about.').optional(),
  requested: describe(text(MAX.name), 'The request it answers: value of the annotation marekvs.io/verify.').optional(),
  at: describe(time(), 'Since when the state is this one.'),
  message: describe(text(MAX.message), 'One sentence with the figures.').optional(),
  members: describe(
    z.array(verifiedMember).max(MAX.comparedMembers),
    'By member; only when a person asked, or records are missing. Of more than 100, those that lack most.',
    {
      'x-kubernetes-list-type': 'atomic',
    },
  ).optional(),
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
  previous: describe(
    text(MAX.revision, 1),
    'The last revision that every member had: what a rollback goes back to.',
  ).optional(),
  updated: describe(count(), 'Members that have come up with the revision.'),
  total: describe(count(), 'Members that shall have it.'),
  node: describe(text(MAX.ownName, 1), 'Name of the node whose turn it is.').optional(),
  stopped: describe(stopped, 'Set while the update has stopped: no further member is restarted.').optional(),
  retried: describe(
    text(MAX.name),
    'The last value of the annotation marekvs.io/rollout-retry that was heeded.',
  ).optional(),
});

const release = z.object({
  phase: describe(
    z.enum(['Preparing', 'Waiting', 'LettingGo', 'TakingBack', 'Closing']),
    'Preparing: the Pods get the label, and the Services the selector, of the StatefulSet. Waiting: for the StatefulSet. LettingGo: it takes ' +
      'the Pods, one after the other. TakingBack: nodes take them again. Closing: it has all of them, and the nodes go.',
  ),
  statefulSetUID: describe(text(MAX.labelValue, 1), 'UID of the StatefulSet that takes the Pods.').optional(),
  since: describe(time(), 'Since when the phase is this one.'),
});

/** What versions before rolling updates wrote. While the operator is upgraded, one of them may lead beside the new
 *  kinds, and the API server would refuse its whole status for a field that is not there any more: it could not even
 *  say why it does not go on. */
const earlierTemplate = z.object({
  hash: describe(text(MAX.labelValue), 'Hash of the template new Pods were made from.'),
  updatedNodes: describe(count(), 'Nodes whose Pod had that template.').optional(),
});

const loss = {
  at: describe(time(), 'When it was first seen.'),
  nodeIds: describe(
    z.array(nodeId()).max(MAX.lossNodes),
    'Ids of the nodes whose volumes are lost, the first of many.',
    {
      'x-kubernetes-list-type': 'atomic',
    },
  ),
  partitions: describe(count(), 'Partitions that had all their homes on them.'),
  percent: describe(z.number(), 'Their share of all partitions, in percent.'),
};

const data = z.object({
  state: describe(
    z.enum(['Whole', 'NotCompared', 'AtRisk', 'Lost']),
    'Whole: every record was seen on all its homes. NotCompared: the members have changed since. AtRisk: a home is lost, or goes without ' +
      'proof. Lost: all homes of some partitions were lost, until somebody acknowledges it.',
  ),
  homes: describe(
    z.object({
      nodeIds: describe(z.array(nodeId()).max(MAX.nodes), 'Ids of the members.', {
        'x-kubernetes-list-type': 'atomic',
      }),
      replicationFactor: describe(count(), 'Homes of every key.'),
    }),
    'The placement for which contents were last seen whole.',
  ).optional(),
  lostNodeIds: describe(
    z.array(nodeId()).max(MAX.nodes),
    'Ids of the members of that placement whose volumes were lost since.',
    { 'x-kubernetes-list-type': 'atomic' },
  ).optional(),
  losses: describe(z.array(z.object(loss)).max(MAX.losses), 'Lost data that nobody has acknowledged.', {
    'x-kubernetes-list-type': 'atomic',
  }).optional(),
  acknowledged: describe(
    z.object({
      ...loss,
      by: describe(text(MAX.name), 'Who has acknowledged it.'),
      acknowledgedAt: describe(time(), 'When.'),
    }),
    'The last loss that somebody has acknowledged.',
  ).optional(),
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
    phase: describe(
      z.enum(['Reconciling', 'Healthy', 'ScalingUp', 'ScalingDown', 'Blocked', 'Hibernated']),
      'For display only; read conditions instead.',
    ).optional(),
    message: describe(text(MAX.message), 'One sentence to the phase.').optional(),
    observedGeneration: describe(count(), 'metadata.generation this status is about.').optional(),
    desiredNodes: describe(count(), 'Size the operator works towards, after floor and autoscaling.').optional(),
    readyNodes: describe(count(), 'Members that are ready.').optional(),
    replicas: describe(
      count(),
      'Members that count, without those still joining; the scale subresource reads it.',
    ).optional(),
    selector: describe(text(512), 'Label selector of the Pods, for the scale subresource.').optional(),
    instanceNames: describe(
      z.array(text(MAX.ownName)).max(MAX.nodes),
      'Names of the members that count, without those still joining.',
      {
        'x-kubernetes-list-type': 'atomic',
      },
    ).optional(),
    underreplicatedPartitions: describe(
      count(),
      'Partitions with fewer homes than replicationFactor, as the members count it: membership, not a proof.',
    ).optional(),
    opsPerSecond: describe(z.number(), 'Commands per second of all members, two significant digits.').optional(),
    formed: describe(
      z.object({
        at: describe(time(), 'When all members first agreed.'),
        clusterId: describe(text(512, 1), 'Identity of the cluster (MAREKVS_CLUSTER), fixed for life.'),
      }),
      'Set once, when the cluster first was whole; a cluster is never formed twice.',
    ).optional(),
    highestNodeId: describe(nodeId(), 'Highest node id ever used in this cluster; ids are not used twice.').optional(),
    operation: describe(operationSchema, 'The operation under way, if any.').optional(),
    lastOperation: describe(lastOperationSchema, 'The operation before.').optional(),
    detachedVolumes: describe(z.array(detachedVolume).max(MAX.nodes), 'Kept volumes without a node.', {
      'x-kubernetes-list-type': 'atomic',
    }).optional(),
    verification: describe(verification, 'The last comparison of the members’ contents.').optional(),
    autoscale: describe(autoscale, 'The last decision of the autoscaler and its inputs.').optional(),
    release: describe(
      release,
      'How far the members are handed to a StatefulSet; absent while nobody asks for it.',
    ).optional(),
    update: describe(update, 'How far the template that is asked for has reached the members.').optional(),
    template: describe(earlierTemplate, 'Written by versions before rolling updates, and by no later one.').optional(),
    data: describe(data, 'What is known of the data as a whole.').optional(),
    blockedBy: describe(
      text(MAX.labelValue),
      'Why the phase is Blocked or the operation does not go on: one code of the reason catalogue. Absent when nothing is in the way.',
    ).optional(),
    reasonTimes: reasonTimes.optional(),
    pendingChanges: describe(
      z.array(pendingChange).max(MAX.pendingChanges),
      'What the spec asks for and is not in force, field by field; absent when everything is.',
      { 'x-kubernetes-list-type': 'atomic' },
    ).optional(),
    conditions: conditions.optional(),
  }),
  'Observed state of the cluster.',
);
