// The answer of explain as a person reads it. Pure.

import { absenceLine } from '../cluster/operator-lease.ts';
import { ageText, harmless, type RenderContext, wrap } from '../screen/text.ts';
import type { ExplainFacts, Finding } from './facts/finding.ts';

const KIND_COLOURS = { blocked: 'red', waiting: 'yellow', note: 'dim' } as const;

export function explanation(
  facts: ExplainFacts,
  findings: readonly Finding[],
  context: RenderContext,
): readonly string[] {
  const absence = absenceLine(facts.operator, context.nowMs);
  return [
    ...(absence === undefined ? [] : [...wrap(absence, context.width ?? Number.POSITIVE_INFINITY), '']),
    headline(facts, findings, context),
    ...grouped(findings).flatMap((group, index) => ['', ...groupLines(group, index + 1, context)]),
    ...(facts.unread.length === 0 ? [] : ['', ...paragraph(`not read: ${facts.unread.join('; ')}`, context)]),
  ];
}

function headline({ parts }: ExplainFacts, findings: readonly Finding[], { paint }: RenderContext): string {
  const { namespace, name } = parts.cluster.metadata;
  const count = (kind: Finding['kind']) => grouped(findings).filter(([one]) => one.kind === kind).length;
  const blocked = count('blocked');
  const waiting = count('waiting');
  const what =
    blocked > 0
      ? paint('red', `${blocked} ${blocked === 1 ? 'thing needs' : 'things need'} somebody`)
      : waiting > 0
        ? paint('yellow', 'it is on its way')
        : paint('green', 'it is at its desired state');
  return `${paint('bold', `${namespace}/${name}`)}: ${what}${blocked > 0 && waiting > 0 ? `, ${waiting} on the way` : ''}`;
}

/** The same rule on several members is one thing to do: the first is shown in full, the others by name. */
function grouped(findings: readonly Finding[]): readonly (readonly [Finding, ...Finding[]])[] {
  const groups = new Map<string, [Finding, ...Finding[]]>();
  for (const one of findings) {
    const key = `${one.rule} ${one.kind} ${one.field ?? ''}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}

function groupLines(
  [first, ...others]: readonly [Finding, ...Finding[]],
  number: number,
  context: RenderContext,
): readonly string[] {
  if (others.length === 0) return findingLines(first, number, context);
  const names = others.map(({ member, sinceMs }) => {
    const since = sinceMs === undefined ? '' : ` (${ageText(context.nowMs - sinceMs)})`;
    return `${member ?? 'whole cluster'}${since}`;
  });
  return [...findingLines(first, number, context), ...paragraph(`Likewise: ${names.join(', ')}`, context)];
}

function findingLines(one: Finding, number: number, context: RenderContext): readonly string[] {
  const since = one.sinceMs === undefined ? '' : `  for ${ageText(context.nowMs - one.sinceMs)}`;
  const head = `${number}. ${context.paint(KIND_COLOURS[one.kind], one.rule)}  ${one.member ?? one.field ?? 'whole cluster'}${since}  (${one.kind})`;
  return [
    head,
    ...paragraph(one.message, context),
    ...paragraph(`To do: ${one.unblock}`, context),
    ...one.commands.map((command) => `   $ ${harmless(command)}`),
  ];
}

function paragraph(text: string, { width }: RenderContext): readonly string[] {
  return wrap(harmless(text), width ?? Number.POSITIVE_INFINITY, '   ');
}
