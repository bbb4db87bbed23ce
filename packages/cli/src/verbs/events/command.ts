// `kubectl mkv events [cluster]`: the events of a cluster, its nodes, Pods and volumes, oldest first.

import { parseNodeId } from '@marekvs/api';
import type { Command } from 'commander';
import { readCluster } from '../../cluster/cluster-parts.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { readEvents } from '../../explain/facts/events.ts';
import type { EventFact } from '../../explain/facts/finding.ts';
import { table } from '../../screen/table.ts';
import { ageText, isoText } from '../../screen/text.ts';
import { refuseDocument } from '../../watching/problems.ts';
import { watchEvents } from './watch.ts';

/** New rows are aligned with only the last ones, because a watch may go on for days. */
const COLUMN_ROWS = 100;

interface EventsOptions {
  readonly warnings?: boolean;
  readonly watch?: boolean;
}

export function addEvents(program: Command, cli: Cli): void {
  withSharedOptions(program.command('events'))
    .summary('events, oldest first')
    .description('events of a cluster, its nodes, Pods and volumes, oldest first')
    .argument('[cluster]', 'name of the cluster (default: the only one of the namespace)')
    .option('--warnings', 'only what a person should look at')
    .option('-w, --watch', 'keep printing new events')
    .action(cli.action<[string | undefined], EventsOptions>((run, [name], options) => showEvents(run, name, options)));
}

async function showEvents(run: Run, name: string | undefined, { warnings, watch }: EventsOptions): Promise<void> {
  if (watch === true) refuseDocument(run, 'kubectl get events');
  const { metadata } = await readCluster(run, name);
  const isWanted = (event: EventFact) =>
    isAbout(event, metadata.name) && (warnings !== true || event.type === 'Warning');
  const events = (await readEvents(run, metadata.namespace)).filter(isWanted);
  if (run.isDocument) {
    await run.printDocument({ events: events.map(({ atMs, ...rest }) => ({ at: isoText(atMs), ...rest })) });
    return;
  }
  run.print(events.length === 0 ? [`no events about ${metadata.name}`] : eventLines(events, run));
  if (watch !== true) return;
  let shown = events.slice(-COLUMN_ROWS);
  await watchEvents(run, metadata.namespace, events, (event) => {
    if (!isWanted(event)) return;
    // Laid out together with the rows before it, so that the columns line up.
    shown = [...shown, event].slice(-COLUMN_ROWS);
    run.print(eventLines(shown, run).slice(-1));
  });
}

/** True for events about nodes that are gone, too. */
export function isAbout({ name }: Pick<EventFact, 'name'>, cluster: string): boolean {
  const bare = name.startsWith('data-') ? name.slice('data-'.length) : name;
  return name === cluster || parseNodeId(cluster, bare) !== undefined;
}

function eventLines(events: readonly EventFact[], run: Run): readonly string[] {
  const nowMs = run.ports.nowMs();
  return table<EventFact>(
    [
      { head: 'AGO', cell: ({ atMs }) => ageText(atMs === undefined ? undefined : nowMs - atMs), isNumber: true },
      { head: 'TYPE', cell: ({ type }) => type, colour: ({ type }) => (type === 'Warning' ? 'yellow' : undefined) },
      { head: 'ABOUT', cell: ({ kind, name }) => `${SHORT[kind] ?? kind}/${name}`, least: 10 },
      { head: 'REASON', cell: ({ reason }) => reason, least: 10 },
      { head: 'COUNT', cell: ({ count }) => String(count), isNumber: true, isWide: true },
      { head: 'NOTE', cell: ({ note }) => note, least: 12 },
    ],
    events,
    run.context(),
  );
}

const SHORT: Readonly<Record<string, string>> = {
  MarekvsCluster: 'mkv',
  MarekvsNode: 'mkvnode',
  Pod: 'pod',
  PersistentVolumeClaim: 'pvc',
};
