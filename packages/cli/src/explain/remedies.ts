// Answers: what does a person type when this is in the way, and how important is it? One line per reason that has
// commands of its own; the texts are those of the reason catalogue.

import { ANNOTATIONS, REASONS, type Reason } from '@marekvs/api';
import type { FindingKind, Rule } from './finding.ts';

export interface About {
  readonly namespace: string;
  readonly cluster: string;
  readonly operatorNamespace: string;
  /** Undefined when none was found. */
  readonly operatorDeployment: string | undefined;
  /** Name of the node, which is that of its Pod. */
  readonly member: string | undefined;
  /** The node that is being removed, if it is not the one in the way. */
  readonly target?: string | undefined;
  /** False when the member's Pod is known to be missing. */
  readonly isPodThere: boolean;
  readonly isClaimThere: boolean;
  /** The smallest size the operator keeps. */
  readonly floor: number;
  /** The size it keeps now. */
  readonly nodes: number;
  /** The bounds of a size that follows the load; undefined for a fixed size. */
  readonly bounds?: { readonly minNodes: number; readonly maxNodes: number };
  /** Labels of the hosts that shall have a member each, as kubectl takes them; undefined when hosts do not decide the
   *  size. */
  readonly hostLabels?: string;
  /** What the member's volume has, or would get. */
  readonly storage: string;
  /** The finding blocks a turn of a rolling update, not a removal, so that no proof is involved. */
  readonly isTurn?: boolean | undefined;
}

type Commands = (about: About) => readonly string[];

/** A `kubectl mkv` command about the cluster. */
const mkv =
  (verb: string, options = ''): Commands =>
  ({ namespace, cluster }) => [`kubectl mkv ${verb} ${cluster} -n ${namespace}${options}`];
/** A command about objects in its namespace. */
const inNamespace =
  (command: string, options = ''): Commands =>
  ({ namespace }) => [`${command} -n ${namespace}${options}`];
/** A command about objects with the label of the cluster. */
const labelled =
  (command: string, options = ''): Commands =>
  ({ namespace, cluster }) => [`${command} -n ${namespace} -l marekvs.io/cluster=${cluster}${options}`];
/** A further command for a finding about one member; none for other findings. */
const ifMember =
  (command: (member: string, about: About) => string): Commands =>
  (about) =>
    about.member === undefined ? [] : [command(about.member, about)];
const all =
  (...parts: readonly (Commands | string)[]): Commands =>
  (about) =>
    parts.flatMap((part) => (typeof part === 'string' ? [part] : part(about)));

const status = mkv('status', ' --watch');
const volumes = mkv('volumes');
const wake = mkv('wake');
const verify = mkv('verify');
const sizing = mkv('autoscale');
const events = mkv('events');
const top = mkv('top');
const adopt = mkv('adopt');
const rolloutStatus = mkv('rollout status');
const rolloutUndo = mkv('rollout undo');
const secrets = inNamespace('kubectl get secret');
const policies = inNamespace('kubectl get netpol', ' -o yaml');
const quota = inNamespace('kubectl describe quota');
const edit: Commands = ({ namespace, cluster }) => [`kubectl edit mkv ${cluster} -n ${namespace}`];
const nodesWide = labelled('kubectl get mkvnode', ' -o wide');
const describeHosts = all('kubectl get nodes', nodesWide);
const hostPermissions = 'kubectl apply -k config/components/hosts';

const describePod: Commands = (about) =>
  about.member === undefined || !about.isPodThere
    ? labelled('kubectl get pods', ' -o wide')(about)
    : [`kubectl describe pod ${about.member} -n ${about.namespace}`];
const describeClaim: Commands = (about) =>
  about.member === undefined || !about.isClaimThere
    ? labelled('kubectl get pvc')(about)
    : [`kubectl describe pvc data-${about.member} -n ${about.namespace}`];
const claimAndClasses = all(describeClaim, 'kubectl get storageclass');
const logs: Commands = ({ namespace, member, cluster }) => [
  `kubectl mkv logs ${member ?? cluster} -n ${namespace} --tail 50`,
];
const previousLogs: Commands = ({ namespace, member, cluster }) => [
  `kubectl mkv logs ${member ?? cluster} -n ${namespace} --previous`,
];
const patch = ({ namespace, cluster }: About, spec: string): string =>
  `kubectl patch mkv ${cluster} -n ${namespace} --type merge -p '{"spec":${spec}}'`;
const growVolumes: Commands = (about) => [patch(about, JSON.stringify({ storage: { size: twice(about.storage) } }))];
const resumeMember: Commands = (about) =>
  about.member === undefined
    ? mkv('status')(about)
    : [`kubectl mkv resume-member ${about.member} -n ${about.namespace}`];
/** `10Gi` becomes `20Gi`. */
function twice(quantity: string): string {
  const [, number = '', unit = ''] = /^([0-9.]+)(.*)$/.exec(quantity) ?? [];
  return number === '' ? quantity : `${Number(number) * 2}${unit}`;
}
/** A command about the member; the status of the cluster for a finding without a member. */
const ofMember =
  (command: (member: string, about: About) => string): Commands =>
  (about) =>
    about.member === undefined ? status(about) : [command(about.member, about)];
const proof: Commands = (about) => {
  const { namespace, member, target = member, isTurn } = about;
  if (isTurn === true) return rolloutStatus(about);
  return target === undefined ? status(about) : [`kubectl mkv proof ${target} -n ${namespace}`];
};
const operatorLogs: Commands = ({ operatorNamespace, operatorDeployment }) =>
  operatorDeployment === undefined
    ? ['kubectl get deploy,pods -A -l app.kubernetes.io/name=marekvs-operator']
    : [
        `kubectl get deploy,pods -n ${operatorNamespace} -l app.kubernetes.io/name=marekvs-operator`,
        `kubectl logs deploy/${operatorDeployment} -n ${operatorNamespace} --tail 50`,
      ];
/** With autoscaling the bounds are changed instead; a size that follows the hosts needs another labelled host. */
const scaleTo = (about: About, nodes: number): string => {
  const { namespace, cluster, bounds, hostLabels } = about;
  if (hostLabels !== undefined) return `kubectl label node <host> ${hostLabels.replaceAll(',', ' ')}`;
  if (bounds === undefined) return `kubectl mkv scale ${cluster} ${nodes} -n ${namespace}`;
  const maxNodes = nodes > bounds.maxNodes ? { maxNodes: nodes } : {};
  return patch(about, JSON.stringify({ autoscale: { minNodes: nodes, ...maxNodes } }));
};
const scaleUp: Commands = (about) => [scaleTo(about, about.nodes + 1)];
const keepSize: Commands = (about) => [scaleTo(about, about.nodes)];
const labelledHosts: Commands = ({ hostLabels }) => [
  `kubectl get nodes${hostLabels === undefined ? '' : ` -l ${hostLabels}`}`,
];

const COMMANDS: Readonly<Partial<Record<Rule, Commands>>> = {
  OperatorDown: operatorLogs,
  OperatorLeaseFree: operatorLogs,
  NotWatched: operatorLogs,
  SpecNotSeen: operatorLogs,
  Unauthorized: all('kubectl apply -k config/components/cluster-role'),
  ApiUnavailable: all('kubectl get --raw /readyz?verbose'),
  StorageBackendFull: all('kubectl get --raw /readyz?verbose'),
  InvalidSpec: edit,
  RequestInvalid: edit,
  SecretMissing: all(secrets, edit),
  AuthNotInForce: edit,
  SecretNotReadable: mkv('auth grant', ' --apply'),
  PasswordInvalid: all(secrets, edit),
  PasswordRefused: (about) => [
    ...secrets(about),
    about.member === undefined
      ? `kubectl mkv status ${about.cluster} -n ${about.namespace}`
      : `kubectl mkv restart ${about.member} -n ${about.namespace}   # starts it with the password of the Secret`,
  ],
  PasswordRotating: status,
  AuthMixed: labelled(
    'kubectl get mkvnode',
    ' -o custom-columns=NODE:.metadata.name,SECRET:.spec.template.authSecretRef.name',
  ),
  TemplateOutdated: status,
  ResizePending: describePod,
  ResizeImpossible: describePod,
  FollowsUpstream: edit,
  Suspended: resumeMember,
  Suspending: resumeMember,
  SuspensionWaits: resumeMember,
  SuspendedTooLong: ofMember((member, { namespace }) => `kubectl mkv replace ${member} -n ${namespace}`),
  Hibernated: wake,
  HibernationWaits: wake,
  Hibernating: wake,
  WakingUp: status,
  HibernatedTooLong: edit,
  Paused: mkv('resume'),
  TotalLoss: volumes,
  QuotaExceeded: quota,
  ForbiddenByPolicy: events,
  StatefulSetFound: adopt,
  ReleaseWaiting: all(mkv('release'), adopt),
  ReleaseRefused: adopt,
  AdoptionUnclear: ({ namespace, cluster }) => [`kubectl get mkv ${cluster} -n ${namespace} -o yaml`],
  DriftLoop: labelled('kubectl get svc,pdb,netpol,pods,pvc,mkvnode', ' -o yaml --show-managed-fields'),
  NameTaken: describePod,
  NodeOrphaned: ofMember((member, { namespace }) => `kubectl get mkvnode ${member} -n ${namespace} -o yaml`),
  PodUnschedulable: describePod,
  PodPending: describePod,
  HostNotReady: describeHosts,
  HostsLost: describeHosts,
  HostLost: volumes,
  HostUnknown: all(hostPermissions),
  PodStuckTerminating: all(
    describePod,
    ifMember(
      (member, { namespace }) =>
        `kubectl delete pod ${member} -n ${namespace} --force --grace-period=0   # only when its host is off`,
    ),
  ),
  ImagePullFailed: all(edit, describePod),
  CrashLooping: previousLogs,
  PodTerminal: previousLogs,
  ContainerConfigInvalid: all(describePod, secrets),
  MemberStarting: logs,
  MemberSilent: all(logs, policies),
  MemberAnswerInvalid: logs,
  MemberJoining: all(
    logs,
    ifMember(
      (member, { namespace }) =>
        `kubectl delete mkvnode ${member} -n ${namespace}   # gives it up: another one joins in its place first`,
    ),
  ),
  MemberNotActive: logs,
  MemberMissing: describePod,
  MemberLonely: logs,
  FormingTimedOut: describePod,
  ViewsDisagree: all(status, mkv('logs', ' --tail 50')),
  StorageClassMissing: claimAndClasses,
  VolumePending: claimAndClasses,
  VolumeChanging: all(volumes, describeClaim),
  VolumeAwaitsRestart: all(rolloutStatus, describeClaim),
  VolumeChangeRefused: all(claimAndClasses, quota),
  VolumeChangeStuck: claimAndClasses,
  VolumeAutoGrown: volumes,
  AutoGrowAtMax: all(
    (about) => [patch(about, JSON.stringify({ storage: { autoGrow: { max: twice(about.storage) } } }))],
    scaleUp,
    top,
  ),
  VolumeLost: volumes,
  DataLost: all(volumes, mkv('acknowledge', '   # says that you have read it, and brings nothing back')),
  VolumeForeign: describeClaim,
  VolumeTooOld: volumes,
  VolumeStuckTerminating: describeClaim,
  OutageTooLong: all(nodesWide, ({ namespace, cluster }) => [
    `kubectl annotate mkv ${cluster} -n ${namespace} ${ANNOTATIONS.startAfterOutage}='the others do not come back'   # loses what only members that come later hold`,
  ]),
  DiskFull: all(growVolumes, scaleUp, top),
  DiskTooSmall: all(top, growVolumes),
  AtFloor: (about) => [
    about.bounds === undefined ? patch(about, `{"nodes":${about.floor}}`) : scaleTo(about, about.floor),
  ],
  BelowFloor: (about) => [
    about.bounds === undefined
      ? scaleTo(about, about.floor)
      : patch(about, JSON.stringify({ autoscale: { maxNodes: about.floor } })),
  ],
  AutoscaleBegun: sizing,
  LoadAboveTarget: all(sizing, status),
  LoadBelowTarget: sizing,
  LoadWithinTarget: sizing,
  DiskAboveTarget: all(sizing, labelled('kubectl get pvc')),
  AtMinNodes: sizing,
  AtMaxNodes: all(sizing, (about) => [
    patch(about, JSON.stringify({ autoscale: { maxNodes: (about.bounds?.maxNodes ?? about.nodes) + 1 } })),
  ]),
  BelowMinNodes: all(sizing, status),
  AboveMaxNodes: sizing,
  SizedByHosts: all(labelledHosts, status),
  NoHostMatches: all(labelledHosts, keepSize, edit),
  FewHosts: all(labelledHosts, keepSize),
  HostsNotReadable: all(hostPermissions),
  NoLoadSignal: all(sizing, logs, policies),
  AutoscaleConflict: all(inNamespace('kubectl get hpa'), (about) => [
    `${patch(about, '{"autoscale":null}')}   # the size stays as it is, and the HorizontalPodAutoscaler decides`,
  ]),
  KeptSize: all(keepSize, sizing),
  ReplicationFactorOne: all(
    (about) => [patch(about, '{"replicationFactor":2}')],
    ifMember(
      (member, { namespace }) => `kubectl mkv force-remove ${member} -n ${namespace}   # loses what only it holds`,
    ),
  ),
  MixedReplicationFactor: all(
    rolloutStatus,
    labelled('kubectl get mkvnode', ' -o custom-columns=NODE:.metadata.name,FACTOR:.spec.template.replicationFactor'),
  ),
  ClientsConnected: proof,
  WaitingForProof: proof,
  RecordsMissing: (about) => [...(about.target === undefined ? [] : proof(about)), ...verify(about)],
  ComparingContents: proof,
  NotCompared: verify,
  ReplicationStuck: all(verify, logs),
  ContentsUnreadable: all(
    inNamespace('kubectl get netpol', '   # TCP 7373 has to be open to the operator'),
    logs,
    ({ namespace, cluster }) => [`kubectl get mkv ${cluster} -n ${namespace} -o jsonpath='{.spec.image}'`],
  ),
  MeshIncomplete: logs,
  DeadlineExceeded: all(events, mkv('cancel', '   # keeps the node, and tries no more')),
  RolledBack: events,
  RetryDelayed: events,
  AnnotationIgnored: ofMember((member, { namespace }) => `kubectl mkv unmark ${member} -n ${namespace}`),
  ForceIgnored: ofMember((member, { namespace }) => `kubectl mkv force-remove ${member} -n ${namespace}`),
  RollingOut: rolloutStatus,
  RolloutInLine: rolloutStatus,
  RolloutStopped: all(rolloutStatus, rolloutUndo, mkv('rollout retry')),
  RolloutPaused: mkv('rollout resume'),
  RolloutAwaitsApproval: all(mkv('rollout approve'), rolloutUndo),
  RolloutOnDelete: all(
    rolloutStatus,
    ifMember((member, { namespace }) => `kubectl delete pod ${member} -n ${namespace}`),
  ),
  DisruptionBudget: status,
  StuckDeleting: operatorLogs,
};

/** Commands for a rule; a rule without its own gets the one that shows the status of the cluster. */
export function commandsFor(rule: Rule, about: About): readonly string[] {
  return (COMMANDS[rule] ?? status)(about);
}

const OWN_REMEDIES: Readonly<Record<Exclude<Rule, Reason>, string>> = {
  OperatorDown: 'Start the operator again; the members serve without it, but nothing is repaired or scaled meanwhile.',
  OperatorLeaseFree: 'Wait a few seconds for a replica to take the lease; if it stays free, look at the operator.',
  NotWatched: 'Let the operator manage this namespace: --watch-namespaces, or the RBAC of the installation.',
  SpecNotSeen: 'Wait a few seconds; if it persists, look at the log of the operator.',
  DisruptionBudget:
    'Wait until every member is ready again, no removal is under way and no record is missing: then the budget allows one eviction.',
  StuckDeleting: 'Look at the operator, which takes the finalizers off when the members have left.',
};

/** What would let it go on: the text of the catalogue, or our own. */
export function remedyFor(rule: Rule): string {
  return isOwn(rule) ? OWN_REMEDIES[rule] : REASONS[rule].remedy;
}

/** Whether the rule is one of ours, which the catalogue does not describe. */
export function isOwn(rule: Rule): rule is Exclude<Rule, Reason> {
  return Object.hasOwn(OWN_REMEDIES, rule);
}

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
  ['QuotaExceeded', 'ForbiddenByPolicy', 'RequestInvalid', 'NameTaken', 'NodeOrphaned', 'DriftLoop'],
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
  ['DiskFull', 'MemberAnswerInvalid', 'MemberSilent', 'ViewsDisagree', 'FormingTimedOut', 'MeshIncomplete'],
  ['ReplicationFactorOne', 'AtFloor', 'MixedReplicationFactor', 'DiskTooSmall', 'FollowsUpstream'],
  ['ContentsUnreadable', 'ReplicationStuck', 'ClientsConnected', 'RecordsMissing'],
  ['AutoscaleConflict', 'KeptSize', 'NoLoadSignal', 'AtMaxNodes', 'NoHostMatches', 'FewHosts', 'HostsNotReadable'],
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
