// What is known of the members' contents, as a person reads it. Pure.

import { type MarekvsCluster, PARTITIONS } from '@marekvs/api';
import { table } from '../screen/table.ts';
import { fit, harmless, type Paint, type RenderContext, sentence, since } from '../screen/text.ts';
import { partitionsIn, type Verification } from './outlook.ts';

const STATE_COLOURS: Readonly<Record<Verification['state'], Parameters<Paint>[0]>> = {
  Covered: 'green',
  Missing: 'red',
  Unreadable: 'red',
  Running: 'yellow',
  Waiting: 'yellow',
};

/** Most rows of members with records missing on the screen of a cluster. */
const MAX_ROWS = 10;

/** The answer to a requested verification: a sentence, and a row per member. */
export function answerLines(
  cluster: MarekvsCluster,
  verification: Verification,
  context: RenderContext,
): readonly string[] {
  const { namespace, name } = cluster.metadata;
  const { state, message, members = [] } = verification;
  return [
    `${context.paint('bold', `${namespace}/${name}`)}: ${context.paint(STATE_COLOURS[state], SENTENCES[state])}`,
    ...sentence(message, context),
    ...(members.length === 0 ? [] : ['', ...memberTable(members, context)]),
  ];
}

const SENTENCES: Readonly<Record<Verification['state'], string>> = {
  Covered: 'every record is on every home of it',
  Missing: 'records are missing',
  Unreadable: 'it is not known whether every record is on every home of it',
  Running: 'the members are being compared',
  Waiting: 'the members wait to be compared',
};

/** The last result, for the screen of a cluster. Empty during an operation, which shows itself what it has compared. */
export function contentsLines({ status }: MarekvsCluster, context: RenderContext): readonly string[] {
  const verification = status?.verification;
  if (verification === undefined || status?.operation !== undefined) return [];
  const { state, at, members = [] } = verification;
  const lacking = members.filter(({ missing = [] }) => missing.length > 0);
  const head = `contents  ${context.paint(STATE_COLOURS[state], state)} since ${since(at, context.nowMs)}`;
  // A good result takes one line.
  if (state === 'Covered') return ['', head];
  return [
    '',
    head,
    ...sentence(verification.message, context),
    ...lacking.slice(0, MAX_ROWS).flatMap((member) => sentence(`${member.name}: ${missingText(member)}`, context)),
    ...(lacking.length > MAX_ROWS ? [`  and ${lacking.length - MAX_ROWS} more`] : []),
  ];
}

type Member = NonNullable<Verification['members']>[number];

function memberTable(members: readonly Member[], context: RenderContext): readonly string[] {
  return table(
    [
      { head: 'MEMBER', cell: ({ name }) => name, least: 8 },
      {
        head: 'RECORDS',
        cell: ({ records }) => (records === undefined ? '-' : `about ${count(records)}`),
        isNumber: true,
      },
      {
        head: 'PARTITIONS',
        cell: ({ partitionsDone }) => `${count(partitionsDone)} of ${count(PARTITIONS)}`,
        isNumber: true,
      },
      {
        head: 'MISSING',
        cell: missingText,
        least: 10,
        colour: ({ missing = [] }) => (missing.length === 0 ? 'green' : 'red'),
      },
    ],
    members,
    context,
  );
}

/** `3 records in 2 partitions on demo-2, 1 record in 1 partition on demo-0` */
function missingText({ missing = [] }: Member): string {
  if (missing.length === 0) return 'none';
  return missing
    .map(
      ({ home, records, partitions }) =>
        `${counted(records, 'record')} in ${counted(partitions, 'partition')} on ${home}`,
    )
    .join(', ');
}

const BAR_WIDTH = 20;

/** The progress in one line, with a bar if the message has figures. */
export function progressLine({ message = '' }: Verification, width: number | undefined): string {
  const figures = partitionsIn(message);
  const text = `${figures === undefined ? '' : `${bar(figures.done / Math.max(1, figures.total))}  `}${harmless(message)}`;
  return fit(text, width ?? Number.POSITIVE_INFINITY);
}

function bar(share: number): string {
  const bounded = Math.min(1, Math.max(0, share));
  // Rounded down: 100 % means everything.
  const percent = String(Math.floor(bounded * 100)).padStart(3);
  const full = Math.floor(bounded * BAR_WIDTH);
  return `[${'#'.repeat(full)}${'-'.repeat(BAR_WIDTH - full)}] ${percent} %`;
}

function counted(number: number, what: string): string {
  return `${count(number)} ${what}${number === 1 ? '' : 's'}`;
}

export function count(number: number): string {
  return number.toLocaleString('en-US');
}
