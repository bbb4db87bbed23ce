// `kubectl mkv autoscale [cluster]`: why a cluster has the size it has, what comes next and when, and what was decided
// before.

import { type MarekvsCluster, reasonRow } from '@marekvs/api';
import { aimedAutoscalers } from '@marekvs/operator/projections';
import { horizontalPodAutoscalers } from '@marekvs/runtime';
import type { Command } from 'commander';
import { checkedName, listClusters, readCluster, unlessForbidden } from '../../cluster/cluster-parts.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { secondsOf } from '../../connection/duration.ts';
import { EXIT, type ExitCode } from '../../connection/errors.ts';
import { readEvents } from '../../explain/facts/events.ts';
import type { EventFact } from '../../explain/facts/finding.ts';
import { MEASURED_SECONDS, measuredOutlook } from '../../sizing/measure.ts';
import { listScreen } from '../../watching/list-screen.ts';
import { refuseDocument } from '../../watching/problems.ts';
import { watchScreen } from '../../watching/watch-screen.ts';
import { sizingDocument } from './document.ts';
import { sizingList } from './list.ts';
import { sizingRow } from './list-row.ts';
import { type SizingView, sizingScreen } from './screen.ts';

interface AutoscaleOptions {
  readonly interval: number;
  readonly watch?: boolean;
}

const SHOWN_DECISIONS = 20;

export function addAutoscale(program: Command, cli: Cli): void {
  withSharedOptions(program.command('autoscale'), { all: true })
    .summary('why a cluster has its size, and what comes next')
    .description(
      'why a cluster has its size: load and disks as measured from here, the arithmetic, what comes next and when, and the last decisions; without a name, the list of clusters. Exits 4 if the size waits for a person',
    )
    .argument('[cluster]', 'name of the cluster')
    .option(
      '--interval <seconds>',
      'time between the two readings that a rate needs, 1 to 60',
      secondsOf,
      MEASURED_SECONDS,
    )
    .option('-w, --watch', 'measure and draw again whenever something changes')
    .action(
      cli.action<[string | undefined], AutoscaleOptions>((run, [name], options) =>
        name === undefined ? listSizes(run, options) : showSize(run, checkedName(name, 'cluster'), options),
      ),
    );
}

async function showSize(run: Run, name: string, { interval, watch }: AutoscaleOptions): Promise<ExitCode> {
  if (watch === true) {
    refuseDocument(run, 'kubectl get mkv');
    await watchScreen(run, name, async () => {
      const view = await readView(run, name, interval);
      return () => sizingScreen(view, run.context());
    });
    return EXIT.fine;
  }
  const view = await readView(run, name, interval);
  if (run.isDocument) await run.printDocument(sizingDocument(view));
  else run.print(sizingScreen(view, run.context()));
  return isForPerson(view) ? EXIT.blocked : EXIT.fine;
}

async function readView(run: Run, name: string, seconds: number): Promise<SizingView> {
  const { outlook, cluster } = await measuredOutlook(run, await readCluster(run, name), seconds);
  const unread: string[] = [];
  const events = await unlessForbidden('events', readEvents(run, cluster.metadata.namespace), unread);
  const autoscalers = await unlessForbidden('HorizontalPodAutoscalers', readAutoscalers(run, cluster), unread);
  const decisions = decisionsOf(cluster, events ?? []);
  return { cluster, outlook, seconds, decisions, autoscalers: autoscalers ?? [], unread };
}

/** HorizontalPodAutoscalers that aim at a cluster with spec.autoscale. Read live, because the operator checks for them
 *  only when a spec changes or a size is decided. */
async function readAutoscalers(run: Run, { metadata, spec }: MarekvsCluster): Promise<readonly string[]> {
  if (spec.autoscale === undefined) return [];
  const { namespace, name } = metadata;
  return aimedAutoscalers(await run.list(horizontalPodAutoscalers, { namespace }), name);
}

function decisionsOf({ metadata }: MarekvsCluster, events: readonly EventFact[]): readonly EventFact[] {
  return events
    .filter(({ kind, name, action }) => kind === 'MarekvsCluster' && name === metadata.name && action === 'Autoscale')
    .reverse()
    .slice(0, SHOWN_DECISIONS);
}

function isForPerson({ cluster, outlook, autoscalers }: SizingView): boolean {
  if (autoscalers.length > 0) return true;
  if (outlook.kind === 'kept') return true;
  if (outlook.kind !== 'byLoad') return false;
  return outlook.holds?.needsPerson === true || reasonRow(cluster.status?.autoscale?.reason)?.sizing === 'unmet';
}

async function listSizes(run: Run, { watch }: AutoscaleOptions): Promise<void> {
  if (watch === true) {
    refuseDocument(run, 'kubectl get mkv');
    return watchScreen(run, undefined, () => listScreen(run, sizingList));
  }
  if (run.isDocument) {
    const nowMs = run.ports.nowMs();
    await run.printDocument({ clusters: (await listClusters(run)).map((cluster) => sizingRow(cluster, nowMs)) });
  } else run.print((await listScreen(run, sizingList))());
}
