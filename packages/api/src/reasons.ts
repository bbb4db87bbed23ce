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
  AsExpected: normal('The observed state is the wanted one.', NOTHING),
  AllMembersReady: normal('Every member is ready and all views of the membership agree.', NOTHING),
  ReplicasMatchSpec: normal('The number of members is the wanted one.', NOTHING),
  Joined: normal('The member is Active in the view of every other member.', NOTHING),
  VolumeBound: normal('The volume claim is bound and belongs to this node.', NOTHING),
  RecordsCovered: normal('Every record was seen on every home of it when contents were last compared.', NOTHING),
  TemplateCurrent: normal('The Pod was made from the current template.', NOTHING),
  NotPaused: normal('The cluster is being reconciled.', NOTHING),

  // ---- not known
  NotObserved: normal('This has not been observed yet.', 'Wait for the first pass; if it stays, look at the operator.'),
  MemberSilent: warning(
    'A member did not answer within the time limit.',
    'Look at the Pod named in the message: its log, its host and the NetworkPolicy towards port 9121.',
  ),
  MemberAnswerInvalid: warning(
    'A member answered something that is not marekvs.',
    'Check that the image is a marekvs server and that nothing else answers on its ports.',
  ),
  ViewsDisagree: warning(
    'Members do not agree on who belongs to the cluster.',
    'Wait for gossip to settle; if it stays, check the network between the members named.',
  ),

  // ---- forming
  Forming: normal('The members of a new cluster start and find each other.', 'Wait; it takes about ten seconds.'),
  FormingTimedOut: warning(
    'The members of a new cluster did not find each other in time.',
    'Look at the nodes named in the message; forming goes on by itself once their Pods can run and reach each other.',
  ),
  MemberLonely: warning(
    'A member went Active without seeing its peers and is restarted empty with explicit seeds.',
    'Nothing to do unless it repeats; then check name resolution and UDP 7946 between the Pods.',
  ),
  ClusterFormed: normal('All members of the new cluster agree; its identity is fixed from now on.', NOTHING),
  TotalLoss: warning(
    'No member and no volume of a formed cluster is left; a cluster is never formed twice.',
    'Restore volume claims data-<node> if there are snapshots, then delete the MarekvsCluster and apply it again: it takes up what is there.',
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
    'An adoption was begun, and what it was to take over cannot be read any more.',
    'Put the annotation marekvs.io/adopt of the cluster back as it was; until then everything is left as it is.',
  ),

  // ---- handed to a StatefulSet
  Releasing: normal(
    'The members are being handed to a StatefulSet: their Pods and volumes stay as they are.',
    'Wait; the message names what is still missing.',
  ),
  Released: normal('The members are run by a StatefulSet, and this operator leaves them alone.', NOTHING),
  ReleaseWaiting: warning(
    'The handover to a StatefulSet stands still half-way; all members serve.',
    'Go on with kubectl mkv release, or take the members back with kubectl mkv adopt.',
  ),
  ReleaseRefused: warning(
    'The members are to be handed to a StatefulSet, and something of them is not as that would have it.',
    'Do what the message names; or take the request back with kubectl mkv adopt.',
  ),

  // ---- size
  ScalingClusterUp: normal('Members are being added.', 'Wait; the message names the members that are missing.'),
  ScalingClusterDown: normal('Members are being removed, one at a time.', 'Wait, or raise the size again to cancel.'),
  BelowFloor: warning(
    'Fewer nodes are wanted than replicationFactor + 1, so the floor is used instead.',
    'Set spec.nodes to at least replicationFactor + 1.',
  ),
  AtFloor: normal('The cluster is as small as it may be.', 'Lower replicationFactor or minNodes to go smaller.'),

  // ---- size by load and disks
  AutoscaleBegun: normal('The size follows load or disks from now on; nothing has moved it yet.', NOTHING),
  LoadAboveTarget: normal('Clients send more than the members shall carry, so nodes are added.', NOTHING),
  LoadBelowTarget: normal('One node less carries the load with room to spare, and has for the whole window.', NOTHING),
  LoadWithinTarget: normal('The load fits the size.', NOTHING),
  DiskAboveTarget: normal(
    'The fullest volume comes near spec.autoscale.targetDiskPercent, so a node is added.',
    NOTHING,
  ),
  AtMinNodes: normal('The size is the smallest that is allowed.', 'Lower spec.autoscale.minNodes to go smaller.'),
  AtMaxNodes: warning(
    'Load or disks ask for more nodes than spec.autoscale.maxNodes.',
    'Raise spec.autoscale.maxNodes, or the target; where the message names one member, look for a key that many ask for.',
  ),
  BelowMinNodes: normal('The cluster is smaller than spec.autoscale allows, so nodes are added.', NOTHING),
  AboveMaxNodes: normal('The cluster is larger than spec.autoscale allows, so nodes are removed.', NOTHING),
  SizedByHosts: normal(
    'The size is the number of hosts that spec.hosts.onePerHost selects, within its bounds.',
    'Label another host, or take the label off one, to change it.',
  ),
  NoHostMatches: warning(
    'No host that could take a member has the labels of spec.hosts.onePerHost, so the size stays.',
    'Label the hosts the message asks for, let them in again, or correct spec.hosts.onePerHost.nodeSelector.',
  ),
  FewHosts: warning(
    'Fewer hosts are selected than there are nodes at least, so some hosts carry two members.',
    'Label as many hosts as the message says.',
  ),
  HostsNotReadable: warning(
    'Which hosts spec.hosts.onePerHost selects cannot be read, so the size stays; or which are drained, so nobody is replaced for it.',
    'Give the operator the permissions of config/components/hosts.',
  ),
  NoLoadSignal: warning(
    'The figures of a member are not known, so the size stays: unknown is not idle.',
    'Look at the member the message names: its log, its host and the NetworkPolicy towards port 9121.',
  ),
  AutoscaleConflict: warning(
    'A HorizontalPodAutoscaler aims at a cluster whose size follows spec.autoscale; what it asks for is refused.',
    'Delete the HorizontalPodAutoscaler the message names, or take spec.autoscale out.',
  ),
  KeptSize: warning(
    'The size that was decided by spec.autoscale or spec.hosts.onePerHost stays after that was taken out, until another one is asked for.',
    'Set spec.nodes to the size you want; the number that stands there is confirmed with kubectl mkv scale.',
  ),

  // ---- spec
  InvalidSpec: warning(
    'The stored spec breaks a rule, so it is not acted on.',
    'Correct the fields the message names; the cluster stays as it is until then.',
  ),
  SecretMissing: warning(
    'The Secret of spec.auth is not there, or lacks the key, so no member can want that password.',
    'Create the Secret with the key the message names, or take spec.auth out.',
  ),
  AuthNotInForce: warning(
    'The spec asks for a password, and running members want none: they cannot be given it, or do not take it.',
    'Do what the entry of spec.auth in status.pendingChanges says, or set spec.auth back.',
  ),
  PasswordRotating: normal(
    'Running members are being given another password, or none, as the spec and its Secret say by now, without a restart.',
    'Wait; it takes seconds. Clients may use either for that long.',
  ),
  PasswordApplied: normal(
    'A running member wants the password that the spec names by now, or none if it names none; it was told while it ran, or was restarted where nobody could tell it.',
    NOTHING,
  ),
  PasswordRefused: warning(
    'A member takes neither the password of its Secret nor one that was there before, so nothing is known of it.',
    'After a minute such members are restarted by themselves, one at a time on their volumes, which gives them the one of the Secret. The password that they want under <key>-previous of the Secret spares them that.',
  ),
  PasswordInvalid: warning(
    'What the Secret has under the key of spec.auth cannot be a password of a member.',
    'Put one there without NUL bytes, as UTF-8, of at most 131,051 bytes.',
  ),
  SecretNotReadable: warning(
    'The operator may not read the Secret of spec.auth, so it can neither ask the members nor give them another password.',
    'Grant it that one Secret: kubectl mkv auth grant.',
  ),
  AuthMixed: warning(
    'Some members want a password and others do not, so clients are refused by some of them.',
    'Do what the entry of spec.auth in status.pendingChanges says; replace a member that does not take it with kubectl mkv replace.',
  ),
  RollingOut: normal(
    'A changed template reaches the members, one restart after another.',
    'Wait; the message has the member whose turn it is and how many are done.',
  ),
  RolloutInLine: normal(
    'Many clusters change at once: members of a few of them are restarted at a time, and others were first.',
    'Wait; it begins by itself, in the order in which the clusters came.',
  ),
  RolledOut: normal('A member was restarted with the template that is asked for, and has every record again.', NOTHING),
  ResizedInPlace: normal('A member has the resources that are asked for, and was not restarted.', NOTHING),
  ResizePending: normal(
    'The host of a Pod is to give it other resources without a restart, and has not done so yet.',
    'Wait a minute: what is not done by then is done with a restart.',
  ),
  ResizeImpossible: warning(
    'A Pod cannot get other resources where it runs, so its member is restarted with them in its turn.',
    'Look at the message: a host without room for it, a memory in use, or a rule of this cluster. Nothing has to be done when the turn succeeds.',
  ),
  RolloutStopped: warning(
    'A member did not come up with the changed template, so no further one is restarted.',
    'Correct the field the message points to, set it back, or let it try again with kubectl mkv rollout retry.',
  ),
  RolloutPaused: normal('A person paused the rolling update.', 'Let it go on with kubectl mkv rollout resume.'),
  RolloutAwaitsApproval: normal(
    'The canaries of a rolling update have the changed template, and a person has to look at them.',
    'Let it go on with kubectl mkv rollout approve, or set the fields back.',
  ),
  RolloutOnDelete: normal(
    'With spec.update.type OnDelete a member takes up the changed template when its Pod is deleted.',
    'Delete the Pods of the members named, one at a time.',
  ),
  InvalidRevision: warning(
    'The ControllerRevision of a template is missing or does not hold what its name says.',
    'Apply the fields of that revision in spec; a revision that is not what it says is never used.',
  ),
  Paused: normal(
    'A person paused the cluster: nothing is written to Pods, volumes or nodes.',
    'Set spec.paused to false.',
  ),
  Deleting: normal('The object is being deleted.', NOTHING),

  // ---- stopped for a while
  Hibernating: normal(
    'All members are being stopped together, once every record is on all its homes.',
    'Wait; kubectl mkv wake takes it back.',
  ),
  Hibernated: normal(
    'All members are stopped, as it was asked for; their nodes and volumes are kept.',
    'Start them together with kubectl mkv wake, before the time the message names.',
  ),
  HibernationWaits: warning(
    'The members are to be stopped, and something speaks against stopping them now.',
    'Do what the message names; they serve until then. kubectl mkv wake takes the wish back.',
  ),
  HibernatedTooLong: warning(
    'The members have been stopped for about as long as they remember deletions, so they are not started by themselves.',
    'Raise spec.gcGraceSeconds above the time the message names, then they start together; or accept the loss: annotate the cluster marekvs.io/start-after-outage=<reason>.',
  ),
  WakingUp: normal('The members of a hibernated cluster start together and are compared.', 'Wait; it takes seconds.'),
  SuspensionWaits: warning(
    'One member is to be stopped for repair by hand, and something speaks against stopping it now.',
    'Do what the message names; it serves until then. kubectl mkv resume-member takes the wish back.',
  ),
  Suspending: normal(
    'One member is being stopped for repair by hand, once the others have every record of it.',
    'Wait; kubectl mkv resume-member takes it back.',
  ),
  Suspended: normal(
    'One member is stopped, as it was asked for: its Pod is off its volume, and nothing else is restarted or removed.',
    'Bring it back with kubectl mkv resume-member, before the time the message names.',
  ),
  SuspendedTooLong: warning(
    'A member has been stopped for about as long as deletions are remembered, so it is not started on its volume.',
    'Let a new node take its place: kubectl mkv replace. The others have what it had when it was stopped.',
  ),
  Resumed: normal('A member that was stopped for repair is back, and has every record.', NOTHING),
  Woken: normal('All members of a hibernated cluster are back, and every record is on all its homes.', NOTHING),

  // ---- members and their Pods
  MemberStarting: normal('The Pod runs and its member does not answer yet.', 'Wait; look at the Pod log if it stays.'),
  MemberJoining: normal('The member copies its share of the data before it serves.', 'Wait; it grows with the data.'),
  MemberNotActive: warning(
    'A member answers but is not Active.',
    'Wait for its join; if it stays, look at join_gate_pending_pids and at the members it copies from.',
  ),
  MemberMissing: warning(
    'A node has no member in the views of the others.',
    'Look at its Pod; a Pod that can run joins by itself.',
  ),
  MemberWithoutNode: warning(
    'The cluster has a member without a MarekvsNode, which is created again.',
    'Nothing to do; avoid removing finalizers by hand.',
  ),
  NodeOrphaned: warning(
    'A MarekvsNode, Pod or volume carries our name and not our owner.',
    'Restore its owner reference, or delete it if it is not wanted.',
  ),
  NameTaken: warning(
    'An object of the needed name belongs to somebody else.',
    'Rename or remove the object the message names.',
  ),
  PodMissing: normal('The node has no Pod and gets one on its own volume.', 'Wait; it takes seconds.'),
  PodCreated: normal('A Pod was created on the volume of its node.', NOTHING),
  PodTerminal: warning(
    'The Pod ended (evicted, failed or succeeded) and is created again on its own volume.',
    'Nothing to do unless it repeats; then look at the reason of the Pod.',
  ),
  PodPending: normal('The Pod has not started yet.', 'Wait; look at the events of the Pod if it stays.'),
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
  CrashLooping: warning('The member starts and ends again and again.', 'Read the log of the Pod.'),
  PodStuckTerminating: warning(
    'The Pod should be gone and is not; nothing else may use its volume meanwhile.',
    'Make sure that its host is really off, then delete the Pod by force.',
  ),
  TemplateOutdated: normal('The Pod was made from an older template.', 'Wait for its turn.'),

  // ---- hosts
  HostNotReady: warning(
    'The host of a member is gone or not ready, and the member does not answer.',
    'Bring the host back; one that is off for good is deleted with kubectl delete node, or tainted out-of-service.',
  ),
  HostLost: warning(
    'The host of a member is lost, and its volume can be on no other host: a new member takes its place.',
    'Nothing to do: the others have its data. Its volume is kept; the message names the host.',
  ),
  HostsLost: warning(
    'Several hosts were lost at about the same time, so nothing is replaced by itself: a zone or a network may come back.',
    'Bring the hosts back; members whose hosts are gone for good are replaced one by one with kubectl delete mkvnode.',
  ),
  HostDraining: normal(
    'A host is being drained: members whose volumes can move are moved off it, one at a time, and others are replaced where spec.hosts.replaceOnDrain wants it.',
    'Wait; a member that stays is named, with what it waits for.',
  ),
  MovedOff: normal('A member was moved off a host that is being drained, and has every record again.', NOTHING),
  HostUnknown: warning(
    'A member does not answer, and whether its host is lost cannot be seen.',
    'Let the operator read Nodes and PersistentVolumes: kubectl apply -k config/components/hosts.',
  ),

  // ---- volumes
  StorageClassMissing: warning(
    'Nobody makes the volume of a claim: it names no StorageClass and none is the default, or the one it names is not there.',
    'Mark a StorageClass as the default, or create the one the message names; the claim is bound by itself then.',
  ),
  VolumePending: warning(
    'The volume claim is not bound.',
    'Read the events of the claim and the log of the provisioner the message names.',
  ),
  VolumeChanging: normal(
    'The volume of a node gets another size or other attributes while its member runs.',
    'Wait; the message says how far it is. It takes seconds to minutes, by provider.',
  ),
  VolumeAwaitsRestart: normal(
    'A volume has grown, and its file system takes that up only when its Pod starts anew.',
    'Wait for its turn: members are restarted one at a time.',
  ),
  VolumeChangeRefused: warning(
    'The API server refuses to let a volume claim grow, or to change its attributes.',
    'Read the message: a StorageClass without allowVolumeExpansion, a quota, or a policy. It is tried again by itself.',
  ),
  VolumeChangeStuck: warning(
    'The provider does not give a volume the size or the attributes that its claim asks for.',
    'Look at the events of the claim the message names and at the log of its provisioner.',
  ),
  VolumeAutoGrown: normal('A volume fills up, so spec.storage.autoGrow has raised its size.', NOTHING),
  AutoGrowAtMax: warning(
    'A volume fills up and is as large as spec.storage.autoGrow.max allows.',
    'Raise spec.storage.autoGrow.max, add nodes, or delete data.',
  ),
  VolumeLost: warning(
    'The volume of the node is lost or was deleted.',
    'A new node with a new id takes its place; a claim that is made again under the old name is not used.',
  ),
  DataLost: warning(
    'All homes of some partitions were lost before their records were seen on another member.',
    'Bring back what a backup has; then acknowledge the loss with kubectl mkv acknowledge.',
  ),
  VolumeForeign: warning(
    'A claim of the needed name exists and belongs to another cluster or another node.',
    'Rename or remove the claim the message names; it is never adopted by name.',
  ),
  VolumeTooOld: warning(
    'A kept volume is older than gcGraceSeconds, so its data could bring deleted keys back.',
    'Nothing to do: a new id with an empty volume is used instead.',
  ),
  OutageTooLong: warning(
    'All members were away, perhaps for longer than gcGraceSeconds: started one by one they would drop what only they hold.',
    'Bring back the hosts and volumes of all members, then they start together; or accept the loss: annotate the cluster marekvs.io/start-after-outage=<reason>.',
  ),
  DiskFull: warning(
    'A member stopped writes because its disk is full.',
    'Raise spec.storage.size; nodes that are added take a share of what comes.',
  ),

  // ---- what the API server refuses
  QuotaExceeded: warning('A ResourceQuota refuses an object.', 'Raise the quota of the namespace, or ask for less.'),
  ForbiddenByPolicy: warning(
    'An admission policy or webhook refuses an object.',
    'Read the message of the policy; change the spec or the policy.',
  ),
  Unauthorized: warning(
    'The operator lacks a permission.',
    'Install the RBAC shipped with this version; the message names verb and resource.',
  ),
  RequestInvalid: warning(
    'The API server calls an object we made invalid.',
    'Correct the spec field the message names; if there is none, report it.',
  ),
  NamespaceTerminating: normal('The namespace is being deleted, so nothing is created in it.', NOTHING),
  ApiUnavailable: warning(
    'The API server or a webhook does not answer.',
    'Nothing to do here: the data plane goes on and so does the operator afterwards.',
  ),
  StorageBackendFull: warning('The API server cannot store writes.', 'Free space in etcd and clear its alarm.'),
  DriftLoop: warning(
    'Somebody else changes an object back as often as we apply it.',
    'Find the webhook or controller that edits the object the message names.',
  ),

  // ---- one operation at a time
  OperationInProgress: normal('Another operation of this cluster is under way.', 'Wait, or cancel that one.'),
  WaitingForTurn: normal('This waits until the operation before it has finished.', NOTHING),
  WaitingForProof: normal(
    'The proof that all data is elsewhere is being gathered.',
    'Wait; the message says what is missing.',
  ),
  ProofStale: normal(
    'The proof is older than 30 s or something it rests on changed.',
    'Nothing to do: it is made again.',
  ),
  Proven: normal('Every copy of the target is proven to be elsewhere.', NOTHING),
  ClientsConnected: warning(
    'Clients are still connected to the node that shall leave.',
    'Let the clients reconnect; the message has their number.',
  ),
  ReplicationFactorOne: warning(
    'With replicationFactor 1 a removal always loses data.',
    'Raise spec.replicationFactor, which reaches the members by itself, or force the removal of one node by name.',
  ),
  DeadlineExceeded: warning(
    'A removal was not proven in time, so it was taken back: the node stays.',
    'Look at what it waited for; the removal is tried again later, or after the next change of the spec.',
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
    'Records of a member were not seen on every other home of theirs yet.',
    'Wait; copies that are on their way arrive within seconds, a large cluster after a change takes minutes.',
  ),
  ReplicationStuck: warning(
    'Records have been missing on a home for ten minutes, and nothing has arrived since.',
    'Look at the mesh between the members named. A value above 8 MiB is never replicated by the server: delete or split it.',
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
    'Look at TCP 7373 between the members; versions that do not understand each other show like this too.',
  ),
  MixedReplicationFactor: warning(
    'Members run with different replication factors, so they place copies differently: another one is reaching them, one after the other.',
    'Wait for the update; where it has stopped or is paused, RollingOut says why.',
  ),
  FollowsUpstream: warning(
    'The member follows an upstream Redis, and that feed would end with it.',
    'Take MAREKVS_REPLICAOF out of spec.extraEnv and restart the member, or let another node go.',
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
    'The member will never answer again: only the others can prove that every copy is there.',
    'Check the data afterwards; what only the dead member had is lost, or still on its volume.',
  ),
  RolledBack: warning(
    'A removal was undone: the node came back on its kept volume.',
    'Look at the survivor the message names; the removal is tried again later, or after the next change of the spec.',
  ),
  RetryDelayed: normal(
    'The last removal was undone, so the next one waits.',
    'Wait ten minutes, or change spec.nodes to start at once.',
  ),
  AnnotationIgnored: warning(
    'An annotation has a value that means nothing here.',
    'Write `true` for marekvs.io/remove-first and `<uid of the node>/<reason>` for marekvs.io/force-remove.',
  ),
  VolumeStuckTerminating: warning(
    'A volume claim should be gone and is not.',
    'Look at its finalizers and at the Pods that mount it; its id is not used again.',
  ),
  RemovalFinished: normal('A node was removed and the data is proven to be complete without it.', NOTHING),
  Repairing: normal('A deleted Pod or volume is being replaced.', 'Wait; the message names the node.'),
  FinalizerRemoved: warning(
    'A node vanished without a finished removal; the membership is repaired.',
    'Nothing to do; avoid removing finalizers by hand.',
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
