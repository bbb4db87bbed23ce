// The reasons of members, their Pods and their volumes.

import {
  GROW_VOLUME,
  guide,
  LOOK_AT_CLAIM,
  LOOK_AT_CLUSTER,
  LOOK_AT_NODE,
  LOOK_AT_NODES,
  LOOK_AT_POD,
  LOOK_AT_VOLUMES,
  patchSpec,
  READ_LAST_LOG,
  READ_LOG,
  SET_SIZE,
} from './entry.ts';

const POD_COMES_BACK = 'It recreates the Pod on its own volume, one member at a time while the others suffice.';
const OTHERS_SERVE = 'It goes on asking; the other members serve.';

export const MEMBERS = {
  MemberStarting: guide(OTHERS_SERVE, 'The first answer of the member, 2 to 4 s after its Pod runs.', READ_LOG),
  MemberJoining: guide(
    'It keeps the member out of the client Service until it is Active, and begins no removal.',
    'The end of the join, which grows with the data.',
    LOOK_AT_NODES,
  ),
  MemberNotActive: guide(
    'It keeps the member out of the client Service and begins no removal.',
    'A member that is Active: see in its log which members it copies from, and that these are well.',
    LOOK_AT_NODE,
    READ_LOG,
  ),
  MemberMissing: guide(
    'It brings the Pod of the node back if it is missing; a Pod that runs joins by itself.',
    'A Pod that runs and reaches the others.',
    LOOK_AT_POD,
  ),
  MemberWithoutNode: guide(
    'It creates the MarekvsNode again: the members decide who belongs to the cluster.',
    'The new MarekvsNode, within seconds.',
    LOOK_AT_NODES,
  ),
  NodeOrphaned: guide(
    'It touches the object no more: ownership is decided by owner references, never by a name.',
    'The owner reference restored, or the object deleted if nobody wants it.',
    'kubectl get mkvnode,pod,pvc -n <namespace> -l marekvs.io/cluster=<cluster> -o yaml',
  ),
  NameTaken: guide(
    'It leaves the stranger alone, creates nothing in its place and looks again every 15 s.',
    'The object named renamed or deleted. One left by an earlier cluster of the same name goes by itself.',
    'kubectl get <kind> <name> -n <namespace> -o yaml',
  ),
  PodMissing: guide(POD_COMES_BACK, 'The new Pod, within seconds.', LOOK_AT_NODE),
  PodTerminal: guide(
    `It deletes what is left of the Pod. ${POD_COMES_BACK}`,
    'The new Pod. When it repeats, the reason in the Pod tells why: evicted for memory or disk, or the host is full.',
    LOOK_AT_POD,
    READ_LAST_LOG,
  ),
  PodPending: guide('It waits for the host to start the Pod.', 'The start of the Pod.', LOOK_AT_POD),
  PodUnschedulable: guide(
    'It waits; the scheduler goes on trying. The other members serve, and nobody is removed in exchange.',
    'A host that fits: more capacity, or weaker wishes in nodeSelector, tolerations, affinity, hostnameSpreadWhenUnsatisfiable or resources. A volume that is bound to another zone is a wish too.',
    LOOK_AT_POD,
    'kubectl get nodes',
  ),
  ImagePullFailed: guide(
    'It waits; the kubelet goes on trying. Members that run are not restarted.',
    'An image that can be pulled: its name, its tag, and the Secrets in spec.imagePullSecrets.',
    LOOK_AT_POD,
    patchSpec('{"image":"<image>"}'),
  ),
  ContainerConfigInvalid: guide(
    'It waits; the kubelet goes on trying.',
    'The Secret and key of spec.auth.secretRef, or values of spec.extraEnv that the container takes.',
    LOOK_AT_POD,
    'kubectl get secret <name> -n <namespace>',
  ),
  CrashLooping: guide(
    'It waits; the kubelet restarts the member at growing intervals. The volume stays, and the other members serve.',
    'The cause in the last lines of the log of the run before: memory, a full disk, a damaged store, a setting in spec.extraEnv.',
    READ_LAST_LOG,
    LOOK_AT_POD,
  ),
  PodStuckTerminating: guide(
    'It waits and starts nothing on the volume of the Pod: two processes on one volume would destroy it.',
    'The end of the Pod. When its host is off for good, and only then, the Pod may be deleted by force.',
    'kubectl get node <host>',
    'kubectl delete pod <node> -n <namespace> --grace-period=0 --force',
  ),
  HostNotReady: guide(
    'It waits: a host that restarts brings its member back with all it has. The others serve. A Pod is taken away by force only when the Node object is gone, or is not ready and carries the taint node.kubernetes.io/out-of-service: a process that still ran there would be a second writer on the same volume.',
    'The host ready again; or, when it is off for good and only then, its Node object deleted or tainted. After spec.hosts.lostAfterSeconds a member whose volume is bound to it is replaced.',
    'kubectl describe node <host>',
    'kubectl taint node <host> node.kubernetes.io/out-of-service=nodeshutdown:NoExecute',
    'kubectl delete node <host>',
  ),
  HostLost: guide(
    'It adds a new node, compares the contents of all that are left, and takes the old one out of the list once its Pod is gone. The claim is kept and marked, and no new node takes it up. If the member answers again before that, it stays.',
    'The join of the new node. The claim may be deleted when nobody needs it; when the host is back with its disk, the annotation marekvs.io/host-lost is taken off it.',
    LOOK_AT_NODES,
    LOOK_AT_VOLUMES,
  ),
  HostsLost: guide(
    'It replaces nobody: when several hosts go at once it is usually the network or a zone, and their members come back with all they have. Those that are left serve.',
    'The hosts, back. Those that are gone for good: their nodes deleted by hand, one after the other, each after the one before was replaced.',
    'kubectl get nodes',
    LOOK_AT_NODES,
    'kubectl delete mkvnode <node> -n <namespace>',
  ),
  HostUnknown: guide(
    'It does everything else as before; what it cannot see it does not guess, so the member is not replaced by itself.',
    'Permission to read Nodes and PersistentVolumes, and nothing of them can be changed with it.',
    'kubectl apply -k config/components/hosts',
    LOOK_AT_NODE,
  ),
  TemplateOutdated: guide('It leaves the Pod alone.', 'Its turn in a rollout, or a restart by hand.', LOOK_AT_CLUSTER),
  StorageClassMissing: guide(
    'It waits: a Pod without its volume is of no use. Members that run are not touched, and nobody is removed in exchange.',
    'A StorageClass for the claim: the default one, or the one it names; claims made before take it up. spec.storage.className cannot be changed, so a cluster that has never formed is deleted, with its claims, and applied again under another class.',
    LOOK_AT_CLAIM,
    'kubectl get storageclass',
    'kubectl annotate storageclass <name> storageclass.kubernetes.io/is-default-class=true',
  ),
  VolumePending: guide(
    'It waits: a Pod without its volume is of no use.',
    'A bound claim: a provisioner that works, capacity and quota behind it, in the zone of the Pod. The events of the claim have the words of the provisioner.',
    LOOK_AT_CLAIM,
    'kubectl get storageclass',
  ),
  VolumeLost: guide(
    'It never uses the id again, adds a new node with a new id, and removes the lost one once the others are proven to hold every copy. Meanwhile nobody else is removed.',
    'The join of the new node. What only this volume held is lost; with replicationFactor 2 or more the others hold it.',
    LOOK_AT_NODES,
    LOOK_AT_VOLUMES,
  ),
  DataLost: guide(
    'It runs the cluster on and replaces what is missing: the partitions concerned serve again, without what was in them. It says so until somebody has read it, also after a restart.',
    'An acknowledgement, which names the loss, who and when. Nothing brings the records back but a backup, or the volumes themselves.',
    "kubectl get mkv <cluster> -n <namespace> -o jsonpath='{.status.data}'",
    LOOK_AT_VOLUMES,
  ),
  VolumeForeign: guide(
    'It leaves the claim alone and starts no member on it: adopting data by its name would mix two clusters.',
    'The claim named, renamed or deleted by its owner.',
    'kubectl get pvc data-<node> -n <namespace> -o yaml',
  ),
  VolumeTooOld: guide(
    'It keeps the volume and does not use it: keys that were deleted since could come back with it. A new id with an empty volume is used.',
    'Nothing is blocked. Delete the claim when nobody needs its data.',
    LOOK_AT_VOLUMES,
    'kubectl delete pvc data-<node> -n <namespace>',
  ),
  VolumeStuckTerminating: guide(
    'It does not use the id again, and says so as long as the claim is there: its data goes as soon as its Pod ends.',
    'The end of the Pod that mounts it, or its finalizers; the node is replaced then.',
    LOOK_AT_CLAIM,
  ),
  OutageTooLong: guide(
    'It creates no Pod while nobody is up and some volume was last Active about gcGraceSeconds ago, or at a time that nobody knows. The first member that starts alone keeps what it has; each later one drops what the first lacks, a third of all keys with three members. It creates all Pods at once as soon as the volume of every member is there and no Pod of before is left.',
    'The hosts of all members, back in service before the last Pod of before is gone: Pods are created at once and start as their hosts take them, and one that Kubernetes starts again by itself cannot be held. Where hosts come back one by one nothing is lost either when the cluster is deleted (its claims stay, unless volumeRetention.whenDeleted is Delete) and applied again with gcGraceSeconds longer than the outage. Or the words of a person that the rest starts without the missing ones, at the price of what only those hold that come later; take the annotation off afterwards.',
    LOOK_AT_NODES,
    LOOK_AT_VOLUMES,
    "kubectl annotate mkv <cluster> -n <namespace> marekvs.io/start-after-outage='<reason>'",
    'kubectl annotate mkv <cluster> -n <namespace> marekvs.io/start-after-outage-',
  ),
  DiskFull: guide(
    'It says so, begins no removal and lets a running one wait: the others would have to hold more. The member serves reads and takes up what others write.',
    'Space on this volume: the claim grown, by hand in this version. More nodes take a share of what comes, and what is on the full volume stays there. The member takes writes again by itself.',
    GROW_VOLUME,
    SET_SIZE,
  ),
  Repairing: guide(
    'It replaces what is missing: a Pod on its own volume, or a node by a new one.',
    'The member named Active again.',
    LOOK_AT_NODES,
  ),
  FinalizerRemoved: guide(
    'It takes the members’ word: a member that still runs gets its MarekvsNode back, one that is gone is replaced. An event and the counter nodes_vanished_total tell of it.',
    'Nothing is blocked. Remove nodes with kubectl delete or kubectl scale and leave the finalizer to the operator.',
    LOOK_AT_NODES,
  ),
} as const;
