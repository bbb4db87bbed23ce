// The reasons that say that all is well, or that something has ended well.

import { NOTHING, normal } from './reason-row.ts';

export const AS_IT_SHOULD_BE = {
  AsExpected: normal('The observed state is the desired one.', NOTHING, { saysLittle: 'always' }),
  AllMembersReady: normal('Every member is ready and all views of the membership agree.', NOTHING, {
    saysLittle: 'always',
  }),
  ReplicasMatchSpec: normal('The number of members is the desired one.', NOTHING),
  Joined: normal('The member is Active in the view of every other member.', NOTHING),
  VolumeBound: normal('The volume claim is bound and belongs to this node.', NOTHING),
  RecordsCovered: normal('When contents were last compared, every record was found on all its homes.', NOTHING),
  TemplateCurrent: normal('The Pod was made from the current template.', NOTHING),
  Resumed: normal('A member that was stopped for repair is back, and has every record.', NOTHING, { ends: 'asAsked' }),
  Woken: normal('All members of a hibernated cluster are back, and every record is on all its homes.', NOTHING, {
    ends: 'asAsked',
  }),
  NotPaused: normal('The cluster is being reconciled.', NOTHING),
  ClusterFormed: normal('All members of the new cluster agree; its identity is fixed from now on.', NOTHING),
  PodCreated: normal('A Pod was created on the volume of its node.', NOTHING),
  Proven: normal('Every copy of the target is proven to be elsewhere.', NOTHING),
  RemovalFinished: normal('A node was removed, and the data is proven to be complete without it.', NOTHING, {
    ends: 'asAsked',
  }),
  CancelledByUser: normal('The operation was cancelled by a change of the spec.', NOTHING, {
    ends: 'asAsked',
    podEnd: 'restartPod',
  }),
} as const;
