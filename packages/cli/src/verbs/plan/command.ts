// `kubectl mkv plan [cluster]`: what the operator would do next, by the real planner on what can be seen from here.

import { findCondition } from '@marekvs/api';
import { type Hold, hold } from '@marekvs/planner';
import type { Command } from 'commander';
import { readCluster, readParts } from '../../cluster/cluster-parts.ts';
import { readHosts } from '../../cluster/hosts.ts';
import { observationOf } from '../../cluster/observation.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { EXIT, type ExitCode } from '../../connection/errors.ts';
import { type SizeByHosts, sizeByHosts, withDecision } from '../../sizing/by-hosts.ts';
import { MEASURED_SECONDS, measuredOutlook } from '../../sizing/measure.ts';
import { byHostsLines, nextLines, unmeasuredLines } from '../../sizing/next-lines.ts';
import type { SizingOutlook } from '../../sizing/outlook.ts';
import { nextSteps } from './next.ts';
import { readResizeSupport } from './resize-support.ts';
import { planLines } from './screen.ts';

interface PlanOptions {
  readonly autoscale?: boolean;
}

export function addPlan(program: Command, cli: Cli): void {
  withSharedOptions(program.command('plan'))
    .summary('what the operator would do next')
    .description('what the operator would do next: runs the real planner here, and says what it could not see')
    .argument('[cluster]', 'name of the cluster (default: the only one of the namespace)')
    .option('--autoscale', 'measure the load for 5 s, and say what size follows from it')
    .action(
      cli.action<[string | undefined], PlanOptions>((run, [name], { autoscale }) =>
        plan(run, name, autoscale === true),
      ),
    );
}

async function plan(run: Run, name: string | undefined, isMeasured: boolean): Promise<ExitCode> {
  const cluster = await readCluster(run, name);
  const outlook = isMeasured ? (await measuredOutlook(run, cluster, MEASURED_SECONDS)).outlook : undefined;
  const parts = await readParts(run, cluster);
  const nowMs = run.ports.nowMs();
  const stalled = findCondition(cluster.status?.conditions, 'Stalled');
  const stalledHolds: readonly Hold[] = stalled?.status === 'True' ? [hold(stalled.reason, stalled.message, true)] : [];
  const [hosts, resizeSupport] = await Promise.all([readHosts(run, parts), readResizeSupport(run)]);
  const seen = observationOf(parts, hosts, nowMs, resizeSupport);
  const byHosts = sizeByHosts(seen.observation);
  // The operator stores a decision of the size first; this command shows what follows from it.
  const next = nextSteps({ ...seen, observation: withDecision(seen.observation) }, stalledHolds);
  if (run.isDocument) {
    const { namespace, name: own } = cluster.metadata;
    await run.printDocument({ namespace, cluster: own, ...next, ...sizeDocument(outlook, byHosts) });
  } else {
    const measured = outlook === undefined ? unmeasuredLines(cluster) : nextLines(cluster, outlook);
    const size = byHosts === undefined ? measured : byHostsLines(byHosts);
    run.print(planLines(cluster, next, size, { nowMs, width: run.width, paint: run.paint }));
  }
  const isBlocked = next.holds.some(({ needsPerson }) => needsPerson) || next.removal?.waits?.needsPerson === true;
  return isBlocked ? EXIT.blocked : EXIT.fine;
}

function sizeDocument(outlook: SizingOutlook | undefined, byHosts: SizeByHosts | undefined): object {
  if (byHosts !== undefined) {
    const { size, next, message } = byHosts;
    return { size: { state: 'byHosts', nodes: size, next, message } };
  }
  if (outlook === undefined) return {};
  if (outlook.kind !== 'byLoad') return { size: { state: outlook.kind, nodes: outlook.size } };
  const { size, verdict, holds } = outlook;
  const { next, reason, ideal } = verdict;
  return { size: { state: outlook.kind, nodes: size, ideal, next, reason, waitsFor: holds } };
}
