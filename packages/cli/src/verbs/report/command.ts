// `kubectl mkv report [cluster]`: a support bundle as tar.gz, with everything secret taken out.

import type { Command } from 'commander';
import { readCluster } from '../../cluster/cluster-parts.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { wrongUsage } from '../../connection/errors.ts';
import { bytesText, harmless } from '../../screen/text.ts';

interface ReportOptions {
  readonly file?: string;
  readonly operatorNamespace?: string;
}

export function addReport(program: Command, cli: Cli): void {
  withSharedOptions(program.command('report'), { output: false })
    .summary('a support bundle without secrets')
    .description(
      'a support bundle as tar.gz: objects, events, logs, findings; no Secret is read, and passwords are removed',
    )
    .argument('[cluster]', 'name of the cluster (default: the only one of the namespace)')
    .option(
      '--file <name>',
      'where to write it (default: mkv-<namespace>-<cluster>-<time>.tar.gz); never replaces a file',
    )
    .option('--operator-namespace <name>', 'where the operator runs (default: where its lease is found)')
    .action(cli.action<[string | undefined], ReportOptions>((run, [name], options) => report(run, name, options)));
}

async function report(run: Run, name: string | undefined, options: ReportOptions): Promise<void> {
  const cluster = await readCluster(run, name);
  const { namespace, name: own } = cluster.metadata;
  const [{ collectReport }, { tar }, { gzipSync }] = await Promise.all([
    import('./collect.ts'),
    import('./tar.ts'),
    import('node:zlib'),
  ]);
  const { files, missing } = await collectReport(run, cluster, options.operatorNamespace);
  const nowMs = run.ports.nowMs();
  const stamp = new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
  const path = options.file ?? `mkv-${namespace}-${own}-${stamp}.tar.gz`;
  const folder = `mkv-report/`;
  const bytes = gzipSync(
    tar(
      files.map((file) => ({ ...file, name: folder + file.name })),
      Math.floor(nowMs / 1000),
    ),
  );
  await run.ports.writeFile(path, bytes).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw wrongUsage(`${path} cannot be written: ${code}`, 'choose another --file');
  });
  run.print([
    `${path}: ${files.length} files, ${bytesText(bytes.length)}`,
    ...missing.map((what) => harmless(`not in it: ${what}`)),
  ]);
}
