// A made-up operation: a month after the last one, a member is out of the client Service for a minute, as an exercise.

import type { Operation } from '@marekvs/api';
import { restartPreflight } from '../../evidence/preflight/preflight.ts';
import type { ClusterObservation } from '../../observation/observation.ts';
import { hold } from '../../values/hold.ts';
import {
  begun,
  closed,
  end,
  inPhase,
  none,
  type OperationPlan,
  operationId,
  proceed,
  rollOf,
  store,
} from '../record.ts';
import type { Roll } from '../rolling/turn-scope.ts';

const MONTH_MS = 30 * 86_400_000;
const DRILL_MS = 60_000;

export function isDrillPending({ cluster, nowMs }: ClusterObservation): boolean {
  const last = cluster.lastOperation;
  return last !== undefined && nowMs - Date.parse(last.finishedAt) > MONTH_MS;
}

export function claimDrill(o: ClusterObservation): OperationPlan {
  const node = o.nodes.at(-1);
  if (node === undefined) return none();
  const missing = restartPreflight(o, node);
  if (missing !== undefined)
    return none({ ...missing, message: `the drill of ${node.name} waits: ${missing.message}` });
  const roll = rollOf(node, node.templateHash);
  return store(begun(o, operationId(node, o), { type: 'Drill', chosen: 'a month has passed', roll }));
}

export function planDrill(o: ClusterObservation, record: Operation, { name, uid }: Roll): OperationPlan {
  const isOver = o.nowMs - Date.parse(record.startedAt) > DRILL_MS;
  const message = `${name} was out of the client Service for a minute`;
  if (isOver) return end(closed(record, { outcome: 'Succeeded', reason: 'AsExpected', message }, o.nowMs));
  const inside = o.nodes.filter((node) => node.uid === uid && node.serving);
  return proceed(inPhase(record, 'Isolating', o.nowMs), {
    steps: inside.map((node) => ({ kind: 'setServing', node, serving: false })),
    waits: hold('MemberLeaving', `${name} is out of the client Service`),
  });
}
