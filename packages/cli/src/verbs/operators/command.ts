// `kubectl mkv operators`: the replicas of the operator, what each has, how near it is to its limit, and whether
// another number of them would be better.

import { OPERATOR_LEASE, OPERATOR_NAMESPACE } from '@marekvs/api';
import { leases } from '@marekvs/runtime';
import type { Command } from 'commander';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { table } from '../../screen/table.ts';
import { since, wrap } from '../../screen/text.ts';
import { namespaceLines } from './namespace-lines.ts';
import { type ReplicaRow, replicasOf } from './replica-rows.ts';

/** The width of a line when that of the terminal is unknown. */
const WIDE = 120;

interface OperatorsOptions {
  readonly operatorNamespace: string;
}

export function addOperators(program: Command, cli: Cli): void {
  withSharedOptions(program.command('operators'))
    .summary('replicas of the operator, and their load')
    .description('replicas of the operator: mode, slots, clusters, load, and whether more replicas would be better')
    .option('--operator-namespace <name>', 'where the operator runs', OPERATOR_NAMESPACE)
    .action(cli.action<[], OperatorsOptions>((run, _args, options) => showOperators(run, options)));
}

async function showOperators(run: Run, { operatorNamespace }: OperatorsOptions): Promise<void> {
  const replicas = replicasOf(await run.list(leases, { namespace: operatorNamespace }), OPERATOR_LEASE);
  if (run.isDocument) return run.printDocument(replicas);
  const { mode, generation, rows, advice } = replicas;
  const nowMs = run.ports.nowMs();
  run.print([
    `mode ${mode}${generation === undefined ? '' : `, generation ${generation}`}`,
    ...table<ReplicaRow>(
      [
        { head: 'REPLICA', cell: ({ replica, lease }) => replica ?? `(${lease})`, least: 10 },
        { head: 'ROLE', cell: (row) => roleOf(mode, row) },
        { head: 'SLOTS', cell: ({ slots }) => String(slots ?? '-'), isNumber: true },
        { head: 'CLUSTERS', cell: ({ clusters }) => String(clusters ?? '-'), isNumber: true },
        { head: 'PRESSURE', cell: pressureText, isNumber: true },
        { head: 'AGE', cell: (row) => since(row.since, nowMs), isNumber: true },
        { head: 'RENEWED', cell: (row) => since(row.renewed, nowMs), isNumber: true },
        { head: 'WAITS FOR', cell: ({ waiting }) => waiting ?? '-', least: 12 },
      ],
      rows,
      run.context(),
    ),
    ...namespaceLines(rows).flatMap((line) => wrap(line, run.width ?? WIDE)),
    ...(advice === undefined ? [] : wrap(`recommended: ${advice}`, run.width ?? WIDE)),
  ]);
}

function roleOf(mode: string, { isCoordinator, replica }: ReplicaRow): string {
  if (replica === undefined) return 'away';
  if (mode === 'single') return 'leads';
  return isCoordinator && mode === 'ring' ? 'coordinates' : 'works';
}

function pressureText({ pressure, pressureOf }: ReplicaRow): string {
  return pressure === undefined ? '-' : `${Math.round(pressure * 100)} % ${pressureOf}`;
}
