// `kubectl mkv explain [cluster]`: why it is not at its desired state, and what to type.

import type { Command } from 'commander';
import { readCluster } from '../../cluster/cluster-parts.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { EXIT, type ExitCode } from '../../connection/errors.ts';
import { explain } from '../../explain/explain.ts';
import { gatherFacts } from '../../explain/facts/gather.ts';
import { explanation } from '../../explain/screen.ts';
import { isoText } from '../../screen/text.ts';

interface ExplainOptions {
  readonly operatorNamespace?: string;
}

export function addExplain(program: Command, cli: Cli): void {
  withSharedOptions(program.command('explain'))
    .summary('why a cluster is not at its desired state')
    .description(
      'why a cluster is not at its desired state: which rule, on which member, since when, what to do; exits 4 if somebody has to act',
    )
    .argument('[cluster]', 'name of the cluster (default: the only one of the namespace)')
    .option('--operator-namespace <name>', 'where the operator runs (default: where its lease is found)')
    .action(
      cli.action<[string | undefined], ExplainOptions>((run, [name], options) => explainCluster(run, name, options)),
    );
}

async function explainCluster(run: Run, name: string | undefined, options: ExplainOptions): Promise<ExitCode> {
  const facts = await gatherFacts(run, await readCluster(run, name), options.operatorNamespace);
  const findings = explain(facts);
  if (run.isDocument) {
    const { namespace, name: cluster } = facts.parts.cluster.metadata;
    const shown = findings.map(({ sinceMs, ...rest }) => ({ ...rest, since: isoText(sinceMs) }));
    await run.printDocument({ namespace, cluster, findings: shown, unread: facts.unread });
  } else run.print(explanation(facts, findings, { nowMs: facts.nowMs, width: run.width, paint: run.paint }));
  return findings.some(({ kind }) => kind === 'blocked') ? EXIT.blocked : EXIT.fine;
}
