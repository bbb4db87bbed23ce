// The reasons that say that all is well, or that something has ended well.

import { DESCRIBE_CLUSTER, DESCRIBE_NODE, guide, LIST_NODES, LIST_VOLUMES, SHOW_LAST_OPERATION } from './entry.ts';

const NOTHING = 'Nothing has to be unblocked.';

export const AS_IT_SHOULD_BE = {
  AsExpected: guide('It keeps watching.', NOTHING, DESCRIBE_CLUSTER),
  AllMembersReady: guide(
    'It queries each member at long intervals and writes nothing.',
    NOTHING,
    'kubectl get mkv <cluster> -n <namespace>',
  ),
  ReplicasMatchSpec: guide('It keeps the size.', NOTHING, LIST_NODES),
  Joined: guide('It keeps the node in the client Service.', NOTHING, DESCRIBE_NODE),
  VolumeBound: guide('It keeps the volume for this node alone.', NOTHING, LIST_VOLUMES),
  RecordsCovered: guide(
    'It compares again after every change of the members and once a day.',
    NOTHING,
    'kubectl mkv verify <cluster> -n <namespace>',
  ),
  TemplateCurrent: guide('It leaves the Pod alone.', NOTHING, DESCRIBE_NODE),
  Resumed: guide('It continues with whatever was asked for in the meantime.', NOTHING, SHOW_LAST_OPERATION),
  Woken: guide('It continues with whatever was asked for in the meantime.', NOTHING, SHOW_LAST_OPERATION),
  NotPaused: guide('It acts on every change.', NOTHING, DESCRIBE_CLUSTER),
  ClusterFormed: guide(
    'It puts the members into the client Service. The identity in status.formed is never changed, and the cluster is never formed a second time.',
    NOTHING,
    "kubectl get mkv <cluster> -n <namespace> -o jsonpath='{.status.formed}'",
  ),
  PodCreated: guide('It waits until the member answers and is Active.', NOTHING, DESCRIBE_NODE),
  Proven: guide(
    'It deletes the MarekvsNode while the proof is fresh; a proof is valid for 30 s and is made again if anything changes.',
    NOTHING,
    "kubectl get mkvnode <node> -n <namespace> -o jsonpath='{.status.removalProof}'",
  ),
  RemovalFinished: guide(
    'It begins the next removal if the cluster is still larger than desired. The volume is kept unless spec.volumeRetention.whenScaled is Delete.',
    NOTHING,
    SHOW_LAST_OPERATION,
  ),
  CancelledByUser: guide(
    'It takes the node back: its Pod is restarted on its volume, because a member can leave the state Leaving in no other way, and serves again once every member sees it.',
    'Nothing. To remove a node after all, lower the size again.',
    SHOW_LAST_OPERATION,
  ),
} as const;
