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

const NODE_STAYS = 'The node stays a full member, and nothing is removed.';
const FORCE = 'kubectl annotate mkvnode <node> -n <namespace> marekvs.io/force-remove=<uid of the node>/<reason>';
const ACCEPT_DIVERGING =
  'kubectl annotate mkvnode <node> -n <namespace> marekvs.io/accept-diverging-registers=<uid of the node>/<reason>';

export const REMOVALS = {
  OperationInProgress: guide(
    'It finishes the operation under way first: a cluster has one at a time.',
    'The end of that operation, or its cancellation by changing the size back.',
    SHOW_OPERATION,
  ),
  WaitingForTurn: guide(
    'It does one disruptive thing at a time: one removal, one start. A member whose removal was cancelled is restarted once all others that hold data are up and have what it has; until then it keeps its copies and takes no clients.',
    'The end of what the message names. If a member will not come back, delete its node to stop waiting for it: `kubectl delete mkvnode <node>`.',
    LIST_NODES,
  ),
  WaitingForProof: guide(
    `${NODE_STAYS} It compares what the member holds with the other homes, record by record.`,
    'Time, usually seconds; the message names the input that is missing. If it takes longer, nothing is forced.',
    SHOW_OPERATION,
  ),
  ProofStale: guide(
    `${NODE_STAYS} The proof is made again: it is valid for 30 s, and only until a Pod, a volume or the placement changes.`,
    'The new proof, which is made automatically.',
    SHOW_OPERATION,
  ),
  MemberSealing: guide(
    'It restarts the member on its volume with its door closed, so that nothing can be written to it any more while its records are compared. Connections that clients still have to it end.',
    'The member is listed by all others in its new process. If it is not within spec.update.progressDeadlineSeconds, the removal is taken back.',
    SHOW_OPERATION,
  ),
  ReplicationFactorOne: guide(
    `${NODE_STAYS} Nobody else has what it holds.`,
    'A replicationFactor of 2 or more, which reaches the members one after the other; or your decision to lose what this node holds.',
    patchSpec('{"replicationFactor":2}'),
    FORCE,
  ),
  DeadlineExceeded: guide(
    'It has taken the removal back and restarted the node on its volume: a deadline never leads to a deletion. It tries again after ten minutes, or after the next change of the spec.',
    'What the removal waited for; the message names it.',
    SHOW_LAST_OPERATION,
    SET_SIZE,
  ),
  Forced: guide(
    'It removes the node without proof, but in the same order as any other: the others agree, the Pod ends, and the others drop it from their lists. Its volume is kept, whatever the policy says.',
    'The end of the removal, which the annotation asked for. To stop it before the node is deleted, remove the annotation.',
    'kubectl annotate mkvnode <node> -n <namespace> marekvs.io/force-remove-',
    SHOW_OPERATION,
  ),
  ForceIgnored: guide(
    'It ignores the annotation: it has another UID or no reason, so it may have been meant for an earlier node of this name.',
    'Set the annotation with the UID of this node and a reason, or remove it.',
    "kubectl get mkvnode <node> -n <namespace> -o jsonpath='{.metadata.uid}'",
    FORCE,
  ),
  AnnotationIgnored: guide(
    'It ignores the annotation and chooses as if it were not there.',
    'Set the value `true`, or remove the annotation.',
    'kubectl annotate mkvnode <node> -n <namespace> --overwrite marekvs.io/remove-first=true',
    'kubectl annotate mkvnode <node> -n <namespace> marekvs.io/remove-first-',
  ),
  RecordsMissing: guide(
    `${NODE_STAYS} It looks for exactly these records again every second, and continues once they are there.`,
    'The arrival of the copies: within milliseconds by push, or within seconds by the members’ own anti-entropy; minutes while a large change is being copied.',
    'kubectl mkv verify <cluster> -n <namespace>',
    READ_LOG,
  ),
  ReplicationStuck: guide(
    `${NODE_STAYS} It keeps checking, and continues as soon as the records arrive.`,
    'A mesh connection between the two members named. If it is a value above 8 MiB (the frame size of the server’s mesh, which silently drops larger ones), delete the value or have its writer split it.',
    'kubectl mkv verify <cluster> -n <namespace>',
    READ_LOG,
  ),
  RegistersDiverge: guide(
    `${NODE_STAYS} It keeps comparing, and continues once another home has every register. No client notices: the server counts a HyperLogLog on whichever member is asked, and the estimates differ by little.`,
    'For each key, on a connection to each of its homes in turn: `PFMERGE <copy> <key>`; then, on each in turn again, `PFMERGE <key> <copy>`; then `DEL <copy>`. The copy needs the same hash tag as the key. Never use RENAME or DEL on the key itself: registers of a deleted key do not count again. Or accept for this one removal that the counts may be lower afterwards.',
    'kubectl mkv verify <cluster> -n <namespace> --show-keys',
    ACCEPT_DIVERGING,
  ),
  ContentsUnreadable: guide(
    'It removes nothing and restarts nothing: what cannot be read cannot be proven, and no other proof can replace it. Everything else continues.',
    'The operator must reach TCP 7373 of the member: the NetworkPolicy of the cluster allows it, but another one may not. If the image speaks another protocol, replace it with a supported server.',
    'kubectl get networkpolicy -n <namespace>',
    READ_LOG,
    "kubectl get mkv <cluster> -n <namespace> -o jsonpath='{.spec.image}'",
  ),
  MeshIncomplete: guide(
    'It starts no removal and pauses a running one: copies travel over these connections.',
    'A connection between every two members on TCP 7373. Look for a NetworkPolicy, and for incompatible versions of the server.',
    'kubectl get networkpolicy -n <namespace>',
    READ_LOG,
  ),
  MixedReplicationFactor: guide(
    'It starts no removal while a new factor is reaching the members: members with different factors place copies differently.',
    'The same factor on all members, which the update under way brings about. If the update has stopped or is paused, it has to be continued.',
    'kubectl mkv rollout status <cluster> -n <namespace>',
  ),
  FollowsUpstream: guide(
    'Every member replays the upstream for itself, so what is appended or added there happens here once per member. Such a spec is refused now; this one was stored before. Members are repaired and restarted as usual, and no node is removed.',
    'Remove MAREKVS_REPLICAOF from spec.extraEnv, and copy what is still missing with a client.',
    patchSpec('{"extraEnv":{"MAREKVS_REPLICAOF":null}}'),
  ),
  DiskTooSmall: guide(
    `${NODE_STAYS} It has predicted from the placement what each survivor would have to hold.`,
    'Larger volumes, fewer keys, or changing the size back.',
    GROW_VOLUMES,
    SET_SIZE,
  ),
  WaitingForReplacement: guide(
    'The node keeps serving until the new one is Active.',
    'The join of the new node.',
    LIST_NODES,
  ),
  MemberLeaving: guide(
    'It waits until the clients of the member are served by others and every other member knows that it is leaving.',
    'It takes seconds. If it persists, somebody else told the member to leave; only a restart undoes that.',
    LIST_NODES,
    'kubectl delete pod <node> -n <namespace>',
  ),
  MemberDead: guide(
    'It removes the member on the proof of the others alone, and keeps its volume, if there is one. Before every step it checks again that the member is dead.',
    'Nothing is blocked. What only this member held is lost, or is still on its volume.',
    SHOW_LAST_OPERATION,
    'kubectl get pvc data-<node> -n <namespace>',
  ),
  RolledBack: guide(
    'It brings the node back from its volume: after it was gone, the others could not be proven to hold everything.',
    'Look at the survivor named in the message. The removal is retried after ten minutes, or after the next change of the spec.',
    SHOW_LAST_OPERATION,
  ),
  RetryDelayed: guide(
    'It waits ten minutes after a removal that had to be undone, so that the same fault does not undo the next one.',
    'Time, or any change of the spec.',
    SET_SIZE,
  ),
} as const;
