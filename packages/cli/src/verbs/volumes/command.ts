// `kubectl mkv volumes [cluster]`: attached and detached volumes, their age, and whether they may be deleted.

import type { Command } from 'commander';
import { readCluster, readParts } from '../../cluster/cluster-parts.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { table } from '../../screen/table.ts';
import { since } from '../../screen/text.ts';
import { type VolumeRow, volumeRows } from './volume-rows.ts';

export function addVolumes(program: Command, cli: Cli): void {
  withSharedOptions(program.command('volumes'))
    .summary('volumes, and which may be deleted')
    .description('attached and detached volumes, how old they are, and whether they may be deleted')
    .argument('[cluster]', 'name of the cluster (default: the only one of the namespace)')
    .action(cli.action<[string | undefined], object>((run, [name]) => showVolumes(run, name)));
}

async function showVolumes(run: Run, name: string | undefined): Promise<void> {
  const rows = volumeRows(await readParts(run, await readCluster(run, name)));
  if (run.isDocument) return run.printDocument({ volumes: rows });
  const nowMs = run.ports.nowMs();
  const colours = { yes: 'green', no: 'red', unknown: 'yellow' } as const;
  run.print(
    table<VolumeRow>(
      [
        { head: 'VOLUME', cell: (row) => row.name, least: 14 },
        { head: 'NODE', cell: (row) => row.node ?? '-', isWide: true },
        { head: 'STATE', cell: (row) => row.state },
        { head: 'SIZE', cell: (row) => row.size ?? '-', isNumber: true },
        { head: 'AGE', cell: (row) => since(row.createdAt, nowMs), isNumber: true },
        { head: 'DETACHED', cell: (row) => since(row.detachedAt, nowMs), isNumber: true },
        { head: 'LAST ACTIVE', cell: (row) => since(row.lastActiveAt, nowMs), isNumber: true, isWide: true },
        { head: 'DELETABLE', cell: (row) => row.safeToDelete, colour: (row) => colours[row.safeToDelete] },
        { head: 'WHY', cell: (row) => row.why, least: 12 },
      ],
      rows,
      run.context(),
    ),
  );
}
