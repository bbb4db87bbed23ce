// The closed list of reasons: one code per reason, used unchanged in condition, event, log field and metric label.
// Codes are stable; a person reads `description` and does `remedy`.

export interface ReasonEntry {
  readonly severity: 'normal' | 'warning';
  readonly description: string;
  readonly remedy: string;
}

const NOTHING = 'Nothing to do.';

/** Everything the suite can give as a reason. `warning` asks for a person's attention. */
export const REASONS = {
  // ---- as it should be
  AsExpected: normal('The observed state is the desired one.', NOTHING),
  AllMembersReady: normal('Every member is ready and all views of the membership agree.', NOTHING),
  ReplicasMatchSpec: normal('The number of members is the desired one.', NOTHING),
  Joined: normal('The member is Active in the view of every other member.', NOTHING),
  VolumeBound: normal('The volume claim is bound and belongs to this node.', NOTHING),
  RecordsCovered: normal('When contents were last compared, every record was found on all its homes.', NOTHING),
  TemplateCurrent: normal('The Pod was made from the current template.', NOTHING),
  NotPaused: normal('The cluster is being reconciled.', NOTHING),

  // ---- not known
  NotObserved: normal(
    'This has not been observed yet.',
    'Wait for the first pass; if it persists, look at the operator.',
  ),
  MemberSilent: warning(
    'A member did not answer within the time limit.',
    'Look at the Pod named in the message: its log, its host and the NetworkPolicy towards port 9121.',
  ),
  MemberAnswerInvalid: warning(
    'A member gave an answer that is not a marekvs answer.',
    'Check that the image is a marekvs server and that nothing else answers on its ports.',
  ),
  ViewsDisagree: warning(
    'Members do not agree on who belongs to the cluster.',
    'Wait for gossip to settle; if it persists, check the network between the members named.',
  ),

  // ---- forming
  Forming: normal(
    'The members of a new cluster are starting and finding each other.',
    'Wait; it takes about ten seconds.',
  ),
  FormingTimedOut: warning(
    'The members of a new cluster did not find each other in time.',
    'Look at the nodes named in the message; forming continues by itself once their Pods can run and reach each other.',
  ),
  MemberLonely: warning(
    'A member became Active without seeing its peers, so it is restarted, empty, with explicit seeds.',
    'Nothing to do unless it happens again; then check name resolution and UDP 7946 between the Pods.',
  ),
  ClusterFormed: normal('All members of the new cluster agree; its identity is fixed from now on.', NOTHING),
  TotalLoss: warning(
    'No member and no volume of a formed cluster is left; a cluster is never formed twice.',
    'If there are snapshots, restore the volume claims data-<node>. Then delete the MarekvsCluster and apply it again: it uses the claims it finds.',
  ),

  // ---- taken over from a StatefulSet
  StatefulSetFound: warning(
    'Members of this name run under a StatefulSet, so no cluster is formed beside them.',
    'Hand its members over with kubectl mkv adopt, which moves no data and restarts nothing; or delete the StatefulSet.',
  ),
  Adopting: normal(
    'The members of a StatefulSet are being taken over: their Pods and volumes stay as they are.',
    'Wait; the message names what is still missing.',
  ),
  AdoptionUnclear: warning(
    'An adoption was begun, but what it was to take over can no longer be read.',
    'Restore the annotation marekvs.io/adopt of the cluster; until then everything is left as it is.',
  ),

  // ---- handed to a StatefulSet
  Releasing: normal(
    'The members are being handed over to a StatefulSet: their Pods and volumes stay as they are.',
    'Wait; the message names what is still missing.',
  ),
  Released: normal('The members are run by a StatefulSet, and this operator leaves them alone.', NOTHING),
  ReleaseWaiting: warning(
    'The handover to a StatefulSet has stopped half-way; all members serve.',
    'Continue with kubectl mkv release, or take the members back with kubectl mkv adopt.',
  ),
  ReleaseRefused: warning(
    'The members are to be handed over to a StatefulSet, but they are not as a StatefulSet would have them.',
    'Do what the message says, or withdraw the request with kubectl mkv adopt.',
  ),

  // ---- size
  ScalingClusterUp: normal('Members are being added.', 'Wait; the message names the members that are missing.'),
  ScalingClusterDown: normal('Members are being removed, one at a time.', 'Wait, or raise the size again to cancel.'),
  BelowFloor: warning(
    'Fewer than replicationFactor + 1 nodes are asked for, so the cluster has that many instead.',
    'Set spec.nodes to at least replicationFactor + 1.',
  ),
  AtFloor: normal('The cluster is as small as it may be.', 'Lower replicationFactor or minNodes to go smaller.'),

  // ---- size by load and disks
  AutoscaleBegun: normal('The size follows load or disks from now on; nothing has changed it yet.', NOTHING),
  LoadAboveTarget: normal('Clients send more than the members should carry, so nodes are added.', NOTHING),
  LoadBelowTarget: normal(
    'One node less would carry the load with room to spare, and would have done so for the whole window.',
    NOTHING,
  ),
  LoadWithinTarget: normal('The load fits the size.', NOTHING),
  DiskAboveTarget: normal(
    'The fullest volume is getting close to spec.autoscale.targetDiskPercent, so a node is added.',
    NOTHING,
  ),
  AtMinNodes: normal('The size is the smallest allowed.', 'Lower spec.autoscale.minNodes to go smaller.'),
  AtMaxNodes: warning(
    'Load or disks call for more nodes than spec.autoscale.maxNodes.',
    'Raise spec.autoscale.maxNodes, or the target; where the message names one member, look for a hot key.',
  ),
  BelowMinNodes: normal('The cluster is smaller than spec.autoscale allows, so nodes are added.', NOTHING),
  AboveMaxNodes: normal('The cluster is larger than spec.autoscale allows, so nodes are removed.', NOTHING),
  SizedByHosts: normal(
    'The size is the number of hosts that spec.hosts.onePerHost selects, within its bounds.',
    'To change it, label another host, or remove the label from one.',
  ),
  NoHostMatches: warning(
    'No host that could take a member has the labels of spec.hosts.onePerHost, so the size stays.',
    'Label the hosts as the message says, make them usable again, or correct spec.hosts.onePerHost.nodeSelector.',
  ),
  FewHosts: warning(
    'Fewer hosts are selected than the cluster must have nodes, so some hosts run two members.',
    'Label as many hosts as the message says.',
  ),
  HostsNotReadable: warning(
    'The operator cannot read which hosts spec.hosts.onePerHost selects, so the size stays; or which are being drained, so no member is replaced for that.',
    'Give the operator the permissions of config/components/hosts.',
  ),
  NoLoadSignal: warning(
    'The figures of a member are unknown, so the size stays: unknown does not mean idle.',
    'Look at the member the message names: its log, its host and the NetworkPolicy towards port 9121.',
  ),
  AutoscaleConflict: warning(
    'A HorizontalPodAutoscaler targets a cluster whose size follows spec.autoscale; what it asks for is refused.',
    'Delete the HorizontalPodAutoscaler named in the message, or remove spec.autoscale.',
  ),
  NodeIdsExhausted: warning(
    'The cluster has used every node id, and none is used twice: no further node can be made.',
    'Copy its keys into a new MarekvsCluster, which begins at 0; until then the members that are there stay.',
  ),
  KeptSize: warning(
    'The size that spec.autoscale or spec.hosts.onePerHost decided stays after that field was removed, until another size is asked for.',
    'Set spec.nodes to the size you want; to confirm the number that is already there, use kubectl mkv scale.',
  ),

  // ---- spec
  InvalidSpec: warning(
    'The stored spec breaks a rule, so it is not acted on.',
    'Correct the fields named in the message; the cluster stays as it is until then.',
  ),
  SecretMissing: warning(
    'The Secret of spec.auth does not exist or lacks the key, so no member can require that password.',
    'Create the Secret with the key named in the message, or remove spec.auth.',
  ),
  AuthNotInForce: warning(
    'The spec asks for a password, but running members require none: they cannot be given it, or do not accept it.',
    'Do what the entry of spec.auth in status.pendingChanges says, or set spec.auth back.',
  ),
  PasswordRotating: normal(
    'Running members are being given another password, or none, as the spec and its Secret now say, without a restart.',
    'Wait; it takes seconds. Until then clients may need either password.',
  ),
  PasswordApplied: normal(
    'A member now requires the password that the spec names, or none if it names none. It was given it while it ran, or restarted where that was not possible.',
    NOTHING,
  ),
  DrainedFromOutside: warning(
    'A member serves and leads nothing, and no operation has asked for that: somebody who reaches its port 9121 has sent GET /drain.',
    'It is restarted automatically on its volume. If it happens again, close port 9121 to whoever is not the operator, the kubelet or a scraper.',
  ),
  PasswordRefused: warning(
    'A member accepts neither the password in its Secret nor one that was there before, so nothing is known about it.',
    'After a minute such members are restarted automatically, one at a time on their volumes, which gives them the password in the Secret. To spare them that, put the password that they require under <key>-previous of the Secret.',
  ),
  PasswordInvalid: warning(
    'The value in the Secret under the key of spec.auth cannot be the password of a member.',
    'Put a password there that is UTF-8 without NUL bytes and has at most 131,051 bytes.',
  ),
  SecretNotReadable: warning(
    'The operator may not read the Secret of spec.auth, so it can neither query the members nor give them another password.',
    'Grant access to that one Secret: kubectl mkv auth grant.',
  ),
  AuthMixed: warning(
    'Some members require a password and others do not, so some of them refuse clients.',
    'Do what the entry of spec.auth in status.pendingChanges says; replace a member that does not accept it with kubectl mkv replace.',
  ),
  RollingOut: normal(
    'A changed template is reaching the members, one restart after another.',
    'Wait; the message has the member whose turn it is and how many are done.',
  ),
  RolloutInLine: normal(
    'Many clusters change at once: only a few of them restart members at a time, and others came first.',
    'Wait; it begins by itself, in the order in which the clusters came.',
  ),
  RolledOut: normal('A member was restarted with the current template, and has every record again.', NOTHING),
  ResizedInPlace: normal('A member got its new resources without a restart.', NOTHING),
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
  ),
  RolloutPaused: normal('A person paused the rolling update.', 'Let it go on with kubectl mkv rollout resume.'),
  RolloutAwaitsApproval: normal(
    'The canaries of a rolling update have the changed template, and a person has to approve it.',
    'Let it go on with kubectl mkv rollout approve, or set the fields back.',
  ),
  RolloutOnDelete: normal(
    'With spec.update.type OnDelete, a member gets the changed template when its Pod is deleted.',
    'Delete the Pods of the members named, one at a time.',
  ),
  InvalidRevision: warning(
    'The ControllerRevision of a template is missing, or its content does not match its name.',
    'Apply the fields of that revision in spec; a revision whose content does not match its name is never used.',
  ),
  Paused: normal(
    'A person paused the cluster: nothing is written to Pods, volumes or nodes.',
    'Set spec.paused to false.',
  ),
  Deleting: normal('The object is being deleted.', NOTHING),

  // ---- stopped for a while
  Hibernating: normal(
    'All members are being stopped together, once every record is on all its homes.',
    'Wait; kubectl mkv wake cancels it.',
  ),
  Hibernated: normal(
    'All members are stopped, as asked for; their nodes and volumes are kept.',
    'Start them together with kubectl mkv wake, before the time in the message.',
  ),
  HibernationWaits: warning(
    'The members are to be stopped, but something speaks against stopping them now.',
    'Do what the message says; they serve until then. kubectl mkv wake withdraws the request.',
  ),
  HibernatedTooLong: warning(
    'The members have been stopped for about as long as they remember deletions, so they are not started by themselves.',
    'Raise spec.gcGraceSeconds above the time in the message, then they start together; or accept the loss: annotate the cluster with marekvs.io/start-after-outage=<reason>.',
  ),
  WakingUp: normal(
    'The members of a hibernated cluster are starting together and being compared.',
    'Wait; it takes seconds.',
  ),
  SuspensionWaits: warning(
    'One member is to be stopped for manual repair, but something speaks against stopping it now.',
    'Do what the message says; it serves until then. kubectl mkv resume-member withdraws the request.',
  ),
  Suspending: normal(
    'One member is being stopped for manual repair, once the others have all its records.',
    'Wait; kubectl mkv resume-member cancels it.',
  ),
  Suspended: normal(
    'One member is stopped, as asked for: its Pod is off its volume, and nothing else is restarted or removed.',
    'Bring it back with kubectl mkv resume-member, before the time in the message.',
  ),
  SuspendedTooLong: warning(
    'A member has been stopped for about as long as deletions are remembered, so it is not started on its volume.',
    'Have a new node take its place: kubectl mkv replace. The others have what it had when it was stopped.',
  ),
  Resumed: normal('A member that was stopped for repair is back, and has every record.', NOTHING),
  Woken: normal('All members of a hibernated cluster are back, and every record is on all its homes.', NOTHING),

  // ---- members and their Pods
  MemberStarting: normal(
    'The Pod runs, but its member does not answer yet.',
    'Wait; if it persists, look at the Pod’s log.',
  ),
  MemberJoining: normal(
    'The member is copying its share of the data before it serves.',
    'Wait; it takes longer with more data.',
  ),
  MemberNotActive: warning(
    'A member answers but is not Active.',
    'Wait for it to join; if it persists, look at join_gate_pending_pids and at the members it copies from.',
  ),
  MemberMissing: warning(
    'The other members do not see the member of a node.',
    'Look at its Pod; a Pod that can run joins by itself.',
  ),
  MemberWithoutNode: warning(
    'The cluster has a member without a MarekvsNode, so the node is created again.',
    'Nothing to do; do not remove finalizers by hand.',
  ),
  NodeForeign: warning(
    'A MarekvsNode names a cluster that it is not a node of, as a copied object does. It counts for nothing.',
    'Delete the copy. If it was a node of the cluster, give it back the owner reference and the spec.clusterName it had.',
  ),
  NodeOrphaned: warning(
    'A MarekvsNode, Pod or volume has our name but not our owner reference.',
    'Restore its owner reference, or delete it if it is not wanted.',
  ),
  NameTaken: warning(
    'An object with a name that we need belongs to somebody else.',
    'Rename or remove the object named in the message.',
  ),
  PodMissing: normal('The node has no Pod and gets one on its own volume.', 'Wait; it takes seconds.'),
  PodCreated: normal('A Pod was created on the volume of its node.', NOTHING),
  PodTerminal: warning(
    'The Pod ended (evicted, failed or succeeded) and is recreated on its own volume.',
    'Nothing to do unless it happens again; then look at the reason in the Pod.',
  ),
  PodPending: normal('The Pod has not started yet.', 'Wait; if it persists, look at the events of the Pod.'),
  PodUnschedulable: warning(
    'No host can take the Pod.',
    'Add capacity, or relax nodeSelector, tolerations, affinity or resources.',
  ),
  ImagePullFailed: warning(
    'The image cannot be pulled.',
    'Correct spec.image or spec.imagePullSecrets; running members are not touched.',
  ),
  ContainerConfigInvalid: warning(
    'The container cannot be created from its settings.',
    'Check that the Secret of spec.auth.secretRef exists and has the key, and the values of spec.extraEnv.',
  ),
  CrashLooping: warning('The member keeps starting and ending.', 'Read the log of the Pod.'),
  PodStuckTerminating: warning(
    'The Pod should be gone but is not; until it is, nothing else may use its volume.',
    'Make sure that its host is really off, then force-delete the Pod.',
  ),
  TemplateOutdated: normal('The Pod was made from an older template.', 'Wait for its turn.'),

  // ---- hosts
  HostNotReady: warning(
    'The host of a member is gone or not ready, and the member does not answer.',
    'Bring the host back; if it is off for good, run kubectl delete node, or taint it out-of-service.',
  ),
  HostLost: warning(
    'The host of a member is lost, and its volume cannot be used on another host: a new member takes its place.',
    'Nothing to do: the others have its data. Its volume is kept; the message names the host.',
  ),
  HostsLost: warning(
    'Several hosts were lost at about the same time, so nothing is replaced automatically: a zone or a network may come back.',
    'Bring the hosts back; if some are gone for good, replace their members one by one with kubectl delete mkvnode.',
  ),
  HostDraining: normal(
    'A host is being drained: members whose volumes can be used elsewhere are moved off it, one at a time, and others are replaced if spec.hosts.replaceOnDrain is set.',
    'Wait; the message names any member that stays and what it waits for.',
  ),
  MovedOff: normal('A member was moved off a host that is being drained, and has every record again.', NOTHING),
  HostUnknown: warning(
    'A member does not answer, and the operator cannot see whether its host is lost.',
    'Let the operator read Nodes and PersistentVolumes: kubectl apply -k config/components/hosts.',
  ),

  // ---- volumes
  StorageClassMissing: warning(
    'No volume is made for a claim: it names no StorageClass and there is no default one, or the one it names does not exist.',
    'Mark a StorageClass as the default, or create the one named in the message; the claim is then bound automatically.',
  ),
  VolumePending: warning(
    'The volume claim is not bound.',
    'Read the events of the claim and the log of the provisioner the message names.',
  ),
  VolumeChanging: normal(
    'The volume of a node is getting another size or other attributes while its member runs.',
    'Wait; the message says how far it is. Depending on the provider it takes seconds to minutes.',
  ),
  VolumeAwaitsRestart: normal(
    'A volume has grown, but its file system is resized only when its Pod restarts.',
    'Wait for its turn: members are restarted one at a time.',
  ),
  VolumeChangeRefused: warning(
    'The API server refuses to let a volume claim grow, or to change its attributes.',
    'Read the message: a StorageClass without allowVolumeExpansion, a quota, or a policy. It is retried automatically.',
  ),
  VolumeChangeStuck: warning(
    'The provider does not give a volume the size or the attributes that its claim asks for.',
    'Look at the events of the claim named in the message and at the log of its provisioner.',
  ),
  VolumeAutoGrown: normal('A volume was filling up, so spec.storage.autoGrow has raised its size.', NOTHING),
  AutoGrowAtMax: warning(
    'A volume is filling up and is already as large as spec.storage.autoGrow.max allows.',
    'Raise spec.storage.autoGrow.max, add nodes, or delete data.',
  ),
  VolumeLost: warning(
    'The volume of the node is lost or was deleted.',
    'A new node with a new id takes its place; a claim created again under the old name is not used.',
  ),
  DataLost: warning(
    'All homes of some partitions were lost before their records were found on another member.',
    'Restore what you have in backups; then acknowledge the loss with kubectl mkv acknowledge.',
  ),
  VolumeForeign: warning(
    'A claim with the name that is needed exists, but belongs to another cluster or another node.',
    'Rename or remove the claim named in the message; it is never adopted because of its name.',
  ),
  VolumeTooOld: warning(
    'A kept volume is older than gcGraceSeconds, so its data could bring deleted keys back.',
    'Nothing to do: a new id with an empty volume is used instead.',
  ),
  OutageTooLong: warning(
    'All members were away, perhaps for longer than gcGraceSeconds: if started one by one, they would drop what only they hold.',
    'Bring back the hosts and volumes of all members, then they start together; or accept the loss: annotate the cluster with marekvs.io/start-after-outage=<reason>.',
  ),
  DiskFull: warning(
    'A member refuses writes because its disk is full.',
    'Raise spec.storage.size. Added nodes help too: they take a share of new data.',
  ),

  // ---- what the API server refuses
  QuotaExceeded: warning('A ResourceQuota refuses an object.', 'Raise the quota of the namespace, or ask for less.'),
  ForbiddenByPolicy: warning(
    'An admission policy or webhook refuses an object.',
    'Read the message of the policy; change the spec or the policy.',
  ),
  Unauthorized: warning(
    'The operator lacks a permission.',
    'Install the RBAC shipped with this version; the message names the verb and the resource.',
  ),
  RequestInvalid: warning(
    'The API server rejects an object of ours as invalid.',
    'Correct the spec field named in the message; if it names none, report it.',
  ),
  NamespaceTerminating: normal('The namespace is being deleted, so nothing is created in it.', NOTHING),
  ApiUnavailable: warning(
    'The API server or a webhook does not answer.',
    'Nothing to do here: the members serve on, and the operator continues afterwards.',
  ),
  StorageBackendFull: warning('The API server cannot store writes.', 'Free space in etcd and clear its alarm.'),
  DriftLoop: warning(
    'Another program changes an object back as often as we apply it.',
    'Find the webhook or controller that edits the object named in the message.',
  ),

  // ---- one operation at a time
  OperationInProgress: normal('Another operation of this cluster is under way.', 'Wait, or cancel that one.'),
  WaitingForTurn: normal('This waits until the previous operation has finished.', NOTHING),
  WaitingForProof: normal(
    'The proof that all data is elsewhere is being gathered.',
    'Wait; the message says what is missing.',
  ),
  ProofStale: normal(
    'The proof is older than 30 s, or something it is based on has changed.',
    'Nothing to do: it is made again.',
  ),
  Proven: normal('Every copy of the target is proven to be elsewhere.', NOTHING),
  MemberSealing: normal(
    'The door of the member that goes is being closed: it is restarted on its volume so that no client reaches it.',
    'Wait; the message says what is missing. If it does not come up, the removal is taken back.',
  ),
  ReplicationFactorOne: warning(
    'With replicationFactor 1 a removal always loses data.',
    'Raise spec.replicationFactor, which reaches the members automatically, or force the removal of one node by name.',
  ),
  DeadlineExceeded: warning(
    'A removal was not proven in time, so it was taken back: the node stays.',
    'Look at what it waited for; the removal is retried later, or after the next change of the spec.',
  ),
  CancelledByUser: normal('The operation was cancelled by a change of the spec.', NOTHING),
  Forced: warning(
    'A node is removed without proof because a person asked for it by name.',
    'Check the data afterwards.',
  ),
  ForceIgnored: warning(
    'The force-remove annotation names another UID, so it is ignored.',
    'Write `<uid of this node>/<reason>` if you mean this node.',
  ),
  RecordsMissing: normal(
    'Records of a member have not been found on all their other homes yet.',
    'Wait; copies on their way arrive within seconds, but a large cluster takes minutes after a change.',
  ),
  ReplicationStuck: warning(
    'Records have been missing on a home for ten minutes, and nothing has arrived since.',
    'Look at the mesh between the members named. A value above 8 MiB is never replicated by the server: delete or split it.',
  ),
  RegistersDiverge: warning(
    'The member to be removed has HyperLogLog registers of a higher rank than every other home, which the server never reconciles.',
    'Merge each key through a copy on every member, or accept that its count may be lower afterwards; `kubectl mkv verify --show-keys` shows the keys.',
  ),
  ContentsUnreadable: warning(
    'The contents of a member cannot be read over its mesh port, so nothing can be compared.',
    'Let the operator reach TCP 7373 of the member named, and check that its image is a supported marekvs server.',
  ),
  ComparingContents: normal(
    'The members’ contents are being compared record by record.',
    'Wait; it takes seconds, longer while the members are busy. The message has the figures.',
  ),
  MeshIncomplete: warning(
    'A member has fewer mesh connections than there are other members.',
    'Look at TCP 7373 between the members; incompatible versions look like this, too.',
  ),
  MixedReplicationFactor: warning(
    'Members run with different replication factors, so they place copies differently: a new factor is reaching them one after the other.',
    'Wait for the update; where it has stopped or is paused, RollingOut says why.',
  ),
  FollowsUpstream: warning(
    'Every member follows the same upstream Redis by itself, so lists and counters come out several times; a member that goes takes its feed along.',
    'Take MAREKVS_REPLICAOF out of spec.extraEnv; the members are then restarted one at a time.',
  ),
  DiskTooSmall: warning(
    'The disks of the survivors cannot hold what the node holds.',
    'Grow the volumes, delete data, or keep the node.',
  ),
  WaitingForReplacement: normal(
    'A new node has to join before this one may go.',
    'Wait: the message says how many have joined, and what comes next.',
  ),
  MemberLeaving: normal('The member hands its clients over before it goes.', NOTHING),
  MemberDead: warning(
    'The member will never answer again, so only the others can prove that all copies are there.',
    'Check the data afterwards; what only the dead member had is lost, or is still on its volume.',
  ),
  RolledBack: warning(
    'A removal was undone: the node came back on its kept volume.',
    'Look at the survivor named in the message; the removal is retried later, or after the next change of the spec.',
  ),
  RetryDelayed: normal(
    'The last removal was undone, so the next one waits.',
    'Wait ten minutes, or change spec.nodes to start at once.',
  ),
  AnnotationIgnored: warning(
    'An annotation has a value that has no meaning.',
    'Write `true` for marekvs.io/remove-first and `<uid of the node>/<reason>` for marekvs.io/force-remove.',
  ),
  VolumeStuckTerminating: warning(
    'A volume claim should be gone but is not.',
    'Look at its finalizers and at the Pods that mount it; its id will not be used again.',
  ),
  RemovalFinished: normal('A node was removed, and the data is proven to be complete without it.', NOTHING),
  Repairing: normal('A deleted Pod or volume is being replaced.', 'Wait; the message names the node.'),
  FinalizerRemoved: warning(
    'A node vanished without a finished removal; the membership is repaired.',
    'Nothing to do; do not remove finalizers by hand.',
  ),
  NotCompared: normal(
    'The members’ contents have not been compared since the members last changed.',
    'Wait; it happens by itself after every change. kubectl mkv verify asks for it now.',
  ),
} as const satisfies Readonly<Record<string, ReasonEntry>>;

export type Reason = keyof typeof REASONS;

export function isReason(text: string): text is Reason {
  return Object.hasOwn(REASONS, text);
}

function normal(description: string, remedy: string): ReasonEntry {
  return { severity: 'normal', description, remedy };
}

function warning(description: string, remedy: string): ReasonEntry {
  return { severity: 'warning', description, remedy };
}
