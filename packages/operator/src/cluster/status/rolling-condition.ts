// Answers: what does the condition RollingOut say, and how far is a rolling update? Pure.

import { kindOf, type Operation, type OperationPhase, phaseText } from '@marekvs/api';
import { type ClusterObservation, type ClusterPlan, type Hold, sharedFactor } from '@marekvs/planner';
import { waitsInLine } from '../../operations/turn-places.ts';
import { no, type Verdict, yes } from '../../pass/condition-verdicts.ts';
import type { ConditionInput } from './health.ts';

export function rollingOut({ observation, plan }: ConditionInput): Verdict {
  const { resting, removal } = plan;
  if (resting !== undefined && !isUpdating(removal.operation))
    return no(resting.reason, `${resting.message}${wayOut(resting, observation.cluster)}`);
  if (isInForce(plan)) return no('TemplateCurrent', 'every member has the template that is asked for');
  // False while in line: the time of the condition is that of the turns, without the wait for other clusters.
  return waitsInLine(observation, plan)
    ? no('RolloutInLine', rollText(observation, plan))
    : yes('RollingOut', rollText(observation, plan));
}

/** The commands that continue a stopped update: it never continues by itself. */
function wayOut({ reason }: Hold, { name, namespace }: ClusterObservation['cluster']): string {
  const command = (verb: string) => `kubectl mkv rollout ${verb} ${name} -n ${namespace}`;
  return reason === 'RolloutStopped' ? `; ${command('undo')} takes it back, ${command('retry')} tries it again` : '';
}

/** Every member has the wanted template. A member that is moved or suspended is no part of an update. */
function isInForce({ outdated, removal }: ClusterPlan): boolean {
  return outdated.length === 0 && !isUpdating(removal.operation);
}

function isUpdating(operation: Operation | undefined): boolean {
  return kindOf(operation) === 'turn' && operation?.roll?.leaves === undefined;
}

/** The turn moves a member to another host, and leaves its template as it is. */
export function isMove({ removal }: ClusterPlan): boolean {
  return removal.operation?.roll?.leaves !== undefined;
}

/** How far a rolling update is, whose turn it is, and what that waits for. */
export function rollText(o: ClusterObservation, { update, removal, turnWaits }: ClusterPlan): string {
  const { operation } = removal;
  const far = `${update.updated} of ${update.total} members have revision ${update.revision}${onlyHomeText(o)}`;
  if (operation?.type === 'Hibernate') return `${far}; the others are restarted once all members are awake`;
  if (operation?.roll === undefined) return turnWaits === undefined ? far : `${far}; ${turnWaits.message}`;
  const blocked = operation.blocked === undefined ? '' : `, waiting: ${operation.blocked.message}`;
  const { name, leaves, cause } = operation.roll;
  if (leaves !== undefined)
    return `host ${leaves} is being drained; ${name}: ${MOVE_PHASES[operation.phase] ?? phaseText(operation)}${blocked}`;
  if (cause === 'Password' && operation.phase === 'Restarting')
    return `${far}; ${name}: its Pod is made again, with the password of its Secret${blocked}`;
  if (cause === 'Drained' && operation.phase === 'Restarting')
    return `${far}; ${name}: its Pod is made again, so that it leads its partitions again${blocked}`;
  return `${far}; ${name}: ${phaseText(operation)}${blocked}`;
}

/** With one home per key, the keys of a restarted member are unavailable meanwhile; nothing is lost. */
function onlyHomeText(o: ClusterObservation): string {
  return sharedFactor(o) < 2
    ? ' (with replicationFactor 1 the keys of a member are away for the seconds of its turn)'
    : '';
}

/** Phase texts that differ for a member that is moved. */
const MOVE_PHASES: Readonly<Partial<Record<OperationPhase, string>>> = {
  Claimed: 'it is taken out of the clients’ way and moved',
  Restarting: 'its Pod is made again on another host',
};
