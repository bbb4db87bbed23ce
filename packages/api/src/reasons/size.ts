// The reasons of a cluster as a whole: forming, handing over, size, spec, updates and sleep.

import { NOTHING, normal, warning } from './reason-row.ts';

export const SIZE = {
  Forming: normal(
    'The members of a new cluster are starting and finding each other.',
    'Wait; it takes about ten seconds.',
  ),
  FormingTimedOut: warning(
    'The members of a new cluster did not find each other in time.',
    'Look at the nodes named in the message; forming continues by itself once their Pods can run and reach each other.',
    { cause: 'member' },
  ),
  MemberLonely: warning(
    'A member became Active without seeing its peers, so it is restarted, empty, with explicit seeds.',
    'Nothing to do unless it happens again; then check name resolution and UDP 7946 between the Pods.',
    { kind: 'waiting' },
  ),
  TotalLoss: warning(
    'No member and no volume of a formed cluster is left; a cluster is never formed twice.',
    'If there are snapshots, restore the volume claims data-<node>. Then delete the MarekvsCluster and apply it again: it uses the claims it finds.',
    { cause: 'wholeCluster' },
  ),
  StatefulSetFound: warning(
    'Members of this name run under a StatefulSet, so no cluster is formed beside them.',
    'Hand its members over with kubectl mkv adopt, which moves no data and restarts nothing; or delete the StatefulSet.',
    { cause: 'handover', stateOf: 'adoption' },
  ),
  Adopting: normal(
    'The members of a StatefulSet are being taken over: their Pods and volumes stay as they are.',
    'Wait; the message names what is still missing.',
    { stateOf: 'adoption' },
  ),
  AdoptionUnclear: warning(
    'An adoption was begun, but what it was to take over can no longer be read.',
    'Restore the annotation marekvs.io/adopt of the cluster; until then everything is left as it is.',
    { cause: 'handover', stateOf: 'adoption' },
  ),
  Releasing: normal(
    'The members are being handed over to a StatefulSet: their Pods and volumes stay as they are.',
    'Wait; the message names what is still missing.',
  ),
  Released: normal('The members are run by a StatefulSet, and this operator leaves them alone.', NOTHING),
  ReleaseWaiting: warning(
    'The handover to a StatefulSet has stopped half-way; all members serve.',
    'Continue with kubectl mkv release, or take the members back with kubectl mkv adopt.',
    { cause: 'handover' },
  ),
  ReleaseRefused: warning(
    'The members are to be handed over to a StatefulSet, but they are not as a StatefulSet would have them.',
    'Do what the message says, or withdraw the request with kubectl mkv adopt.',
    { cause: 'handover', weight: 'harmless' },
  ),
  ScalingClusterUp: normal('Members are being added.', 'Wait; the message names the members that are missing.', {
    saysLittle: 'duringOperation',
    phase: 'ScalingUp',
  }),
  ScalingClusterDown: normal('Members are being removed, one at a time.', 'Wait, or raise the size again to cancel.', {
    saysLittle: 'duringOperation',
    phase: 'ScalingDown',
  }),
  BelowFloor: warning(
    'Fewer than replicationFactor + 1 nodes are asked for, so the cluster has that many instead.',
    'Set spec.nodes to at least replicationFactor + 1.',
    { weight: 'harmless' },
  ),
  AtFloor: normal('The cluster is as small as it may be.', 'Lower replicationFactor or minNodes to go smaller.', {
    kind: 'blocked',
    cause: 'setting',
  }),
  AutoscaleBegun: normal('The size follows load or disks from now on; nothing has changed it yet.', NOTHING, {
    kind: 'note',
  }),
  LoadAboveTarget: normal('Clients send more than the members should carry, so nodes are added.', NOTHING, {
    cause: 'decision',
    sizing: 'grows',
  }),
  LoadBelowTarget: normal(
    'One node less would carry the load with room to spare, and would have done so for the whole window.',
    NOTHING,
    { cause: 'decision', sizing: 'shrinks' },
  ),
  LoadWithinTarget: normal('The load fits the size.', NOTHING),
  DiskAboveTarget: normal(
    'The fullest volume is getting close to spec.autoscale.targetDiskPercent, so a node is added.',
    NOTHING,
    { cause: 'decision', sizing: 'grows' },
  ),
  AtMinNodes: normal('The size is the smallest allowed.', 'Lower spec.autoscale.minNodes to go smaller.'),
  AtMaxNodes: warning(
    'Load or disks call for more nodes than spec.autoscale.maxNodes.',
    'Raise spec.autoscale.maxNodes, or the target; where the message names one member, look for a hot key.',
    { cause: 'bounds', sizing: 'unmet' },
  ),
  BelowMinNodes: normal('The cluster is smaller than spec.autoscale allows, so nodes are added.', NOTHING, {
    cause: 'decision',
    sizing: 'grows',
  }),
  AboveMaxNodes: normal('The cluster is larger than spec.autoscale allows, so nodes are removed.', NOTHING, {
    cause: 'decision',
    sizing: 'shrinks',
  }),
  SizedByHosts: normal(
    'The size is the number of hosts that spec.hosts.onePerHost selects, within its bounds.',
    'To change it, label another host, or remove the label from one.',
    { cause: 'decision', sizing: 'either' },
  ),
  NoHostMatches: warning(
    'No host that could take a member has the labels of spec.hosts.onePerHost, so the size stays.',
    'Label the hosts as the message says, make them usable again, or correct spec.hosts.onePerHost.nodeSelector.',
    { cause: 'bounds', weight: 'harmless' },
  ),
  FewHosts: warning(
    'Fewer hosts are selected than the cluster must have nodes, so some hosts run two members.',
    'Label as many hosts as the message says.',
    { cause: 'bounds', weight: 'harmless' },
  ),
  HostsNotReadable: warning(
    'The operator cannot read which hosts spec.hosts.onePerHost selects, so the size stays; or which are being drained, so no member is replaced for that.',
    'Give the operator the permissions of config/components/hosts.',
    { cause: 'bounds', weight: 'harmless' },
  ),
  NoLoadSignal: warning(
    'The figures of a member are unknown, so the size stays: unknown does not mean idle.',
    'Look at the member the message names: its log, its host and the NetworkPolicy towards port 9121.',
    { cause: 'bounds', sizing: 'unmet' },
  ),
  AutoscaleConflict: warning(
    'A HorizontalPodAutoscaler targets a cluster whose size follows spec.autoscale; what it asks for is refused.',
    'Delete the HorizontalPodAutoscaler named in the message, or remove spec.autoscale.',
    { cause: 'bounds', weight: 'harmless' },
  ),
  NodeIdsExhausted: warning(
    'The cluster has used every node id, and none is used twice: no further node can be made.',
    'Copy its keys into a new MarekvsCluster, which begins at 0; until then the members that are there stay.',
    { cause: 'bounds' },
  ),
  KeptSize: warning(
    'The size that spec.autoscale or spec.hosts.onePerHost decided stays after that field was removed, until another size is asked for.',
    'Set spec.nodes to the size you want; to confirm the number that is already there, use kubectl mkv scale.',
    { cause: 'bounds' },
  ),
  Paused: normal(
    'A person paused the cluster: nothing is written to Pods, volumes or nodes.',
    'Set spec.paused to false.',
    { kind: 'blocked', cause: 'wholeCluster', scope: 'cluster', weight: 'harmless', goesBefore: 'others' },
  ),
  Hibernating: normal(
    'All members are being stopped together, once every record is on all its homes.',
    'Wait; kubectl mkv wake cancels it.',
    { scope: 'cluster', stateOf: 'hibernation' },
  ),
  Hibernated: normal(
    'All members are stopped, as asked for; their nodes and volumes are kept.',
    'Start them together with kubectl mkv wake, before the time in the message.',
    {
      kind: 'blocked',
      cause: 'wholeCluster',
      scope: 'cluster',
      stateOf: 'hibernation',
      phase: 'Hibernated',
      podEnd: 'stopPod',
      isToldElsewhere: true,
    },
  ),
  HibernationWaits: warning(
    'The members are to be stopped, but something speaks against stopping them now.',
    'Do what the message says; they serve until then. kubectl mkv wake withdraws the request.',
    { stateOf: 'hibernation' },
  ),
  HibernatedTooLong: warning(
    'The members have been stopped for about as long as they remember deletions, so they are not started by themselves.',
    'Raise spec.gcGraceSeconds above the time in the message, then they start together; or accept the loss: annotate the cluster with marekvs.io/start-after-outage=<reason>.',
    { cause: 'wholeCluster', stateOf: 'hibernation' },
  ),
  SuspensionWaits: warning(
    'One member is to be stopped for manual repair, but something speaks against stopping it now.',
    'Do what the message says; it serves until then. kubectl mkv resume-member withdraws the request.',
  ),
  Suspending: normal(
    'One member is being stopped for manual repair, once the others have all its records.',
    'Wait; kubectl mkv resume-member cancels it.',
    { stateOf: 'suspension' },
  ),
  Suspended: normal(
    'One member is stopped, as asked for: its Pod is off its volume, and nothing else is restarted or removed.',
    'Bring it back with kubectl mkv resume-member, before the time in the message.',
    { kind: 'blocked', cause: 'wholeCluster', stateOf: 'suspension', podEnd: 'stopPodAlone', isToldElsewhere: true },
  ),
  SuspendedTooLong: warning(
    'A member has been stopped for about as long as deletions are remembered, so it is not started on its volume.',
    'Have a new node take its place: kubectl mkv replace. The others have what it had when it was stopped.',
    { cause: 'wholeCluster', stateOf: 'suspension' },
  ),
  WakingUp: normal(
    'The members of a hibernated cluster are starting together and being compared.',
    'Wait; it takes seconds.',
    { scope: 'cluster', stateOf: 'hibernation' },
  ),
  Deleting: normal('The object is being deleted.', NOTHING, {
    scope: 'cluster',
    progressOf: 'removal',
    podEnd: 'deletePodWithCluster',
    isToldElsewhere: true,
  }),
  InvalidSpec: warning(
    'The stored spec breaks a rule, so it is not acted on.',
    'Correct the fields named in the message; the cluster stays as it is until then.',
    { cause: 'wholeCluster' },
  ),
  RollingOut: normal(
    'A changed template is reaching the members, one restart after another.',
    'Wait; the message has the member whose turn it is and how many are done.',
    { podEnd: 'restartPodRolled' },
  ),
  RolloutInLine: normal(
    'Many clusters change at once: only a few of them restart members at a time, and others came first.',
    'Wait; it begins by itself, in the order in which the clusters came.',
  ),
  RolledOut: normal('A member was restarted with the current template, and has every record again.', NOTHING, {
    ends: 'asAsked',
  }),
  ResizedInPlace: normal('A member got its new resources without a restart.', NOTHING, { ends: 'asAsked' }),
  ResizePending: normal(
    'The host of a Pod is to give it other resources without a restart, but has not done so yet.',
    'Wait a minute: if it has not happened by then, the member is restarted.',
  ),
  ResizeImpossible: warning(
    'A Pod cannot get other resources where it runs, so its member is restarted with them in its turn.',
    'Look at the message: no room on the host, memory in use, or a rule of this cluster. If the turn succeeds, there is nothing to do.',
  ),
  RolloutStopped: warning(
    'A member did not come up with the changed template, so no further one is restarted.',
    'Correct the field that the message points to, set it back, or retry with kubectl mkv rollout retry.',
    { cause: 'update', weight: 'harmless' },
  ),
  RolloutPaused: normal('A person paused the rolling update.', 'Let it go on with kubectl mkv rollout resume.', {
    kind: 'blocked',
    ends: 'asAsked',
    isUpdateHeld: true,
  }),
  RolloutAwaitsApproval: normal(
    'The canaries of a rolling update have the changed template, and a person has to approve it.',
    'Let it go on with kubectl mkv rollout approve, or set the fields back.',
    { kind: 'blocked', isUpdateHeld: true },
  ),
  RolloutOnDelete: normal(
    'With spec.update.type OnDelete, a member gets the changed template when its Pod is deleted.',
    'Delete the Pods of the members named, one at a time.',
    { kind: 'note', isUpdateHeld: true },
  ),
  InvalidRevision: warning(
    'The ControllerRevision of a template is missing, or its content does not match its name.',
    'Apply the fields of that revision in spec; a revision whose content does not match its name is never used.',
  ),
  SecretMissing: warning(
    'The Secret of spec.auth does not exist or lacks the key, so no member can require that password.',
    'Create the Secret with the key named in the message, or remove spec.auth.',
    { cause: 'secret', weight: 'harmless' },
  ),
  AuthNotInForce: warning(
    'The spec asks for a password, but running members require none: they cannot be given it, or do not accept it.',
    'Do what the entry of spec.auth in status.pendingChanges says, or set spec.auth back.',
    { cause: 'password', weight: 'harmless' },
  ),
  PasswordRotating: normal(
    'Running members are being given another password, or none, as the spec and its Secret now say, without a restart.',
    'Wait; it takes seconds. Until then clients may need either password.',
  ),
  PasswordApplied: normal(
    'A member now requires the password that the spec names, or none if it names none. It was given it while it ran, or restarted where that was not possible.',
    NOTHING,
    { ends: 'asAsked' },
  ),
  PasswordRefused: warning(
    'A member accepts neither the password in its Secret nor one that was there before, so nothing is known about it.',
    'After a minute such members are restarted automatically, one at a time on their volumes, which gives them the password in the Secret. To spare them that, put the password that they require under <key>-previous of the Secret.',
    { podEnd: 'restartPodRolled' },
  ),
  PasswordInvalid: warning(
    'The value in the Secret under the key of spec.auth cannot be the password of a member.',
    'Put a password there that is UTF-8 without NUL bytes and has at most 131,051 bytes.',
    { weight: 'harmless' },
  ),
  SecretNotReadable: warning(
    'The operator may not read the Secret of spec.auth, so it can neither query the members nor give them another password.',
    'Grant access to that one Secret: kubectl mkv auth grant.',
    { weight: 'harmless' },
  ),
  AuthMixed: warning(
    'Some members require a password and others do not, so some of them refuse clients.',
    'Do what the entry of spec.auth in status.pendingChanges says; replace a member that does not accept it with kubectl mkv replace.',
    { cause: 'secret', weight: 'harmless' },
  ),
} as const;
