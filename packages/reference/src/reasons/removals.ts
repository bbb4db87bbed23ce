// The reasons of an operation, which is nearly always the removal of one node. Time never removes
// anything: what is not proven waits.

import {
  GROW_VOLUMES,
  guide,
  LIST_NODES,
  patchSpec,
  READ_LOG,
  SET_SIZE,
  SHOW_LAST_OPERATION,
  SHOW_OPERATION,
} from './entry.ts';

const NODE_STAYS = 'The node stays a full member and nothing is removed.';
const FORCE = 'kubectl annotate mkvnode <node> -n <namespace> marekvs.io/force-remove=<uid of the node>/<reason>';

export const REMOVALS = {
  OperationInProgress: guide(
    'It finishes the operation under way first: there is one at a time in a cluster.',
    'The end of that operation, or its cancellation by changing the size back.',
    SHOW_OPERATION,
  ),
  WaitingForTurn: guide(
    'It does one disruptive thing at a time: one removal, one start. A member whose removal was called off is restarted when every other one that holds data is up and has what it has; until then it holds its copies and takes no clients.',
    'The end of what the message names. A member that will not come back is waited for no longer once its node is deleted: kubectl delete mkvnode <node>.',
    LIST_NODES,
  ),
  WaitingForProof: guide(
    `${NODE_STAYS} It compares what the member holds with the other homes, record by record.`,
    'Time, usually seconds; the message names the input that is missing. Nothing is forced when it takes longer.',
    SHOW_OPERATION,
  ),
  ProofStale: guide(
    `${NODE_STAYS} The proof is made again: it lives 30 s and is void when a Pod, a volume or the placement changes.`,
    'The new proof, by itself.',
    SHOW_OPERATION,
  ),
  ClientsConnected: guide(
    'The node has left the client Service and is nobody’s first home any more; it waits until its clients have gone.',
    'Clients that reconnect. Those that keep a connection for ever have to be restarted: the server cannot close it for them.',
    SHOW_OPERATION,
  ),
  ReplicationFactorOne: guide(
    `${NODE_STAYS} Nobody else has what it holds.`,
    'A replicationFactor of 2 or more, which reaches the members one after the other; or the decision to lose what this node holds.',
    patchSpec('{"replicationFactor":2}'),
    FORCE,
  ),
  DeadlineExceeded: guide(
    'It took the removal back and restarted the node on its volume: a deadline never turns into a deletion. It tries again after ten minutes or after the next change of the spec.',
    'What the message says the removal waited for.',
    SHOW_LAST_OPERATION,
    SET_SIZE,
  ),
  Forced: guide(
    'It removes the node without proof, in the same order as any other: the others agree, the Pod ends, everybody forgets it. Its volume is kept whatever the policy says.',
    'It is the answer to the annotation. Take the annotation off to stop it while the node is not deleted yet.',
    'kubectl annotate mkvnode <node> -n <namespace> marekvs.io/force-remove-',
    SHOW_OPERATION,
  ),
  ForceIgnored: guide(
    'It ignores the annotation: it names another UID, or no reason, so it may have been meant for an earlier node of this name.',
    'The annotation with the UID of this node and a reason, or without.',
    "kubectl get mkvnode <node> -n <namespace> -o jsonpath='{.metadata.uid}'",
    FORCE,
  ),
  AnnotationIgnored: guide(
    'It ignores the annotation and chooses as if it were not there.',
    'The value `true`, or the annotation taken off.',
    'kubectl annotate mkvnode <node> -n <namespace> --overwrite marekvs.io/remove-first=true',
    'kubectl annotate mkvnode <node> -n <namespace> marekvs.io/remove-first-',
  ),
  RecordsMissing: guide(
    `${NODE_STAYS} It asks for exactly these records again every second and goes on when they are there.`,
    'The arrival of the copies, by push within milliseconds or by the members’ own anti-entropy within seconds; minutes while a large change is being copied.',
    'kubectl mkv verify <cluster> -n <namespace>',
    READ_LOG,
  ),
  ReplicationStuck: guide(
    `${NODE_STAYS} It goes on asking: the moment the records arrive it goes on.`,
    'A mesh connection between the two members named; or, for a value above 8 MiB (the frame of the server’s mesh, which drops larger ones without a word), the value deleted or split by whoever wrote it.',
    'kubectl mkv verify <cluster> -n <namespace>',
    READ_LOG,
  ),
  ContentsUnreadable: guide(
    'It removes nothing and restarts nothing: what cannot be read cannot be proven, and no other proof takes its place. Everything else goes on.',
    'TCP 7373 of the member open to the operator: the NetworkPolicy of the cluster allows it, another one may not. An image that speaks another protocol has to be a supported server.',
    'kubectl get networkpolicy -n <namespace>',
    READ_LOG,
    "kubectl get mkv <cluster> -n <namespace> -o jsonpath='{.spec.image}'",
  ),
  MeshIncomplete: guide(
    'It begins no removal and lets a running one wait: copies travel over these connections.',
    'A connection between every two members on TCP 7373. Look for a NetworkPolicy, and for two versions of the server that do not understand each other.',
    'kubectl get networkpolicy -n <namespace>',
    READ_LOG,
  ),
  MixedReplicationFactor: guide(
    'It begins no removal while another factor reaches the members: those with different ones place copies differently.',
    'The same factor everywhere: the update under way brings it. Where that has stopped or is paused, it has to go on.',
    'kubectl mkv rollout status <cluster> -n <namespace>',
  ),
  FollowsUpstream: guide(
    `${NODE_STAYS} It feeds the cluster from another Redis, and that would end with it.`,
    'MAREKVS_REPLICAOF taken out of spec.extraEnv.',
    patchSpec('{"extraEnv":{"MAREKVS_REPLICAOF":null}}'),
  ),
  DiskTooSmall: guide(
    `${NODE_STAYS} It has predicted from the placement what each survivor would have to hold.`,
    'Larger volumes, fewer keys, or the size changed back.',
    GROW_VOLUMES,
    SET_SIZE,
  ),
  WaitingForReplacement: guide(
    'The node serves on until the new one is Active.',
    'The join of the new node.',
    LIST_NODES,
  ),
  MemberLeaving: guide(
    'It waits until the clients of the member are served by others and every other member knows that it leaves.',
    'Seconds. When it stays, a member told to leave by somebody else is the cause; only a restart takes that back.',
    LIST_NODES,
    'kubectl delete pod <node> -n <namespace>',
  ),
  MemberDead: guide(
    'It removes the member on the proof of the others alone and keeps its volume, if there is one. Before every step it asks again whether the member is dead.',
    'Nothing is blocked. What only this member held is lost, or on its volume.',
    SHOW_LAST_OPERATION,
    'kubectl get pvc data-<node> -n <namespace>',
  ),
  RolledBack: guide(
    'It brings the node back from its volume: after it had gone, the others could not be proven to hold everything.',
    'The survivor the message names. The removal is tried again after ten minutes or after the next change of the spec.',
    SHOW_LAST_OPERATION,
  ),
  RetryDelayed: guide(
    'It waits ten minutes after a removal that had to be undone, so that the same fault does not undo the next one.',
    'Time, or any change of the spec.',
    SET_SIZE,
  ),
} as const;
