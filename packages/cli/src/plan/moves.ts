// Answers: which members would be moved to another host, and off which? Pure. What becomes of those that cannot be is
// among the steps and what is in the way: they are replaced, or stay.

import { type ClusterObservation, leavingMembers } from '@marekvs/planner';

export interface MoveOutlook {
  readonly node: string;
  /** The host it leaves. */
  readonly host: string;
  /** Of the host, half a sentence. */
  readonly why: string;
}

/** In their order, without the one that is being moved. */
export function movesOutlook(o: ClusterObservation): readonly MoveOutlook[] {
  const { operation } = o.cluster;
  return leavingMembers(o)
    .filter(({ uid }) => o.hostFindings.get(uid)?.volume === 'movable' && uid !== operation?.roll?.uid)
    .flatMap(({ name, pod }) => {
      const host = pod?.hostName;
      if (host === undefined) return [];
      return [
        { node: name, host, why: o.drainedHosts.has(host) ? 'which is being drained' : 'which is not its alone' },
      ];
    });
}
