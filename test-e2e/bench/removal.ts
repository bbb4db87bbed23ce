// Figures of removals: how long each phase takes, and how often the API server is written to.

import type { LastOperation, MarekvsCluster } from '@marekvs/api';
import type { AuditRequest } from '@marekvs/testbed';
import type { ClusterHandle } from '../support/cluster-handle.ts';
import { eventually } from '../support/eventually.ts';
import { percentile, round } from '../support/figures.ts';
import type { World } from '../support/world.ts';
import { type Figure, figure } from './figure.ts';

/** API writes of one removal (design 9). */
const MOST_WRITES = 18;
/** Live looks before each step that cannot be taken back; ours, there is no outside figure for it. */
const MOST_READS = 18;
const READ_VERBS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
/** Unscaled server timers, a quiet cluster of 5; the second where the idle history proves the part before isolation. */
const MOST_SECONDS = 75;
const MOST_SECONDS_IDLE = 50;
/** What the existing operator takes for the same (marekvs.md 11). */
const EXISTING = '0.1 s, 10 % of the keys';

/** One removal from the change of the size until its cluster is Healthy. */
export interface RemovalMeasured {
  /** Wall clock, from the request of the new size on. */
  readonly seconds: number;
  readonly phases: NonNullable<LastOperation['phases']>;
  /** Of the operator, in the cluster's namespace. */
  readonly requests: readonly AuditRequest[];
}

/** Makes the cluster smaller by one. @param limitMs how long that may take */
export async function measureRemoval(
  { testbed }: World,
  cluster: ClusterHandle,
  left: number,
  limitMs = 110_000,
): Promise<RemovalMeasured> {
  const audit = await testbed.auditReader();
  const before = (await cluster.says('the cluster', () => true)).status?.lastOperation?.id;
  const own: AuditRequest[] = [];
  const startedMs = performance.now();
  // The log of the API server may still be writing down what came before.
  const fromMs = Date.now();
  await cluster.scale(left);
  const isOver = ({ status }: MarekvsCluster): boolean =>
    status?.operation === undefined &&
    status?.lastOperation !== undefined &&
    status.lastOperation.id !== before &&
    status.phase === 'Healthy' &&
    status.readyNodes === left;
  const { status } = await cluster.says(`${left} nodes after a removal`, isOver, limitMs);
  const seconds = round((performance.now() - startedMs) / 1000);
  // The event of its end follows the status; it may be one more of an earlier one's series.
  await eventually('its event is written', async () => {
    const { requests } = await audit.read();
    own.push(
      ...requests.filter(
        ({ namespace, resource, receivedAtMs }) =>
          namespace === cluster.namespace && resource !== 'leases' && receivedAtMs >= fromMs,
      ),
    );
    return own.some(({ resource }) => resource === 'events');
  });
  return { seconds, phases: status?.lastOperation?.phases ?? [], requests: own };
}

export function writeFigures({ requests }: RemovalMeasured): readonly Figure[] {
  const reads = requests.filter(({ verb }) => READ_VERBS.has(verb) && verb !== 'watch');
  return [
    figure('one removal: writes', writesOf(requests).length, '', MOST_WRITES),
    figure('one removal: reads', reads.length, '', MOST_READS),
  ];
}

/** How the writes are made up, one line per kind with the names they were about. */
export function describeWrites({ requests }: RemovalMeasured): string {
  const counts = Map.groupBy(
    writesOf(requests),
    ({ verb, resource, code }) => `${verb} ${resource}${code < 300 ? '' : ` (${code})`}`,
  );
  const names = (all: readonly AuditRequest[]): string =>
    [...Map.groupBy(all, ({ name }) => name)]
      .map(([name, same]) => `${name}${same.length > 1 ? ` x ${same.length}` : ''}`)
      .join(', ');
  return [...counts].map(([kind, all]) => `      ${all.length} x ${kind} (${names(all)})`).join('\n');
}

/** The median of the whole and of each phase.
 *  @param isIdle the clusters had been left alone long enough for their history to prove something */
export function timingFigures(measured: readonly RemovalMeasured[], isIdle: boolean): readonly Figure[] {
  const median = (of: (one: RemovalMeasured) => number): number => percentile(measured.map(of), 0.5);
  const limit = isIdle ? MOST_SECONDS_IDLE : MOST_SECONDS;
  const kind = isIdle ? 'with an idle history' : 'without a history';
  const names = [...new Set(measured.flatMap(({ phases }) => phases.map(({ phase }) => phase)))];
  const inPhase = (name: string) => (one: RemovalMeasured) =>
    one.phases.filter(({ phase }) => phase === name).reduce((sum, { seconds }) => sum + seconds, 0);
  return [
    figure(
      `removal of 1 of 5 ${kind}: median of ${measured.length}`,
      median(({ seconds }) => seconds),
      's',
      limit,
      EXISTING,
    ),
    ...names.map((name) => figure(`  of it ${name}`, median(inPhase(name)), 's', limit)),
  ];
}

function writesOf(requests: readonly AuditRequest[]): readonly AuditRequest[] {
  return requests.filter(({ verb }) => !READ_VERBS.has(verb));
}
