// Answers: what does a person type when this is in the way, and how important is it? One line per reason that has an
// answer of its own; the texts are those of the reason catalogue.

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
  /** The node that is being removed, where that is another one than the one in the way. */
  readonly target?: string | undefined;
  /** False when the member's Pod is known to be missing. */
  readonly isPodThere: boolean;
  readonly isClaimThere: boolean;
  /** The smallest size the operator keeps. */
  readonly floor: number;
  /** The size it keeps now. */
  readonly nodes: number;
  /** Between which sizes it follows the load; undefined for a fixed size. */
  readonly bounds?: { readonly minNodes: number; readonly maxNodes: number };
  /** Of the hosts that shall have a member each, as kubectl takes them; undefined for a size that they do not
   *  decide. */
  readonly hostLabels?: string;
  /** What the member's volume has, or would get. */
  readonly storage: string;
  /** It keeps a turn of a rolling update, and no removal: it is not about a proof. */
  readonly isTurn?: boolean | undefined;
}

type Commands = (about: About) => readonly string[];

const describePod: Commands = ({ namespace, member, cluster, isPodThere }) => [
  member === undefined || !isPodThere
    ? `kubectl get pods -n ${namespace} -l marekvs.io/cluster=${cluster} -o wide`
    : `kubectl describe pod ${member} -n ${namespace}`,
];
const describeHosts: Commands = ({ namespace, cluster }) => [
  'kubectl get nodes',
  `kubectl get mkvnode -n ${namespace} -l marekvs.io/cluster=${cluster} -o wide`,
];
const describeClaim: Commands = ({ namespace, member, cluster, isClaimThere }) => [
  member === undefined || !isClaimThere
    ? `kubectl get pvc -n ${namespace} -l marekvs.io/cluster=${cluster}`
    : `kubectl describe pvc data-${member} -n ${namespace}`,
];
const logs: Commands = ({ namespace, member, cluster }) => [
  `kubectl mkv logs ${member ?? cluster} -n ${namespace} --tail 50`,
];
const previousLogs: Commands = ({ namespace, member, cluster }) => [
  `kubectl mkv logs ${member ?? cluster} -n ${namespace} --previous`,
];
const patch = ({ namespace, cluster }: About, spec: string): string =>
  `kubectl patch mkv ${cluster} -n ${namespace} --type merge -p '{"spec":${spec}}'`;
const growVolumes: Commands = (about) => [patch(about, JSON.stringify({ storage: { size: twice(about.storage) } }))];
const volumes: Commands = ({ namespace, cluster }) => [`kubectl mkv volumes ${cluster} -n ${namespace}`];
const resumeMember: Commands = ({ namespace, cluster, member }) => [
  member === undefined
    ? `kubectl mkv status ${cluster} -n ${namespace}`
    : `kubectl mkv resume-member ${member} -n ${namespace}`,
];
const wake: Commands = ({ namespace, cluster }) => [`kubectl mkv wake ${cluster} -n ${namespace}`];
/** `10Gi` becomes `20Gi`. */
function twice(quantity: string): string {
  const [, number = '', unit = ''] = /^([0-9.]+)(.*)$/.exec(quantity) ?? [];
  return number === '' ? quantity : `${Number(number) * 2}${unit}`;
}
/** A finding about one member needs the member. */
const ofMember =
  (command: (member: string, about: About) => string): Commands =>
  (about) =>
    about.member === undefined ? status(about) : [command(about.member, about)];
const edit: Commands = ({ namespace, cluster }) => [`kubectl edit mkv ${cluster} -n ${namespace}`];
const status: Commands = ({ namespace, cluster }) => [`kubectl mkv status ${cluster} -n ${namespace} --watch`];
const rolloutStatus: Commands = ({ namespace, cluster }) => [`kubectl mkv rollout status ${cluster} -n ${namespace}`];
const proof: Commands = ({ namespace, cluster, member, target = member, isTurn }) => [
  isTurn === true
    ? `kubectl mkv rollout status ${cluster} -n ${namespace}`
    : target === undefined
      ? `kubectl mkv status ${cluster} -n ${namespace} --watch`
      : `kubectl mkv proof ${target} -n ${namespace}`,
];
const verify: Commands = ({ namespace, cluster }) => [`kubectl mkv verify ${cluster} -n ${namespace}`];
const operatorLogs: Commands = ({ operatorNamespace, operatorDeployment }) =>
  operatorDeployment === undefined
    ? ['kubectl get deploy,pods -A -l app.kubernetes.io/name=marekvs-operator']
    : [
        `kubectl get deploy,pods -n ${operatorNamespace} -l app.kubernetes.io/name=marekvs-operator`,
        `kubectl logs deploy/${operatorDeployment} -n ${operatorNamespace} --tail 50`,
      ];
/** A size that follows the load is not scaled, and is no smaller than its bounds; one that follows
 *  the hosts needs another one. */
const scaleTo = (about: About, nodes: number): string => {
  const { namespace, cluster, bounds, hostLabels } = about;
  if (hostLabels !== undefined) return `kubectl label node <host> ${hostLabels.replaceAll(',', ' ')}`;
  if (bounds === undefined) return `kubectl mkv scale ${cluster} ${nodes} -n ${namespace}`;
  const maxNodes = nodes > bounds.maxNodes ? { maxNodes: nodes } : {};
  return patch(about, JSON.stringify({ autoscale: { minNodes: nodes, ...maxNodes } }));
};
const scaleUp: Commands = (about) => [scaleTo(about, about.nodes + 1)];
const labelledHosts: Commands = ({ hostLabels }) => [
  `kubectl get nodes${hostLabels === undefined ? '' : ` -l ${hostLabels}`}`,
];
const sizing: Commands = ({ namespace, cluster }) => [`kubectl mkv autoscale ${cluster} -n ${namespace}`];

const COMMANDS: Readonly<Partial<Record<Rule, Commands>>> = {
  OperatorDown: operatorLogs,
  OperatorLeaseFree: operatorLogs,
  NotWatched: operatorLogs,
  SpecNotSeen: operatorLogs,
  Unauthorized: () => ['kubectl apply -k config/components/cluster-role'],
  ApiUnavailable: () => ['kubectl get --raw /readyz?verbose'],
  StorageBackendFull: () => ['kubectl get --raw /readyz?verbose'],
  InvalidSpec: edit,
  RequestInvalid: edit,
  SecretMissing: (about) => [`kubectl get secret -n ${about.namespace}`, ...edit(about)],
  AuthNotInForce: edit,
  SecretNotReadable: ({ namespace, cluster }) => [`kubectl mkv auth grant ${cluster} -n ${namespace} --apply`],
  PasswordInvalid: (about) => [`kubectl get secret -n ${about.namespace}`, ...edit(about)],
  PasswordRefused: ({ namespace, cluster, member }) => [
    `kubectl get secret -n ${namespace}`,
    ...(member === undefined
      ? []
      : [`kubectl mkv restart ${member} -n ${namespace}   # starts it with the password of the Secret`]),
    ...(member === undefined ? [`kubectl mkv status ${cluster} -n ${namespace}`] : []),
  ],
  PasswordRotating: status,
  AuthMixed: ({ namespace, cluster }) => [
    `kubectl get mkvnode -n ${namespace} -l marekvs.io/cluster=${cluster} -o custom-columns=NODE:.metadata.name,SECRET:.spec.template.authSecretRef.name`,
  ],
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
  Paused: ({ namespace, cluster }) => [`kubectl mkv resume ${cluster} -n ${namespace}`],
  TotalLoss: ({ namespace, cluster }) => [`kubectl mkv volumes ${cluster} -n ${namespace}`],
  QuotaExceeded: ({ namespace }) => [`kubectl describe quota -n ${namespace}`],
  ForbiddenByPolicy: ({ namespace, cluster }) => [`kubectl mkv events ${cluster} -n ${namespace}`],
  StatefulSetFound: ({ namespace, cluster }) => [`kubectl mkv adopt ${cluster} -n ${namespace}`],
  ReleaseWaiting: ({ namespace, cluster }) => [
    `kubectl mkv release ${cluster} -n ${namespace}`,
    `kubectl mkv adopt ${cluster} -n ${namespace}`,
  ],
  ReleaseRefused: ({ namespace, cluster }) => [`kubectl mkv adopt ${cluster} -n ${namespace}`],
  AdoptionUnclear: ({ namespace, cluster }) => [`kubectl get mkv ${cluster} -n ${namespace} -o yaml`],
  DriftLoop: ({ namespace, cluster }) => [
    `kubectl get svc,pdb,netpol -n ${namespace} -l marekvs.io/cluster=${cluster} -o yaml --show-managed-fields`,
  ],
  NameTaken: (about) => [...describePod(about)],
  NodeOrphaned: ofMember((member, { namespace }) => `kubectl get mkvnode ${member} -n ${namespace} -o yaml`),
  PodUnschedulable: describePod,
  PodPending: describePod,
  HostNotReady: describeHosts,
  HostsLost: describeHosts,
  HostLost: ({ namespace, cluster }) => [`kubectl mkv volumes ${cluster} -n ${namespace}`],
  HostUnknown: () => ['kubectl apply -k config/components/hosts'],
  PodStuckTerminating: (about) => [
    ...describePod(about),
    ...(about.member === undefined
      ? []
      : [
          `kubectl delete pod ${about.member} -n ${about.namespace} --force --grace-period=0   # only when its host is off`,
        ]),
  ],
  ImagePullFailed: (about) => [...edit(about), ...describePod(about)],
  CrashLooping: previousLogs,
  PodTerminal: previousLogs,
  ContainerConfigInvalid: (about) => [...describePod(about), `kubectl get secret -n ${about.namespace}`],
  MemberStarting: logs,
  MemberSilent: (about) => [...logs(about), `kubectl get netpol -n ${about.namespace} -o yaml`],
  MemberAnswerInvalid: logs,
  MemberJoining: (about) => [
    ...logs(about),
    ...(about.member === undefined
      ? []
      : [
          `kubectl delete mkvnode ${about.member} -n ${about.namespace}   # gives it up: another one joins in its place first`,
        ]),
  ],
  MemberNotActive: logs,
  MemberMissing: describePod,
  MemberLonely: logs,
  FormingTimedOut: describePod,
  ViewsDisagree: (about) => [
    status(about)[0] ?? '',
    `kubectl mkv logs ${about.cluster} -n ${about.namespace} --tail 50`,
  ],
  StorageClassMissing: (about) => [...describeClaim(about), 'kubectl get storageclass'],
  VolumePending: (about) => [...describeClaim(about), 'kubectl get storageclass'],
  VolumeChanging: (about) => [...volumes(about), ...describeClaim(about)],
  VolumeAwaitsRestart: (about) => [...rolloutStatus(about), ...describeClaim(about)],
  VolumeChangeRefused: (about) => [
    ...describeClaim(about),
    'kubectl get storageclass',
    `kubectl describe quota -n ${about.namespace}`,
  ],
  VolumeChangeStuck: (about) => [...describeClaim(about), 'kubectl get storageclass'],
  VolumeAutoGrown: volumes,
  AutoGrowAtMax: (about) => [
    patch(about, JSON.stringify({ storage: { autoGrow: { max: twice(about.storage) } } })),
    ...scaleUp(about),
    `kubectl mkv top ${about.cluster} -n ${about.namespace}`,
  ],
  VolumeLost: ({ namespace, cluster }) => [`kubectl mkv volumes ${cluster} -n ${namespace}`],
  DataLost: ({ namespace, cluster }) => [
    `kubectl mkv volumes ${cluster} -n ${namespace}`,
    `kubectl mkv acknowledge ${cluster} -n ${namespace}   # says that you have read it, and brings nothing back`,
  ],
  VolumeForeign: describeClaim,
  VolumeTooOld: ({ namespace, cluster }) => [`kubectl mkv volumes ${cluster} -n ${namespace}`],
  VolumeStuckTerminating: describeClaim,
  OutageTooLong: (about) => [
    `kubectl get mkvnode -n ${about.namespace} -l marekvs.io/cluster=${about.cluster} -o wide`,
    `kubectl annotate mkv ${about.cluster} -n ${about.namespace} ${ANNOTATIONS.startAfterOutage}='the others do not come back'   # loses what only those hold that come later`,
  ],
  DiskFull: (about) => [
    ...growVolumes(about),
    ...scaleUp(about),
    `kubectl mkv top ${about.cluster} -n ${about.namespace}`,
  ],
  DiskTooSmall: (about) => [`kubectl mkv top ${about.cluster} -n ${about.namespace}`, ...growVolumes(about)],
  AtFloor: (about) => [
    about.bounds === undefined ? patch(about, `{"nodes":${about.floor}}`) : scaleTo(about, about.floor),
  ],
  BelowFloor: (about) => [
    about.bounds === undefined
      ? scaleTo(about, about.floor)
      : patch(about, JSON.stringify({ autoscale: { maxNodes: about.floor } })),
  ],
  AutoscaleBegun: sizing,
  LoadAboveTarget: (about) => [...sizing(about), ...status(about)],
  LoadBelowTarget: sizing,
  LoadWithinTarget: sizing,
  DiskAboveTarget: (about) => [
    ...sizing(about),
    `kubectl get pvc -n ${about.namespace} -l marekvs.io/cluster=${about.cluster}`,
  ],
  AtMinNodes: sizing,
  AtMaxNodes: (about) => [
    ...sizing(about),
    patch(about, JSON.stringify({ autoscale: { maxNodes: (about.bounds?.maxNodes ?? about.nodes) + 1 } })),
  ],
  BelowMinNodes: (about) => [...sizing(about), ...status(about)],
  AboveMaxNodes: sizing,
  SizedByHosts: (about) => [...labelledHosts(about), ...status(about)],
  NoHostMatches: (about) => [...labelledHosts(about), scaleTo(about, about.nodes), ...edit(about)],
  FewHosts: (about) => [...labelledHosts(about), scaleTo(about, about.nodes)],
  HostsNotReadable: () => ['kubectl apply -k config/components/hosts'],
  NoLoadSignal: (about) => [...sizing(about), ...logs(about), `kubectl get netpol -n ${about.namespace} -o yaml`],
  AutoscaleConflict: (about) => [
    `kubectl get hpa -n ${about.namespace}`,
    `${patch(about, '{"autoscale":null}')}   # the size stays as it is, and the HorizontalPodAutoscaler decides`,
  ],
  KeptSize: (about) => [scaleTo(about, about.nodes), ...sizing(about)],
  ReplicationFactorOne: (about) => [
    patch(about, '{"replicationFactor":2}'),
    ...(about.member === undefined
      ? []
      : [`kubectl mkv force-remove ${about.member} -n ${about.namespace}   # loses what only it holds`]),
  ],
  MixedReplicationFactor: ({ namespace, cluster }) => [
    `kubectl mkv rollout status ${cluster} -n ${namespace}`,
    `kubectl get mkvnode -n ${namespace} -l marekvs.io/cluster=${cluster} -o custom-columns=NODE:.metadata.name,FACTOR:.spec.template.replicationFactor`,
  ],
  ClientsConnected: proof,
  WaitingForProof: proof,
  RecordsMissing: (about) => [...(about.target === undefined ? [] : proof(about)), ...verify(about)],
  ComparingContents: proof,
  NotCompared: verify,
  ReplicationStuck: (about) => [...verify(about), ...logs(about)],
  ContentsUnreadable: (about) => [
    `kubectl get netpol -n ${about.namespace}   # TCP 7373 has to be open to the operator`,
    ...logs(about),
    `kubectl get mkv ${about.cluster} -n ${about.namespace} -o jsonpath='{.spec.image}'`,
  ],
  MeshIncomplete: logs,
  DeadlineExceeded: ({ namespace, cluster }) => [
    `kubectl mkv events ${cluster} -n ${namespace}`,
    `kubectl mkv cancel ${cluster} -n ${namespace}   # keeps the node, and tries no more`,
  ],
  RolledBack: ({ namespace, cluster }) => [`kubectl mkv events ${cluster} -n ${namespace}`],
  RetryDelayed: ({ namespace, cluster }) => [`kubectl mkv events ${cluster} -n ${namespace}`],
  AnnotationIgnored: ofMember((member, { namespace }) => `kubectl mkv unmark ${member} -n ${namespace}`),
  ForceIgnored: ofMember((member, { namespace }) => `kubectl mkv force-remove ${member} -n ${namespace}`),
  RollingOut: rolloutStatus,
  RolloutInLine: rolloutStatus,
  RolloutStopped: ({ namespace, cluster }) => [
    `kubectl mkv rollout status ${cluster} -n ${namespace}`,
    `kubectl mkv rollout undo ${cluster} -n ${namespace}`,
    `kubectl mkv rollout retry ${cluster} -n ${namespace}`,
  ],
  RolloutPaused: ({ namespace, cluster }) => [`kubectl mkv rollout resume ${cluster} -n ${namespace}`],
  RolloutAwaitsApproval: ({ namespace, cluster }) => [
    `kubectl mkv rollout approve ${cluster} -n ${namespace}`,
    `kubectl mkv rollout undo ${cluster} -n ${namespace}`,
  ],
  RolloutOnDelete: (about) => [
    ...rolloutStatus(about),
    ...(about.member === undefined ? [] : [`kubectl delete pod ${about.member} -n ${about.namespace}`]),
  ],
  DisruptionBudget: (about) => status(about),
  StuckDeleting: operatorLogs,
};

/** Commands for a rule; a read of the cluster is always among them. */
export function commandsFor(rule: Rule, about: About): readonly string[] {
  return (COMMANDS[rule] ?? status)(about);
}

const OWN_REMEDIES: Readonly<Record<Exclude<Rule, Reason>, string>> = {
  OperatorDown:
    'Start the operator again; the data plane goes on without it, and nothing is repaired or scaled meanwhile.',
  OperatorLeaseFree: 'Wait some seconds for a replica to take the lease; if it stays free, look at the operator.',
  NotWatched: 'Let the operator look after this namespace: --watch-namespaces, or the RBAC of the installation.',
  SpecNotSeen: 'Wait some seconds; if it stays, look at the log of the operator.',
  DisruptionBudget:
    'Wait until every member is ready again, no removal is under way and no record is missing: then the budget allows one eviction.',
  StuckDeleting: 'Look at the operator, which takes the finalizers off when the members have left.',
};

/** What would let it go on, as the catalogue says. */
export function remedyFor(rule: Rule): string {
  return isOwn(rule) ? OWN_REMEDIES[rule] : REASONS[rule].remedy;
}

/** The code as the catalogue describes it. */
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

/** The cause before what follows from it: an operator that is away explains everything that does not move. */
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
  // What is wrong with the Pod of the member that failed follows from it, or is what it says.
  ['RolloutStopped'],
  ['QuotaExceeded', 'ForbiddenByPolicy', 'RequestInvalid', 'NameTaken', 'NodeOrphaned', 'DriftLoop'],
  // What the host does to the Pod and its volume follows from it.
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
  // Nodes come and go because of these.
  ['LoadAboveTarget', 'DiskAboveTarget', 'BelowMinNodes', 'AboveMaxNodes', 'LoadBelowTarget', 'SizedByHosts'],
  ['DeadlineExceeded', 'RolledBack', 'DisruptionBudget'],
];

const KIND_ORDER: readonly FindingKind[] = ['blocked', 'waiting', 'note'];

/** Smaller is more important. */
export function importance(rule: Rule, kind: FindingKind): number {
  const index = ORDER.findIndex((rules) => rules.includes(rule));
  return KIND_ORDER.indexOf(kind) * 100 + (index < 0 ? ORDER.length : index);
}
