// Every event the operator writes, by what it is about and what was done. docs/reference/events.md is generated from
// it, and a life of the reliability world fails when it meets an event that is not listed here.

import type { Reason } from '@marekvs/api';

export interface EventEntry {
  readonly about: 'MarekvsCluster' | 'MarekvsNode';
  readonly action: string;
  readonly type: 'Normal' | 'Warning';
  /** The reasons it can have; `anyWarning`: whatever a person has to act on. */
  readonly reasons: readonly Reason[] | 'anyWarning';
  /** When it is written, as half a sentence. */
  readonly when: string;
}

export const EVENT_CATALOGUE: readonly EventEntry[] = [
  {
    about: 'MarekvsCluster',
    action: 'Form',
    type: 'Normal',
    reasons: ['ClusterFormed'],
    when: 'all members of a new cluster agree',
  },
  {
    about: 'MarekvsCluster',
    action: 'CreateNode',
    type: 'Normal',
    reasons: ['ScalingClusterUp', 'WaitingForReplacement', 'HostDraining', 'Adopting'],
    when: 'nodes were created: to grow, in place of one that leaves, or for members that are taken over; one event for all of a pass',
  },
  {
    about: 'MarekvsCluster',
    action: 'CreateNode',
    type: 'Warning',
    reasons: ['MemberWithoutNode', 'VolumeLost', 'HostLost', 'RolledBack'],
    when: 'nodes were created to repair: for a member without one, for a lost volume or host, for a removal that was undone',
  },
  {
    about: 'MarekvsCluster',
    action: 'Release',
    type: 'Normal',
    reasons: ['Releasing', 'Released'],
    when: 'the handover of its members to a StatefulSet begins, is reversed, or is complete',
  },
  {
    about: 'MarekvsCluster',
    action: 'DropRevision',
    type: 'Warning',
    reasons: ['InvalidRevision'],
    when: 'a ControllerRevision that somebody had changed was deleted, used or not',
  },
  {
    about: 'MarekvsCluster',
    action: 'Stalled',
    type: 'Warning',
    reasons: 'anyWarning',
    when: 'a person has to act; once for each reason',
  },
  {
    about: 'MarekvsCluster',
    action: 'DataAtRisk',
    type: 'Warning',
    reasons: ['TotalLoss', 'MemberDead', 'Forced', 'VolumeStuckTerminating', 'VolumeLost', 'HostLost'],
    when: 'data is lost or may be lost; once for each reason',
  },
  {
    about: 'MarekvsCluster',
    action: 'Remove',
    type: 'Normal',
    reasons: ['RemovalFinished', 'CancelledByUser'],
    when: 'an operation ended as intended',
  },
  {
    about: 'MarekvsCluster',
    action: 'Remove',
    type: 'Warning',
    reasons: [
      'Forced',
      'RolledBack',
      'Repairing',
      'VolumeLost',
      'MemberDead',
      'FinalizerRemoved',
      'Deleting',
      'ForceIgnored',
      'AnnotationIgnored',
      'NodeForeign',
      'VolumeTooOld',
    ],
    when: 'a node is forced out, a removal is undone or ends differently than asked for, or a request was ignored',
  },
  {
    about: 'MarekvsCluster',
    action: 'Roll',
    type: 'Normal',
    reasons: ['RolledOut', 'ResizedInPlace', 'MovedOff', 'PasswordApplied', 'CancelledByUser', 'RolloutPaused'],
    when: 'a member has the current template, after a restart or a resize in place, or has left a host that is being drained, or was restarted because of its password, or its turn is no longer needed',
  },
  {
    about: 'MarekvsCluster',
    action: 'Roll',
    type: 'Warning',
    reasons: [
      'ResizeImpossible',
      'RolloutStopped',
      'RolledBack',
      'DeadlineExceeded',
      'Repairing',
      'MemberSilent',
      'PasswordRefused',
      'DrainedFromOutside',
    ],
    when: 'a member cannot be resized in place, or was restarted because somebody else had drained it, or its turn in a rolling update ended differently than asked for',
  },
  {
    about: 'MarekvsCluster',
    action: 'Hibernate',
    type: 'Normal',
    reasons: ['Hibernated', 'Woken'],
    when: 'all members are stopped as spec.hibernated asks for, or are back and have every record',
  },
  {
    about: 'MarekvsCluster',
    action: 'Hibernate',
    type: 'Warning',
    reasons: ['DeadlineExceeded', 'Repairing'],
    when: 'stopping all members was given up, or not all of them came back',
  },
  {
    about: 'MarekvsCluster',
    action: 'Suspend',
    type: 'Normal',
    reasons: ['Suspended', 'Resumed', 'CancelledByUser'],
    when: 'one member is stopped for manual repair, with who asked for it, or is back, or the request was withdrawn',
  },
  {
    about: 'MarekvsCluster',
    action: 'Suspend',
    type: 'Warning',
    reasons: ['DeadlineExceeded', 'Repairing', 'VolumeLost'],
    when: 'stopping one member was given up, or it is replaced instead',
  },
  {
    about: 'MarekvsCluster',
    action: 'Reconcile',
    type: 'Warning',
    reasons: ['FinalizerRemoved'],
    when: 'a MarekvsNode vanished without a finished removal',
  },
  {
    about: 'MarekvsCluster',
    action: 'Autoscale',
    type: 'Normal',
    reasons: [
      'AutoscaleBegun',
      'LoadAboveTarget',
      'LoadBelowTarget',
      'LoadWithinTarget',
      'DiskAboveTarget',
      'AtMinNodes',
      'BelowMinNodes',
      'AboveMaxNodes',
      'SizedByHosts',
    ],
    when: 'load, disks or hosts decided a size, with the arithmetic',
  },
  {
    about: 'MarekvsCluster',
    action: 'Autoscale',
    type: 'Warning',
    reasons: ['AtMaxNodes', 'NoLoadSignal'],
    when: 'for two minutes, load or disks have called for more nodes than are allowed, or have been unknown',
  },
  {
    about: 'MarekvsCluster',
    action: 'GrowVolume',
    type: 'Normal',
    reasons: ['VolumeAutoGrown'],
    when: 'a volume is filling up and spec.storage.autoGrow raises its size, with the figures',
  },
  {
    about: 'MarekvsNode',
    action: 'SetPassword',
    type: 'Normal',
    reasons: ['PasswordApplied'],
    when: 'a running member was given the password that its Secret now has, and accepted it',
  },
  {
    about: 'MarekvsNode',
    action: 'ChangeVolume',
    type: 'Warning',
    reasons: ['VolumeChangeRefused', 'VolumeChangeStuck'],
    when: 'the claim of a node cannot get the requested size or attributes, once for each reason',
  },
  {
    about: 'MarekvsNode',
    action: 'DeletePod',
    type: 'Warning',
    reasons: ['PodTerminal', 'MemberLonely', 'HostLost'],
    when: 'a Pod was deleted, to be started again on its volume; by force if its host is off',
  },
  {
    about: 'MarekvsNode',
    action: 'DeletePod',
    type: 'Normal',
    reasons: ['MemberSealing', 'CancelledByUser', 'TemplateOutdated', 'RollingOut', 'HostDraining'],
    when: 'a Pod is restarted with its door closed before its node is removed, because a removal was cancelled, or in its turn with another template or on another host, or is recreated because it never started and its template was corrected',
  },
  {
    about: 'MarekvsNode',
    action: 'CreatePod',
    type: 'Normal',
    reasons: ['PodCreated'],
    when: 'a Pod was recreated; the first Pod of a node is part of the node’s creation',
  },
  {
    about: 'MarekvsNode',
    action: 'Reconcile',
    type: 'Warning',
    reasons: 'anyWarning',
    when: 'a person has to act on this node; once for each reason',
  },
];
