// `kubectl mkv rollout …`: how a changed template reaches the members, and requests that steer it.

import type { MarekvsCluster } from '@marekvs/api';
import { type Command, Option } from 'commander';
import { carryOut } from '../../changing/carry-out.ts';
import { annotateCluster } from '../../changing/writes.ts';
import { readCluster, readSeenParts } from '../../cluster/cluster-parts.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { duration } from '../../connection/duration.ts';
import { blocked } from '../../connection/errors.ts';
import { rolloutNodes } from './nodes.ts';
import { anotherTry, approval, pausing, type RolloutChange, rolloutOutlook } from './outlook.ts';
import { allRestarted } from './restart-all.ts';
import { changeReviewed, type ReviewOptions } from './reviewed-change.ts';
import { revisionRows } from './revision-rows.ts';
import { readRevisions } from './revisions.ts';
import { historyLines, unseenLines } from './screen.ts';
import { showRollout, watchRollout } from './status.ts';
import { type UndoOptions, undoRollout } from './undo.ts';

interface StatusOptions {
  readonly watch?: boolean;
  readonly timeout: number;
  readonly operatorNamespace?: string;
}
interface ApproveOptions {
  readonly revision?: string;
}

const READS = { output: true };
const WRITES = { output: false, writes: true };
const DEFAULT_TIMEOUT_MS = 1_800_000;
type Named = [string | undefined];

export function addRollout(program: Command, cli: Cli): void {
  const rollout = program
    .command('rollout')
    .summary('see and control how a changed template reaches the members')
    .description('see and control how a changed template (image, resources, environment, host) reaches the members');
  const verb = (name: string, text: string, has: { readonly output: boolean; readonly writes?: boolean }): Command =>
    withSharedOptions(rollout.command(name), has)
      .description(text)
      .argument('[cluster]', 'name of the cluster (default: the only one of the namespace)');
  verb(
    'status',
    'every member with its revision, and whose turn it is; exits 4 when it has stopped or waits for a person',
    READS,
  )
    .option('-w, --watch', 'wait until every member has it; exits 4 when it stops, 1 when the time is over')
    .addOption(
      new Option('--timeout <time>', 'how long to wait with --watch, such as 90s')
        .argParser(duration)
        .default(DEFAULT_TIMEOUT_MS, '30m'),
    )
    .option('--operator-namespace <name>', 'where the operator runs (default: where its lease is found)')
    .action(
      cli.action<Named, StatusOptions>(async (run, [name], { watch, timeout, operatorNamespace }) => {
        const cluster = await readCluster(run, name);
        if (watch !== true) return showRollout(run, cluster, rolloutOutlook(cluster));
        return watchRollout(run, cluster, { timeoutMs: timeout, operatorNamespace });
      }),
    );
  verb('history', 'the templates that are kept, who runs which, and what changed from each to the next', READS).action(
    cli.action<Named, object>((run, [name]) => history(run, name)),
  );
  verb('approve', 'let the update continue after its canaries', WRITES)
    .option('--revision <revision>', 'refuse when another revision waits than the one you have looked at')
    .action(
      cli.action<Named, ApproveOptions>((run, [name], { revision }) =>
        request(run, name, (o) => approval(o, revision)),
      ),
    );
  verb('pause', 'restart no further member for a changed template; the turn under way is finished', WRITES).action(
    cli.action<Named, object>((run, [name]) => request(run, name, (cluster) => pausing(cluster, true))),
  );
  verb('resume', 'let the update continue after a pause', WRITES).action(
    cli.action<Named, object>((run, [name]) => request(run, name, (cluster) => pausing(cluster, false))),
  );
  verb('retry', 'let an update that has stopped try the same template again', WRITES).action(
    cli.action<Named, object>((run, [name]) =>
      request(run, name, (cluster) => anotherTry(cluster, new Date(run.ports.nowMs()).toISOString())),
    ),
  );
  verb('undo', 'change spec back to what a kept template says; shows the difference first', WRITES)
    .option('--to <revision>', 'its hash or number (default: the one before)')
    .action(cli.action<Named, UndoOptions>((run, [name], options) => undoRollout(run, name, options)));
  verb('restart', 'restart every member on its volume, one after the other, as for a changed template', WRITES).action(
    cli.action<Named, ReviewOptions>((run, [name], options) => restartAll(run, name, options)),
  );
}

async function history(run: Run, name: string | undefined): Promise<void> {
  const cluster = await readCluster(run, name);
  const [parts, revisions] = await Promise.all([readSeenParts(run, cluster), readRevisions(run, cluster)]);
  const rows = revisionRows(cluster, revisions, rolloutNodes(parts));
  if (run.isDocument) {
    const { namespace, name: own } = cluster.metadata;
    const revisionsOf = rows.map(({ revision, nodes, states }) => ({ ...revision, nodes, states }));
    await run.printDocument({ namespace, cluster: own, revisions: revisionsOf, unread: parts.unread });
  } else {
    const context = run.context();
    run.print([...historyLines(rows, context), ...unseenLines(parts.unread, context)]);
  }
}

/** Writes what a person asks of the update, as annotations. */
async function request(
  run: Run,
  name: string | undefined,
  changeOf: (cluster: MarekvsCluster) => RolloutChange,
): Promise<void> {
  const cluster = await readCluster(run, name);
  return carryOut(run, changeOf(cluster), ({ annotations }) => annotateCluster(run, cluster, annotations));
}

async function restartAll(run: Run, name: string | undefined, options: ReviewOptions): Promise<void> {
  const cluster = await readCluster(run, name);
  const restart = allRestarted(cluster, new Date(run.ports.nowMs()).toISOString());
  if (restart.kind === 'refused') throw blocked(restart.why, restart.next);
  const { namespace, name: own } = cluster.metadata;
  const review = {
    change: { spec: restart.spec },
    title: `${own}: ${restart.how}`,
    notes: [],
    done: [],
    command: `kubectl mkv rollout restart ${own} -n ${namespace}`,
    help: 'kubectl mkv rollout restart --help',
  };
  await changeReviewed(run, cluster, review, options);
}
