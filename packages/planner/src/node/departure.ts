// Answers: what is next for a node that may go? Its Pod ends, then every list loses it, then its volume is detached,
// then the node itself is released. The order is always the same, whatever let it go.

import { hasProcess, isWithoutVolume, shows } from '../members/member-state.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import { goesByProof } from '../operations/record.ts';
import { type Hold, hold, namesOf } from '../values/hold.ts';
import type { ViewLine } from '../values/view-line.ts';
import { act, endPod, type NodeObservation, type NodePlan, othersOf, wait } from './node-step.ts';

/** Lists are asked for every second or two while a node goes. */
const NEXT_LISTS_MS = 500;

/** The last gossip of a process is on every list after this long: members pass it on, and judge, every 500 ms
 *  (docs/design/server.md#gossip). Lists lose a process 1.8-3 s after its end, so this hardly ever delays anything. */
const LAST_GOSSIP_MS = 2_000;

/** Behind its closed door a process takes no writes, and all it has was proven to be elsewhere: what it waits for at
 *  its end, up to 9 s, is a backlog that does not exist (docs/design/server.md#ending-a-process). */
const SEALED_GRACE_SECONDS = 2;

/** The next step of a node that may go. */
export function planDeparture(o: NodeObservation): NodePlan {
  const { node, operation } = o;
  const isProven = node.pod?.isSealed === true && operation !== undefined && goesByProof(operation);
  const ending = endPod(o, 'MemberLeaving', isProven ? SEALED_GRACE_SECONDS : undefined);
  if (ending !== undefined) return ending;
  const shown = stillShown(o);
  if (shown !== undefined) return wait(shown);
  if (isListedBefore(o)) return wait(undefined, NEXT_LISTS_MS);
  const { volume } = o.node;
  if (volume === undefined || !isToDetach(o)) return act({ kind: 'releaseNode' });
  return act({
    kind: 'detachVolume',
    volume,
    detachedAtMs: o.nowMs,
    lastActiveAtMs: o.lastActiveAtMs ?? o.nowMs,
    hostLost: o.node.hostLost,
    hostDrained: o.node.hostDrained,
  });
}

/** A hold naming the members that still show this one, or cannot say; undefined when every other running member has a
 *  list without it.
 *  @param isCounted which lines about it count; default all */
export function stillShown(o: NodeObservation, isCounted?: (line: ViewLine) => boolean): Hold | undefined {
  const { node } = o;
  const others = othersOf(o).filter(hasProcess);
  const showing = others.filter((one) => shows(one, node.id, isCounted));
  if (showing.length > 0)
    return hold('ViewsDisagree', `${namesOf(showing)} still ${showing.length > 1 ? 'show' : 'shows'} ${node.name}`);
  const unknown = others.filter(({ pod, answer }) => pod?.isReady === true && answer.kind !== 'serving');
  if (unknown.length === 0) return undefined;
  const isOnlyUnasked = unknown.every(({ answer }) => answer.kind === 'notAsked');
  const reason = isOnlyUnasked ? 'NotObserved' : 'MemberSilent';
  return hold(reason, `${namesOf(unknown)} did not say yet whether ${node.name} has left`);
}

/** True while some list is too old to include the process's last gossip. A frozen process that all have forgotten
 *  gossips once more when it goes on, and is on their lists again. */
function isListedBefore(o: NodeObservation): boolean {
  const sinceMs = (o.podGoneSinceMs ?? Number.POSITIVE_INFINITY) + LAST_GOSSIP_MS;
  const isBefore = ({ answer }: NodeRecord) => answer.kind === 'serving' && answer.viewAtMs <= sinceMs;
  return othersOf(o).some((other) => hasProcess(other) && isBefore(other));
}

/** Only a volume that is really this node's, and only once. */
function isToDetach({ node, clusterName }: NodeObservation): boolean {
  const { volume } = node;
  if (volume === undefined || isWithoutVolume(node)) return false;
  return volume.nodeId === node.id && volume.clusterName === clusterName && volume.detachedAtMs === undefined;
}
