// The reasons of forming a cluster and of changing its size.

import {
  guide,
  LOOK_AT_CLUSTER,
  LOOK_AT_NODES,
  LOOK_AT_OPERATION,
  LOOK_AT_POD,
  LOOK_AT_VOLUMES,
  MADE_ANEW,
  patchSpec,
  READ_LOG,
  SET_SIZE,
  SHOW_SIZING,
} from './entry.ts';

export const SIZE = {
  Forming: guide(
    'It creates all nodes at once and lets no client in before every member shows every other one. Nothing can be lost: no data has been taken yet.',
    'All members Active in all lists, about ten seconds after their Pods run.',
    'kubectl get mkv <cluster> -n <namespace> --watch',
  ),
  FormingTimedOut: guide(
    'It goes on forming. No client is let in meanwhile.',
    'Pods that can run and reach each other: look at the nodes named, the first of them usually has no host, no volume or no image.',
    LOOK_AT_NODES,
    LOOK_AT_POD,
  ),
  MemberLonely: guide(
    'It restarts the member, empty, with the addresses of the others as seeds. Nobody has written to it, so nothing is lost.',
    'The restart. When it repeats, names of the headless Service are not resolved in the Pods, or UDP 7946 is blocked between them.',
    READ_LOG,
  ),
  TotalLoss: guide(
    'Nothing. A cluster that had data is never formed a second time, because an empty one in its place would look healthy to its clients.',
    'The cluster deleted and applied again: it takes up every claim of its name that is there then, restored from snapshots under the names data-<node> and with their labels, or starts empty. Claims restored under the nodes that lost theirs are not used (docs/operations/volumes.md).',
    LOOK_AT_VOLUMES,
    'kubectl delete mkv <cluster> -n <namespace>',
  ),
  StatefulSetFound: guide(
    'Nothing at all: no node is created, and the Services and Pods that are there stay as they are. The members and their clients go on.',
    'The handover with `kubectl mkv adopt`, which says first what is in its way; or the end of the StatefulSet. The existing operator has to be stopped before: it would make the StatefulSet again.',
    'kubectl get statefulset,pod,pvc -n <namespace> --show-labels',
    LOOK_AT_CLUSTER,
  ),
  Adopting: guide(
    'It makes one MarekvsNode for each member, becomes the owner of the Pods and labels the volumes. Nothing is restarted, and the Services are switched last, when all members agree.',
    'All members in all lists, as one cluster. A member that is silent, or another one that nobody handed over, keeps the Services as they were.',
    LOOK_AT_NODES,
    LOOK_AT_POD,
  ),
  AdoptionUnclear: guide(
    'Nothing more: what it has taken over it keeps, and it forms no cluster beside the rest. The members and their clients go on.',
    'The annotation `marekvs.io/adopt` as `kubectl mkv adopt` wrote it and printed it; the audit log of the API server has it, too.',
    'kubectl get mkv <cluster> -n <namespace> -o yaml',
  ),
  ScalingClusterUp: guide(
    'It has created all missing nodes at once; each takes its share of the data before it serves.',
    'The joins of the nodes named. Lower the size again to stop it.',
    LOOK_AT_NODES,
  ),
  ScalingClusterDown: guide(
    'It removes one node at a time, each after its own proof. The cluster serves all the time.',
    'It ends by itself, in about a minute per node on a quiet cluster. Raising the size again cancels what has not been deleted yet.',
    LOOK_AT_OPERATION,
    SET_SIZE,
  ),
  BelowFloor: guide(
    'It runs replicationFactor + 1 nodes instead: with fewer, the loss of one member would leave keys without a second home.',
    'A size of at least replicationFactor + 1, or a lower replicationFactor.',
    'kubectl scale mkv/<cluster> -n <namespace> --replicas=<replicationFactor + 1>',
  ),
  AtFloor: guide(
    'It keeps the node: without it fewer than replicationFactor + 1 would be left.',
    'Another node that joins first, or a lower replicationFactor.',
    SET_SIZE,
  ),
  AutoscaleBegun: guide(
    'It keeps the size the cluster has, and measures. The first change comes after the cooldown at the earliest.',
    'Nothing: this is where every size that follows the load begins.',
    SHOW_SIZING,
  ),
  LoadAboveTarget: guide(
    'It adds as many nodes as the load asks for, at once; they serve when they have their share of the data.',
    'The joins. After the cooldown it grows further if that is needed; it gets smaller only after a whole window of low load.',
    SHOW_SIZING,
    LOOK_AT_NODES,
  ),
  LoadBelowTarget: guide(
    'It removes one node, with the same proof as if you had asked for it, and waits for another window before the next.',
    'The removal; load that rises before the node is deleted takes it back.',
    SHOW_SIZING,
    LOOK_AT_OPERATION,
  ),
  LoadWithinTarget: guide(
    'It keeps the size.',
    'Load that rises above the target, or falls below 60 % of it for a whole window.',
    SHOW_SIZING,
  ),
  DiskAboveTarget: guide(
    'It adds one node: new data is spread over more disks. What is stored stays where it is, so the fill level does not fall.',
    'The next node is added when the fullest volume has filled by half of what is left to the target. Larger volumes or less data help sooner.',
    SHOW_SIZING,
    LOOK_AT_VOLUMES,
  ),
  AtMinNodes: guide('It keeps the size.', 'More load, or a lower spec.autoscale.minNodes.', SHOW_SIZING),
  AtMaxNodes: guide(
    'It keeps the largest size that is allowed. Members carry more than they were meant to; nothing is refused because of that.',
    'A higher spec.autoscale.maxNodes, larger nodes and a higher target, or less load. It is said when it has stood for two minutes, and taken back five minutes after it has ended.',
    SHOW_SIZING,
  ),
  BelowMinNodes: guide('It adds the nodes that are missing, without asking for the load.', 'The joins.', LOOK_AT_NODES),
  AboveMaxNodes: guide(
    'It removes one node after the other, one in each window, whatever the load is.',
    'The removals; or a higher spec.autoscale.maxNodes.',
    SHOW_SIZING,
  ),
  NoLoadSignal: guide(
    'It keeps the size. It grows on what the other members serve, which is the least there is, and never shrinks on it.',
    'An answer of the member named. A member that has just been restarted is known again after two readings.',
    SHOW_SIZING,
    LOOK_AT_POD,
  ),
  AutoscaleConflict: guide(
    'It sizes the cluster by spec.autoscale; the API server refuses what the HorizontalPodAutoscaler writes, with the reason. It looks for one when the spec of the cluster changes and when it has decided a size, and every 30 s while this is said.',
    'One of the two taken away. One that KEDA made goes with its ScaledObject.',
    'kubectl get hpa -n <namespace>',
  ),
  KeptSize: guide(
    'It keeps the number of nodes: nobody has asked for another one, and a smaller spec.nodes from long ago is not such a wish.',
    'A spec.nodes with the size you want, or its present value confirmed by `kubectl mkv scale`.',
    SET_SIZE,
  ),
  Paused: guide(
    'It writes to no Pod, volume or node and begins no removal; one whose node is deleted already is finished, because there is no way back. Status and the pending change are still shown.',
    'A spec with paused: false.',
    patchSpec('{"paused":false}'),
  ),
  Deleting: guide(
    'It ends the Pods of the cluster, without proof because nobody needs the copies any more, and keeps the volumes unless spec.volumeRetention.whenDeleted is Delete.',
    'It ends by itself. When it stays, one Pod does not end: its host is usually gone.',
    LOOK_AT_NODES,
    LOOK_AT_POD,
  ),
  InvalidSpec: guide(
    'It leaves the cluster exactly as it is: no node is added, removed or restarted on a spec that breaks a rule.',
    'The fields named, corrected. Objects stored before a rule existed are the usual cause.',
    'kubectl edit mkv <cluster> -n <namespace>',
  ),
  UnsupportedFields: guide(
    'It goes on with what is in force and does everything else. `status.pendingChanges` has both, field by field, with why and what ends it.',
    'The field taken back, or what the entry names in its place; or a version of the operator that knows it.',
    "kubectl get mkv <cluster> -n <namespace> -o jsonpath='{.status.pendingChanges}'",
    'kubectl edit mkv <cluster> -n <namespace>',
  ),
  RollingOut: guide(
    'It takes one member out of the clients’ way, compares that the others have all its records, restarts it on its volume with the changed template, and waits until every record is on it again before it goes on to the next.',
    'It ends by itself; a member takes 10 to 30 seconds.',
    'kubectl mkv rollout status <cluster> -n <namespace>',
    LOOK_AT_NODES,
  ),
  RolledOut: guide(
    'It goes on with the next member that still has an older template.',
    'Nothing.',
    'kubectl mkv rollout status <cluster> -n <namespace>',
  ),
  ResizedInPlace: guide(
    'It goes on with the next member that still has an older template.',
    'Nothing.',
    'kubectl mkv rollout status <cluster> -n <namespace>',
  ),
  ResizePending: guide(
    'It has asked for the resources on the running Pod and touches nobody else. The member serves its clients all the while.',
    'The host that has room for them. After 60 seconds, or as soon as the host says that it never will, the member is restarted with them in its turn.',
    LOOK_AT_POD,
    'kubectl mkv rollout status <cluster> -n <namespace>',
  ),
  ResizeImpossible: guide(
    'It takes the member out of the clients’ way and restarts it with these resources, as for any other change: the scheduler may find another host for it.',
    'It ends by itself. When the restarted Pod finds no host either, the update stops there and that member goes back.',
    LOOK_AT_POD,
    'kubectl mkv rollout status <cluster> -n <namespace>',
  ),
  RolloutStopped: guide(
    'It restarts no further member. With spec.update.rollbackOnFailure the member that failed is back on the last template that all had; the spec is not touched. Nodes that are made meanwhile get that one, too.',
    'A corrected template, the old one, or another try.',
    'kubectl mkv rollout status <cluster> -n <namespace>',
    'kubectl mkv rollout undo <cluster> -n <namespace>',
    'kubectl mkv rollout retry <cluster> -n <namespace>',
  ),
  RolloutPaused: guide(
    'It finishes the turn under way and restarts nobody after it.',
    'The annotation marekvs.io/rollout-paused taken off.',
    'kubectl mkv rollout resume <cluster> -n <namespace>',
  ),
  RolloutAwaitsApproval: guide(
    'It leaves the members that are not canaries as they are, for as long as it takes.',
    'An approval of this very revision; one of another revision counts for nothing.',
    'kubectl mkv rollout approve <cluster> -n <namespace>',
    'kubectl mkv rollout undo <cluster> -n <namespace>',
  ),
  RolloutOnDelete: guide(
    'It restarts nobody by itself. Every node has the changed template, and a Pod that is deleted or evicted comes back with it.',
    'The Pods of the members named deleted, one after the other.',
    'kubectl delete pod <node> -n <namespace>',
  ),
  InvalidRevision: guide(
    'It goes on with what the spec asks for, and never uses the revision named. One that was changed it deletes, with an event, and stores it anew where a member runs it.',
    'The fields of that revision applied in spec again, should it be needed.',
    'kubectl get controllerrevisions -n <namespace> -l marekvs.io/cluster=<cluster>',
  ),
  SecretMissing: guide(
    'It restarts nobody, and goes on with the password the members have, or with none: whoever reaches the port may read and write then. It looks for the Secret again every 30 s. That one is deleted it notices within seconds.',
    'The Secret with the key, in the namespace of the cluster; or a spec without auth.',
    'kubectl get secret -n <namespace>',
    patchSpec('{"auth":null}'),
  ),
  AuthNotInForce: guide(
    'It changes no running member, and makes new ones with what the others have, so that no cluster gets mixed. Whoever reaches a member that wants no password may read and write.',
    `A spec with auth set back; or ${MADE_ANEW}.`,
    LOOK_AT_CLUSTER,
  ),
  AuthMixed: guide(
    'It asks each member with the password that member has, so nothing of its own work stops. Clients are refused by some members and let in by others. New nodes get what spec.auth says.',
    'The members with the wrong one replaced, one at a time.',
    'kubectl delete mkvnode <node> -n <namespace> --wait=false',
    LOOK_AT_NODES,
  ),
} as const;
