// `kubectl mkv plan [cluster]`: what the operator would do next, by the real planner on what can be seen from here.

import { findCondition } from '@marekvs/api';
import { type Hold, hold } from '@marekvs/planner';
import type { Command } from 'commander';
import { type Cli, type Run, withSharedOptions } from '../cli.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { nextSteps } from '../plan/next.ts';
import { observationOf } from '../plan/observation.ts';
import { readCluster, readParts } from '../reading/cluster-parts.ts';
import { readHosts } from '../reading/hosts.ts';
import { planLines } from '../render/plan.ts';

export function addPlan(program: Command, cli: Cli): void {
  withSharedOptions(program.command('plan'))
    .summary('what the operator would do next')
    .description('what the operator would do next: the real planner, run here; says what it could not see')
    .argument('[cluster]', 'name of the cluster (default: the only one of the namespace)')
    .action(cli.action<[string | undefined], object>((run, [name]) => plan(run, name)));
}

async function plan(run: Run, name: string | undefined): Promise<ExitCode> {
  const parts = await readParts(run, await readCluster(run, name));
  const nowMs = run.ports.nowMs();
  const stalled = findCondition(parts.cluster.status?.conditions, 'Stalled');
  const said: readonly Hold[] = stalled?.status === 'True' ? [hold(stalled.reason, stalled.message, true)] : [];
  const next = nextSteps(observationOf(parts, await readHosts(run, parts), nowMs), said);
  if (run.format === 'json' || run.format === 'yaml') {
    const { namespace, name: cluster } = parts.cluster.metadata;
    await run.printDocument({ namespace, cluster, ...next });
  } else run.print(planLines(parts.cluster, next, { nowMs, width: run.width, paint: run.paint }));
  const isBlocked = next.holds.some(({ needsPerson }) => needsPerson) || next.removal?.waits?.needsPerson === true;
  return isBlocked ? EXIT.blocked : EXIT.fine;
}
