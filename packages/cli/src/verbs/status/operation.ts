// The operation under way, or the one before, as a person reads it. Pure.

import { type MarekvsCluster, rowOf } from '@marekvs/api';
import { timeMs } from '@marekvs/planner';
import { ageText, harmless, type RenderContext, sentence, since } from '../../screen/text.ts';

export function operationLines({ status }: MarekvsCluster, context: RenderContext): readonly string[] {
  const operation = status?.operation;
  if (operation === undefined) {
    const last = status?.lastOperation;
    if (last === undefined) return [];
    const took = (timeMs(last.finishedAt) ?? Number.NaN) - (timeMs(last.startedAt) ?? Number.NaN);
    const what = `${last.type} of ${nameOf(last)}: ${last.outcome} (${last.reason})`;
    return [
      '',
      `last operation  ${harmless(what)}, ${since(last.finishedAt, context.nowMs)} ago, took ${ageText(took)}`,
    ];
  }
  const { blocked, cancel } = operation;
  return [
    '',
    `operation  ${context.paint('bold', harmless(`${operation.type} ${nameOf(operation)}`))}  ${operation.phase} since ${sincePhase(operation, context)}`,
    `  ${progress(operation, context)}`,
    ...(operation.chosen === undefined ? [] : sentence(`chosen: ${operation.chosen}`, context)),
    ...(cancel === undefined
      ? []
      : sentence(
          `${operation.roll === undefined ? 'undone' : 'goes back'}: ${cancel.reason}, ${cancel.message}`,
          context,
        )),
    ...(blocked === undefined
      ? []
      : [
          ...sentence(
            `waits ${since(blocked.since, context.nowMs)}: ${blocked.reason}, ${blocked.message}`,
            context,
            'yellow',
          ),
          ...(blocked.unblock === undefined ? [] : sentence(`unblocked by: ${blocked.unblock}`, context)),
        ]),
  ];
}

function nameOf({ type, target, roll }: Pick<Operation, 'type' | 'target' | 'roll'>): string {
  return (target ?? roll)?.name ?? (type === 'Hibernate' ? 'all members' : 'a node');
}

type Operation = NonNullable<NonNullable<MarekvsCluster['status']>['operation']>;

/** `Claimed 2s > Isolating 4s > [Proving 12s] > Deleting …` */
function progress(operation: Operation, { nowMs }: RenderContext): string {
  const { phase, timeline = [] } = operation;
  const past = timeline.map(({ phase: name, at }, i) => {
    const end = timeMs(timeline[i + 1]?.at) ?? nowMs;
    const text = `${name} ${ageText(end - (timeMs(at) ?? Number.NaN))}`;
    return i === timeline.length - 1 ? `[${text}]` : text;
  });
  const steps = rowOf(operation)?.phases ?? [];
  const index = steps.indexOf(phase);
  return [...past, ...(index < 0 ? [] : steps.slice(index + 1))].join(' > ');
}

function sincePhase({ timeline, startedAt }: Operation, { nowMs }: RenderContext): string {
  return since(timeline?.at(-1)?.at ?? startedAt, nowMs);
}
