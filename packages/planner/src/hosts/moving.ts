// Answers: whose host is being emptied, and may its member be moved off it now? Ahead of the eviction, by a turn like that of a rolling
// update with the same guards: set aside, its records seen elsewhere, its Pod made again on its volume where the scheduler puts it.
// A volume that can be on no other host is not moved (docs/operations/hosts.md).

import type { Operation } from '@marekvs/api';
import { type Hold, hold } from '../hold.ts';
import { runsInPod } from '../member-state.ts';
import type { ClusterObservation, NodeRecord } from '../observation.ts';
import { isGoing } from '../removal/going.ts';
import { restartPreflight } from '../removal/preflight.ts';
import { none, type OperationPlan, store } from '../removal/step.ts';
import { missingRevision, newTurn, somebodyMoving } from '../rolling/next-turn.ts';

/** Members that run on hosts which are being drained, by id. A Pod that was made after the drain began was put there knowingly. */
export function drainedMembers(
  o: Pick<ClusterObservation, 'cluster' | 'nodes' | 'drainedHosts'>,
): readonly NodeRecord[] {
  if (!o.cluster.isFormed || o.cluster.isDeleting || !o.cluster.spec.hosts.moveOnDrain) return [];
  return o.nodes.filter((node) => {
    const sinceMs = o.drainedHosts.get(node.pod?.hostName ?? '');
    return sinceMs !== undefined && runsInPod(node) && !isGoing(node) && (node.pod?.createdAtMs ?? sinceMs) < sinceMs;
  });
}

/** The member is still where its turn began, and that is still being drained. */
export function isOnDrainedHost(o: ClusterObservation, { pod }: NodeRecord, host: string): boolean {
  return pod?.hostName === host && o.drainedHosts.has(host);
}

/** Some member shall be moved, now or as soon as something lets it. */
export function isMovePending(o: ClusterObservation): boolean {
  return !o.cluster.spec.paused && toMove(o) !== undefined;
}

/** A new turn for the next member on a host that is being drained. */
export function planNextMove(o: ClusterObservation): OperationPlan {
  const node = toMove(o);
  const host = node?.pod?.hostName;
  if (node === undefined || host === undefined) return none();
  const missing = missingRevision(o, node) ?? somebodyMoving(o) ?? restartPreflight(o, node);
  if (missing !== undefined)
    return none({ ...missing, message: `moving ${node.name} off ${host} waits: ${missing.message}` });
  return store(moved(newTurn(o, node, 'restart'), node, host));
}

/** What cannot be moved, in one sentence each. */
export function stayingHolds(o: ClusterObservation): readonly Hold[] {
  return drainedMembers(o)
    .filter(({ uid }) => o.hostFindings.get(uid)?.volume === 'bound')
    .map(({ name, pod }) =>
      hold(
        'HostDraining',
        `${name} stays on host ${pod?.hostName}, which is being drained: its volume can be on no other`,
      ),
    );
}

function toMove(o: ClusterObservation): NodeRecord | undefined {
  return drainedMembers(o).find(({ uid }) => o.hostFindings.get(uid)?.volume === 'movable');
}

/** It gets no other template: what it is restarted with is what it has. */
function moved(record: Operation, node: NodeRecord, host: string): Operation {
  if (record.roll === undefined) return record;
  const { cause: _other, ...turn } = record.roll;
  const roll = { ...turn, previous: node.templateHash, leaves: host };
  return { ...record, roll, chosen: `its host ${host} is being drained` };
}
