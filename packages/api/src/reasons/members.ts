// The reasons of members, their Pods, their hosts and their volumes.

import { NOTHING, normal, warning } from './reason-row.ts';

export const MEMBERS = {
  MemberStarting: normal(
    'The Pod runs, but its member does not answer yet.',
    'Wait; if it persists, look at the Pod’s log.',
    { isOnTheWay: true, isOfStart: true },
  ),
  MemberJoining: normal(
    'The member is copying its share of the data before it serves.',
    'Wait; it takes longer with more data.',
    { isOnTheWay: true, isOfStart: true, goesBefore: 'others' },
  ),
  MemberNotActive: warning(
    'A member answers but is not Active.',
    'Wait for it to join; if it persists, look at join_gate_pending_pids and at the members it copies from.',
    { kind: 'waiting', isOnTheWay: true },
  ),
  MemberMissing: warning(
    'The other members do not see the member of a node.',
    'Look at its Pod; a Pod that can run joins by itself.',
    { kind: 'waiting', isOnTheWay: true },
  ),
  MemberWithoutNode: warning(
    'The cluster has a member without a MarekvsNode, so the node is created again.',
    'Nothing to do; do not remove finalizers by hand.',
    { kind: 'waiting' },
  ),
  DrainedFromOutside: warning(
    'A member serves and leads nothing, and no operation has asked for that: somebody who reaches its port 9121 has sent GET /drain.',
    'It is restarted automatically on its volume. If it happens again, close port 9121 to whoever is not the operator, the kubelet or a scraper.',
    { cause: 'member', podEnd: 'restartPodRolled' },
  ),
  NodeForeign: warning(
    'A MarekvsNode names a cluster that it is not a node of, as a copied object does. It counts for nothing.',
    'Delete the copy. If it was a node of the cluster, give it back the owner reference and the spec.clusterName it had.',
    { cause: 'object', weight: 'informational' },
  ),
  NodeOrphaned: warning(
    'A MarekvsNode, Pod or volume has our name but not our owner reference.',
    'Restore its owner reference, or delete it if it is not wanted.',
    { cause: 'object' },
  ),
  NameTaken: warning(
    'An object with a name that we need belongs to somebody else.',
    'Rename or remove the object named in the message.',
    { cause: 'object', obstacle: 'foreign' },
  ),
  PodMissing: normal('The node has no Pod and gets one on its own volume.', 'Wait; it takes seconds.', {
    isOnTheWay: true,
    isOfStart: true,
    isSilence: true,
  }),
  PodTerminal: warning(
    'The Pod ended (evicted, failed or succeeded) and is recreated on its own volume.',
    'Nothing to do unless it happens again; then look at the reason in the Pod.',
    { kind: 'waiting', cause: 'pod', isOfStart: true, podEnd: 'deletePodThatEnded' },
  ),
  PodPending: normal('The Pod has not started yet.', 'Wait; if it persists, look at the events of the Pod.', {
    isOnTheWay: true,
    isOfStart: true,
  }),
  PodUnschedulable: warning(
    'No host can take the Pod.',
    'Add capacity, or relax nodeSelector, tolerations, affinity or resources.',
    { cause: 'pod' },
  ),
  ImagePullFailed: warning(
    'The image cannot be pulled.',
    'Correct spec.image or spec.imagePullSecrets; running members are not touched.',
    { cause: 'pod' },
  ),
  ContainerConfigInvalid: warning(
    'The container cannot be created from its settings.',
    'Check that the Secret of spec.auth.secretRef exists and has the key, and the values of spec.extraEnv.',
    { cause: 'pod' },
  ),
  CrashLooping: warning('The member keeps starting and ending.', 'Read the log of the Pod.', { cause: 'pod' }),
  PodStuckTerminating: warning(
    'The Pod should be gone but is not; until it is, nothing else may use its volume.',
    'Make sure that its host is really off, then force-delete the Pod.',
    { cause: 'pod', obstacle: 'own' },
  ),
  HostNotReady: warning(
    'The host of a member is gone or not ready, and the member does not answer.',
    'Bring the host back; if it is off for good, run kubectl delete node, or taint it out-of-service.',
    { cause: 'host' },
  ),
  HostLost: warning(
    'The host of a member is lost, and its volume cannot be used on another host: a new member takes its place.',
    'Nothing to do: the others have its data. Its volume is kept; the message names the host.',
    { kind: 'waiting', cause: 'host' },
  ),
  HostsLost: warning(
    'Several hosts were lost at about the same time, so nothing is replaced automatically: a zone or a network may come back.',
    'Bring the hosts back; if some are gone for good, replace their members one by one with kubectl delete mkvnode.',
    { cause: 'host' },
  ),
  HostDraining: normal(
    'A host is being drained: members whose volumes can be used elsewhere are moved off it, one at a time, and others are replaced if spec.hosts.replaceOnDrain is set.',
    'Wait; the message names any member that stays and what it waits for.',
    { weight: 'harmless', podEnd: 'restartPodRolled' },
  ),
  MovedOff: normal('A member was moved off a host that is being drained, and has every record again.', NOTHING, {
    ends: 'asAsked',
  }),
  HostUnknown: warning(
    'A member does not answer, and the operator cannot see whether its host is lost.',
    'Let the operator read Nodes and PersistentVolumes: kubectl apply -k config/components/hosts.',
    { cause: 'host' },
  ),
  TemplateOutdated: normal('The Pod was made from an older template.', 'Wait for its turn.'),
  StorageClassMissing: warning(
    'No volume is made for a claim: it names no StorageClass and there is no default one, or the one it names does not exist.',
    'Mark a StorageClass as the default, or create the one named in the message; the claim is then bound automatically.',
    { cause: 'volume' },
  ),
  VolumePending: warning(
    'The volume claim is not bound.',
    'Read the events of the claim and the log of the provisioner the message names.',
    { cause: 'volume' },
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
    { weight: 'harmless' },
  ),
  VolumeChangeStuck: warning(
    'The provider does not give a volume the size or the attributes that its claim asks for.',
    'Look at the events of the claim named in the message and at the log of its provisioner.',
    { weight: 'harmless' },
  ),
  VolumeAutoGrown: normal('A volume was filling up, so spec.storage.autoGrow has raised its size.', NOTHING),
  AutoGrowAtMax: warning(
    'A volume is filling up and is already as large as spec.storage.autoGrow.max allows.',
    'Raise spec.storage.autoGrow.max, add nodes, or delete data.',
    { weight: 'harmless' },
  ),
  VolumeLost: warning(
    'The volume of the node is lost or was deleted.',
    'A new node with a new id takes its place; a claim created again under the old name is not used.',
    { kind: 'waiting', cause: 'volume' },
  ),
  DataLost: warning(
    'All homes of some partitions were lost before their records were found on another member.',
    'Restore what you have in backups; then acknowledge the loss with kubectl mkv acknowledge.',
    { cause: 'loss', weight: 'harmless' },
  ),
  VolumeForeign: warning(
    'A claim with the name that is needed exists, but belongs to another cluster or another node.',
    'Rename or remove the claim named in the message; it is never adopted because of its name.',
    { cause: 'volume', obstacle: 'foreign' },
  ),
  VolumeTooOld: warning(
    'A kept volume is older than gcGraceSeconds, so its data could bring deleted keys back.',
    'Nothing to do: a new id with an empty volume is used instead.',
    { kind: 'note', weight: 'informational' },
  ),
  VolumeStuckTerminating: warning(
    'A volume claim should be gone but is not.',
    'Look at its finalizers and at the Pods that mount it; its id will not be used again.',
    { kind: 'waiting', cause: 'volume' },
  ),
  OutageTooLong: warning(
    'All members were away, perhaps for longer than gcGraceSeconds: if started one by one, they would drop what only they hold.',
    'Bring back the hosts and volumes of all members, then they start together; or accept the loss: annotate the cluster with marekvs.io/start-after-outage=<reason>.',
    { cause: 'wholeCluster' },
  ),
  DiskFull: warning(
    'A member refuses writes because its disk is full.',
    'Raise spec.storage.size. Added nodes help too: they take a share of new data.',
    { cause: 'member' },
  ),
  Repairing: normal('A deleted Pod or volume is being replaced.', 'Wait; the message names the node.', {
    saysLittle: 'duringOperation',
    progressOf: 'removal',
    stateOf: 'suspension',
  }),
  FinalizerRemoved: warning(
    'A node vanished without a finished removal; the membership is repaired.',
    'Nothing to do; do not remove finalizers by hand.',
  ),
} as const;
