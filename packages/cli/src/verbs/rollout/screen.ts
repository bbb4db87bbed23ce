// A rolling update as a person reads it: how far it is, which member has its turn, what blocks it, and the kept
// templates. Pure.

import { kindOf, type MarekvsCluster } from '@marekvs/api';
import { table } from '../../screen/table.ts';
import { fit, harmless, type Paint, type RenderContext, sentence, since } from '../../screen/text.ts';
import type { RolloutNode } from './nodes.ts';
import type { RolloutOutlook } from './outlook.ts';
import type { RevisionRow } from './revision-rows.ts';
import type { Revision } from './revisions.ts';
import { differences, type FieldDifference } from './template-spec.ts';

const LABELS: Readonly<
  Record<RolloutOutlook['kind'], { readonly text: string; readonly colour: Parameters<Paint>[0] }>
> = {
  unseen: { text: 'not seen yet', colour: 'yellow' },
  underWay: { text: 'under way', colour: 'yellow' },
  inForce: { text: 'in force', colour: 'green' },
  held: { text: 'waits for a person', colour: 'yellow' },
  blocked: { text: 'blocked', colour: 'red' },
  stopped: { text: 'stopped', colour: 'red' },
};

export interface RolloutView {
  readonly cluster: MarekvsCluster;
  readonly outlook: RolloutOutlook;
  readonly nodes: readonly RolloutNode[];
  readonly unread: readonly string[];
}

export function rolloutScreen(
  { cluster, outlook, nodes, unread }: RolloutView,
  context: RenderContext,
): readonly string[] {
  const { namespace, name } = cluster.metadata;
  const { text, colour } = LABELS[outlook.kind];
  return [
    `${context.paint('bold', `${namespace}/${name}`)}  ${context.paint(colour, text)}${barText(cluster, outlook)}`,
    ...sentence(wantedText(cluster, outlook), context),
    ...sentence(outlookText(outlook), context, outlook.kind === 'inForce' ? undefined : colour),
    ...turnLines(cluster, context),
    ...nextLines(outlook),
    '',
    ...nodeTable(nodes, context),
    ...unseenLines(unread, context),
  ];
}

/** Says what may not be read, so that the lines above are incomplete in that. */
export function unseenLines(unread: readonly string[], context: RenderContext): readonly string[] {
  return unread.length === 0 ? [] : ['', ...sentence(`not seen: ${unread.join('; ')}`, context)];
}

/** One line, shown while a person waits. */
export function rolloutLine(cluster: MarekvsCluster, outlook: RolloutOutlook): string {
  const { metadata, status } = cluster;
  const roll = status?.operation?.roll;
  const turn = roll === undefined ? '' : `, turn of ${roll.name}`;
  return harmless(`${metadata.name} ${LABELS[outlook.kind].text}${barText(cluster, outlook)}${turn}`);
}

const BAR_WIDTH = 20;

/** Empty before the operator's first pass. */
function barText({ status }: MarekvsCluster, { kind }: RolloutOutlook): string {
  if (kind === 'unseen') return '';
  const { updated = 0, total = 0 } = status?.update ?? {};
  const full = total === 0 ? 0 : Math.floor((Math.min(updated, total) / total) * BAR_WIDTH);
  return `  [${'#'.repeat(full)}${'-'.repeat(BAR_WIDTH - full)}] ${updated} of ${total}`;
}

function wantedText({ status, spec }: MarekvsCluster, { kind }: RolloutOutlook): string {
  if (kind === 'unseen') return `image ${spec.image}`;
  const { revision, previous } = status?.update ?? {};
  const before = previous === undefined ? '' : `, before it ${previous}`;
  return revision === undefined ? `image ${spec.image}` : `revision ${revision}${before}, image ${spec.image}`;
}

function outlookText(outlook: RolloutOutlook): string {
  return 'reason' in outlook ? `${outlook.reason}: ${outlook.why}` : outlook.why;
}

/** Since when a turn is under way, and what it waits for. */
function turnLines({ status }: MarekvsCluster, context: RenderContext): readonly string[] {
  const operation = status?.operation;
  if (operation?.roll === undefined || kindOf(operation) !== 'turn') return [];
  const { roll, startedAt, blocked } = operation;
  return [
    ...sentence(`turn of ${roll.name} for ${since(startedAt, context.nowMs)}`, context),
    ...(blocked === undefined
      ? []
      : sentence(`waits ${since(blocked.since, context.nowMs)}: ${blocked.reason}, ${blocked.message}`, context)),
  ];
}

/** Commands are not wrapped: they are to be copied. */
function nextLines(outlook: RolloutOutlook): readonly string[] {
  return 'next' in outlook ? outlook.next.map((command) => `  next: ${harmless(command)}`) : [];
}

function nodeTable(nodes: readonly RolloutNode[], context: RenderContext): readonly string[] {
  if (nodes.length === 0) return ['no nodes'];
  return table(
    [
      { head: 'NODE', cell: ({ name }) => name, least: 12 },
      { head: 'REVISION', cell: ({ revision }) => revision ?? '-' },
      {
        head: 'STATE',
        cell: ({ state }) => state,
        colour: ({ isUpdated }) => (isUpdated ? 'green' : 'yellow'),
        least: 12,
      },
      { head: 'IMAGE', cell: ({ image }) => image ?? '-', least: 10 },
    ],
    nodes,
    context,
  );
}

/** Every kept template, and what changed from each to the next. */
export function historyLines(rows: readonly RevisionRow[], context: RenderContext): readonly string[] {
  if (rows.length === 0) return ['no revisions are stored yet'];
  return [
    ...table(
      [
        { head: 'NUMBER', cell: ({ revision }) => String(revision.number), isNumber: true },
        { head: 'REVISION', cell: ({ revision }) => revision.hash },
        { head: 'AGE', cell: ({ revision }) => since(revision.created, context.nowMs), isNumber: true },
        { head: 'NODES', cell: ({ nodes }) => nodes.join(', ') || '-', least: 8 },
        { head: 'STATE', cell: ({ states }) => states.join(', ') || '-', least: 8 },
      ],
      rows,
      context,
    ),
    ...rows.flatMap((row, index) => changeLines(row.revision, rows[index + 1]?.revision, context)),
  ];
}

function changeLines(
  { number, template, hash }: Revision,
  before: Revision | undefined,
  context: RenderContext,
): readonly string[] {
  if (template === undefined)
    return [
      '',
      ...sentence(`revision ${number} does not hold what its name says (${hash}), and is never used`, context),
    ];
  if (before?.template === undefined) return [];
  return ['', `${before.number} -> ${number}:`, ...differenceLines(differences(before.template, template), context)];
}

/** `  image: marekvs:one -> marekvs:two`, a line each. */
export function differenceLines(found: readonly FieldDifference[], { width }: RenderContext): readonly string[] {
  return found.map(({ path, from = 'not set', to = 'not set' }) =>
    fit(harmless(`  ${path}: ${from} -> ${to}`), width ?? Number.POSITIVE_INFINITY),
  );
}
