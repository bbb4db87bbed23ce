// Figures of removals: how long each phase takes, and how often the API server is written to.

import type { LastOperation, MarekvsCluster } from '@marekvs/api';
import type { AuditRequest } from '@marekvs/testbed';
import type { ClusterHandle } from '../support/cluster-handle.ts';
import { eventually } from '../support/eventually.ts';
import { round } from '../support/figures.ts';
import { describeLog } from '../support/removal-log.ts';
import type { World } from '../support/world.ts';
import { writesOf } from '../support/written.ts';
import { type Figure, figure } from './figure.ts';

/** API writes and reads of one removal: each read is a fence before a step that cannot be taken back. */
const MOST_WRITES = 22;
const MOST_READS = 26;

/** One removal from the change of the size until its cluster is Healthy. */
export interface RemovalMeasured {
  /** Real time from the request for the new size until the operation is closed. */
  readonly seconds: number;
  readonly phases: NonNullable<LastOperation['phases']>;
  /** Of the operator, in the cluster's namespace. */
  readonly requests: readonly AuditRequest[];
}

/** Removes one node from the cluster. @param limitMs how long that may take */
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
  // The audit log may be behind.
  const fromMs = Date.now();
  await cluster.scale(left);
  const isClosed = ({ status }: MarekvsCluster): boolean =>
    status?.operation === undefined && status?.lastOperation !== undefined && status.lastOperation.id !== before;
  const { status } = await cluster.says('the end of a removal', isClosed, limitMs);
  const seconds = round((performance.now() - startedMs) / 1000);
  const isOver = (seen: MarekvsCluster): boolean =>
    isClosed(seen) && seen.status?.phase === 'Healthy' && seen.status.readyNodes === left;
  await cluster.says(`${left} nodes after a removal`, isOver, limitMs);
  // The event about its end follows the status; it may be counted in the series of an earlier event.
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

/** Makes the cluster smaller, and resolves with the seconds until the last removal is closed; undefined when that is
 *  not so within the limit. */
export async function secondsToClosed(
  cluster: ClusterHandle,
  nodes: { readonly from: number; readonly to: number },
  limitMs: number,
): Promise<number | undefined> {
  const log = await cluster.log();
  const startedMs = performance.now();
  await cluster.scale(nodes.to);
  try {
    await log.untilEnded(nodes.from - nodes.to, limitMs);
    return round((performance.now() - startedMs) / 1000);
  } catch {
    process.stderr.write(`${describeLog(log)}\n`);
    return undefined;
  } finally {
    log.stop();
  }
}

export function writeFigures({ requests }: RemovalMeasured): readonly Figure[] {
  const reads = requests.filter(({ verb }) => verb === 'get' || verb === 'list');
  return [
    figure('one removal: writes', writesOf(requests).length, '', MOST_WRITES),
    figure('one removal: reads', reads.length, '', MOST_READS),
  ];
}

/** The time of one removal, in all and by phase. */
export function timingFigures(
  name: string,
  { seconds, phases }: RemovalMeasured,
  limitSeconds: number,
): readonly Figure[] {
  return [
    figure(name, seconds, 's', limitSeconds, EXISTING),
    ...phases.map(({ phase, seconds: inPhase }) =>
      figure(`  of it ${phase}`, inPhase, 's', MOST_IN_PHASE[phase] ?? limitSeconds),
    ),
  ];
}

/** The time of the existing operator for the same, without any proof, measured with the real server. */
const EXISTING = '0.1 s, 10 % of the keys';

const MOST_IN_PHASE: Readonly<Record<string, number>> = { Proving: 3 };
