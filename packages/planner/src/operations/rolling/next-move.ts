// Which member is moved to another host next, and the restart that moves it.

import type { Operation } from '@marekvs/api';
import { restartPreflight } from '../../evidence/preflight/preflight.ts';
import { memberToMove } from '../../hosts/leaving-members.ts';
import type { NodeRecord } from '../../observation/node-record.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import { misplacedText } from '../../size/one-per-host.ts';
import { none, type OperationPlan, store } from '../record.ts';
import { missingRevision, newTurn } from './next-turn.ts';

/** A new turn for the next member on a host that is being drained. */
export function planNextMove(o: ClusterObservation): OperationPlan {
  const node = memberToMove(o);
  const host = node?.pod?.hostName;
  if (node === undefined || host === undefined) return none();
  const missing = missingRevision(o, node) ?? restartPreflight(o, node, 'Move');
  if (missing !== undefined)
    return none({ ...missing, message: `moving ${node.name} off ${host} waits: ${missing.message}` });
  return store(moved(o, newTurn(o, node, 'restart'), node, host));
}

/** The turn of a move: the member is restarted with the template it has. */
function moved(o: ClusterObservation, record: Operation, node: NodeRecord, host: string): Operation {
  if (record.roll === undefined) return record;
  const { cause: _other, ...turn } = record.roll;
  const roll = { ...turn, previous: node.templateHash, leaves: host };
  const chosen = o.drainedHosts.has(host) ? `its host ${host} is being drained` : misplacedText(o, node);
  return { ...record, roll, chosen };
}
