// `kubectl mkv crds`: the definitions, ready for kubectl apply. The same texts as crds/, made from the same schemas.

import type { Command } from 'commander';
import type { Cli, Run } from '../../connection/cli.ts';

export function addCrds(program: Command, cli: Cli): void {
  program
    .command('crds')
    .summary('print the CustomResourceDefinitions')
    .description('print the CustomResourceDefinitions: kubectl mkv crds | kubectl apply -f -')
    .action(cli.action<[], object>((run) => printDefinitions(run)));
}

async function printDefinitions(run: Run): Promise<void> {
  // The schema library and the YAML writer are loaded for this command only.
  const [{ CLUSTER_KIND, NODE_KIND, customResourceDefinition }, { dump }] = await Promise.all([
    import('@marekvs/api/crd'),
    import('js-yaml'),
  ]);
  const texts = [CLUSTER_KIND, NODE_KIND].map((kind) =>
    dump(customResourceDefinition(kind), { lineWidth: 120, noRefs: true }),
  );
  run.ports.out.write(texts.join('---\n'));
}
