// `kubectl mkv verify [cluster]`: is every record on all its homes? Asks the operator to compare the members' contents
// now, and shows what it finds.

import { ANNOTATIONS, type MarekvsCluster } from '@marekvs/api';
import { type Command, Option } from 'commander';
import { annotateCluster } from '../../changing/writes.ts';
import { readCluster } from '../../cluster/cluster-parts.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { duration } from '../../connection/duration.ts';
import { blocked, type CliError, EXIT, type ExitCode, failed } from '../../connection/errors.ts';
import { ageText, harmless } from '../../screen/text.ts';
import { type Outlook, obstacleOf, type Verification } from '../../verification/outlook.ts';
import { answerLines } from '../../verification/screen.ts';
import { createLiveLine } from '../../watching/live-line.ts';
import { readDivergingKeys } from './diverging-keys.ts';
import { type Followed, followVerification } from './follow.ts';

interface VerifyOptions {
  readonly timeout: number;
  readonly wait: boolean;
  readonly showKeys?: boolean;
  readonly operatorNamespace?: string;
}

const DEFAULT_TIMEOUT_MS = 600_000;

export function addVerify(program: Command, cli: Cli): void {
  withSharedOptions(program.command('verify'), { writes: true })
    .summary('compare the members’ contents now: is every record on all its homes')
    .description(
      'compare the members’ contents now: is every record on all its homes? exits 4 if records are missing or a member cannot be read',
    )
    .argument('[cluster]', 'name of the cluster (default: the only one of the namespace)')
    .addOption(
      new Option('--timeout <time>', 'how long to wait for the answer, such as 90s')
        .argParser(duration)
        .default(DEFAULT_TIMEOUT_MS, '10m'),
    )
    .option('--no-wait', 'ask for it, but do not wait for the answer')
    .option(
      '--show-keys',
      'then read from the members, through port forwards of your own, which keys have HyperLogLog registers that diverge',
    )
    .option('--operator-namespace <name>', 'where the operator runs (default: where its lease is found)')
    .action(cli.action<[string | undefined], VerifyOptions>((run, [name], options) => verify(run, name, options)));
}

async function verify(run: Run, name: string | undefined, options: VerifyOptions): Promise<ExitCode> {
  const cluster = await readCluster(run, name);
  const obstacle = obstacleOf(cluster);
  if (obstacle !== undefined) throw blocked(obstacle.why, obstacle.next);
  const request = newRequest(run);
  await annotateCluster(run, cluster, { [ANNOTATIONS.verify]: request });
  if (run.isDryRun) {
    run.tell(`${cluster.metadata.name} is asked to be compared`);
    return EXIT.fine;
  }
  if (!options.wait) {
    await printAsked(run, cluster, request);
    return EXIT.fine;
  }
  const line = createLiveLine(run);
  const asked = { ...cluster, metadata: { ...cluster.metadata, annotations: { [ANNOTATIONS.verify]: request } } };
  try {
    const followed = await followVerification(run, asked, line, {
      timeoutMs: options.timeout,
      operatorNamespace: options.operatorNamespace,
    });
    line.end();
    return await tell(run, followed, options);
  } finally {
    line.end();
  }
}

/** Two requests made in the same millisecond differ in their random part. */
function newRequest({ ports }: Run): string {
  return `${new Date(ports.nowMs()).toISOString()}/${crypto.randomUUID().slice(0, 8)}`;
}

async function printAsked(run: Run, { metadata }: MarekvsCluster, requested: string): Promise<void> {
  const { namespace, name } = metadata;
  if (run.isDocument) await run.printDocument({ namespace, cluster: name, requested });
  else run.print([`${name} is asked to be compared`, `next: kubectl mkv status ${name} -n ${namespace}`]);
}

async function tell(run: Run, followed: Followed, { timeout, showKeys }: VerifyOptions): Promise<ExitCode> {
  const { cluster, outlook } = followed;
  const { namespace, name, annotations } = cluster.metadata;
  const verification = isAnswer(outlook) ? outlook.verification : undefined;
  const isKeys = showKeys === true && verification !== undefined;
  const divergingKeys = isKeys ? (await readDivergingKeys(run, cluster, timeout)).map(harmless) : undefined;
  if (run.isDocument) {
    const requested = annotations?.[ANNOTATIONS.verify];
    await run.printDocument({
      namespace,
      cluster: name,
      requested,
      outcome: OUTCOMES[outlook.kind],
      verification,
      divergingKeys,
    });
  } else if (verification !== undefined) {
    const context = run.context();
    const next = outlook.kind === 'covered' ? [] : [`next: kubectl mkv explain ${name} -n ${namespace}`];
    run.print([...answerLines(cluster, verification, context), ...keyLines(divergingKeys), ...next]);
  }
  if (verification === undefined) throw unanswered(followed, timeout);
  return outlook.kind === 'covered' ? EXIT.fine : EXIT.blocked;
}

function keyLines(keys: readonly string[] | undefined): readonly string[] {
  if (keys === undefined) return [];
  if (keys.length === 0) return ['no key has HyperLogLog registers that diverge'];
  return ['keys with HyperLogLog registers that diverge:', ...keys.map((key) => `  ${key}`)];
}

type Answer = Extract<Outlook, { readonly kind: 'covered' | 'missing' | 'unreadable' }>;

function isAnswer(outlook: Outlook): outlook is Answer {
  return outlook.kind === 'covered' || outlook.kind === 'missing' || outlook.kind === 'unreadable';
}

const OUTCOMES: Readonly<Record<Outlook['kind'], Verification['state'] | 'Unanswered'>> = {
  covered: 'Covered',
  missing: 'Missing',
  unreadable: 'Unreadable',
  comparing: 'Unanswered',
  waiting: 'Unanswered',
  blocked: 'Unanswered',
  unseen: 'Unanswered',
};

/** Why there is no answer. The request stays in force. */
function unanswered({ cluster, outlook, finding, isTimedOut }: Followed, timeoutMs: number): CliError {
  const { namespace, name } = cluster.metadata;
  const after = isTimedOut ? `no answer within ${ageText(timeoutMs)}: ` : '';
  const explained = `kubectl mkv explain ${name} -n ${namespace}`;
  if (outlook.kind === 'blocked') return blocked(`${after}${outlook.why}`, outlook.next);
  if (finding !== undefined) {
    const { rule, message, commands } = finding;
    return blocked(`${after}${rule}, ${message}`, commands[0] ?? explained);
  }
  if (outlook.kind === 'waiting') return blocked(`${after}${outlook.why}`, explained);
  if (outlook.kind === 'comparing') {
    const how = outlook.verification.message ?? 'it is under way';
    return failed(`${after}${how}`, `it goes on; kubectl mkv status ${name} -n ${namespace} --watch`);
  }
  return failed(`${after}the operator has not taken it up, and nothing says why`, explained);
}
