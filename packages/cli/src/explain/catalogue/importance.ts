// Answers: does a finding need somebody, and which findings come first?

import { REASONS } from '@marekvs/api';
import type { FindingKind, Rule } from '../facts/finding.ts';
import { isOwn } from './remedies.ts';

const NOTES: ReadonlySet<Rule> = new Set<Rule>([
  'AnnotationIgnored',
  'ForceIgnored',
  'VolumeTooOld',
  'RolloutOnDelete',
  'MemberDead',
  'Forced',
  'NotCompared',
  'AutoscaleBegun',
]);

/** `normal` reasons that nevertheless need somebody. */
const BLOCKING: ReadonlySet<Rule> = new Set<Rule>([
  'Paused',
  'Hibernated',
  'Suspended',
  'AtFloor',
  'OperatorDown',
  'NotWatched',
  'RolloutPaused',
  'RolloutAwaitsApproval',
]);
/** `warning` reasons that go away by themselves. */
const PASSING: ReadonlySet<Rule> = new Set<Rule>([
  'MemberMissing',
  'MemberNotActive',
  'MemberWithoutNode',
  'PodTerminal',
  'MemberLonely',
  'VolumeLost',
  'VolumeStuckTerminating',
  'HostLost',
  'RolledBack',
  'DeadlineExceeded',
  'DisruptionBudget',
  'OperatorLeaseFree',
  'SpecNotSeen',
]);

export function kindOf(rule: Rule): FindingKind {
  if (NOTES.has(rule)) return 'note';
  if (BLOCKING.has(rule)) return 'blocked';
  if (PASSING.has(rule)) return 'waiting';
  if (isOwn(rule)) return 'blocked';
  return REASONS[rule].severity === 'warning' ? 'blocked' : 'waiting';
}

/** Causes before consequences: an operator that is away explains everything that does not move. */
const ORDER: readonly (readonly Rule[])[] = [
  ['OperatorDown', 'NotWatched', 'Unauthorized', 'OperatorLeaseFree', 'ApiUnavailable', 'StorageBackendFull'],
  [
    'TotalLoss',
    'OutageTooLong',
    'InvalidSpec',
    'Paused',
    'HibernatedTooLong',
    'Hibernated',
    'SuspendedTooLong',
    'Suspended',
    'NamespaceTerminating',
    'StuckDeleting',
    'SpecNotSeen',
  ],
  ['DataLost'],
  ['StatefulSetFound', 'AdoptionUnclear', 'ReleaseWaiting', 'ReleaseRefused'],
  ['SecretMissing', 'AuthMixed'],
  ['AuthNotInForce'],
  // Trouble with the Pod of the failed member follows from it, or is what its message says.
  ['RolloutStopped'],
  ['QuotaExceeded', 'ForbiddenByPolicy', 'RequestInvalid', 'NameTaken', 'NodeForeign', 'NodeOrphaned', 'DriftLoop'],
  // Trouble with the Pod and its volume follows from trouble with the host.
  ['HostsLost', 'HostNotReady', 'HostLost', 'HostUnknown'],
  ['VolumeLost', 'VolumeForeign', 'VolumeStuckTerminating', 'StorageClassMissing', 'VolumePending'],
  [
    'ImagePullFailed',
    'ContainerConfigInvalid',
    'PodUnschedulable',
    'PodStuckTerminating',
    'CrashLooping',
    'PodTerminal',
  ],
  [
    'DrainedFromOutside',
    'DiskFull',
    'MemberAnswerInvalid',
    'MemberSilent',
    'ViewsDisagree',
    'FormingTimedOut',
    'MeshIncomplete',
  ],
  ['ReplicationFactorOne', 'AtFloor', 'MixedReplicationFactor', 'DiskTooSmall', 'FollowsUpstream'],
  ['ContentsUnreadable', 'ReplicationStuck', 'RegistersDiverge', 'RecordsMissing'],
  [
    'NodeIdsExhausted',
    'AutoscaleConflict',
    'KeptSize',
    'NoLoadSignal',
    'AtMaxNodes',
    'NoHostMatches',
    'FewHosts',
    'HostsNotReadable',
  ],
  // Nodes join and leave because of these.
  ['LoadAboveTarget', 'DiskAboveTarget', 'BelowMinNodes', 'AboveMaxNodes', 'LoadBelowTarget', 'SizedByHosts'],
  ['DeadlineExceeded', 'RolledBack', 'DisruptionBudget'],
];

const KIND_ORDER: readonly FindingKind[] = ['blocked', 'waiting', 'note'];

/** Smaller is more important. */
export function importance(rule: Rule, kind: FindingKind): number {
  const index = ORDER.findIndex((rules) => rules.includes(rule));
  return KIND_ORDER.indexOf(kind) * 100 + (index < 0 ? ORDER.length : index);
}
