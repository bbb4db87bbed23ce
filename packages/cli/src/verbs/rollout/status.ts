// `kubectl mkv rollout status`: once, or until the update is in force.

import type { MarekvsCluster } from '@marekvs/api';
import { readSeenParts } from '../../cluster/cluster-parts.ts';
import type { Run } from '../../connection/cli.ts';
import { blocked, type CliError, EXIT, type ExitCode, failed } from '../../connection/errors.ts';
import { ageText } from '../../screen/text.ts';
import { createLiveLine } from '../../watching/live-line.ts';
import { type FollowedRollout, followRollout } from './follow.ts';
import { rolloutNodes } from './nodes.ts';
import type { RolloutOutlook } from './outlook.ts';
import { rolloutLine, rolloutScreen } from './screen.ts';

export async function showRollout(run: Run, cluster: MarekvsCluster, outlook: RolloutOutlook): Promise<ExitCode> {
  const parts = await readSeenParts(run, cluster);
  const nodes = rolloutNodes(parts);
  if (run.isDocument) {
    const { namespace, name } = cluster.metadata;
    const { update, operation } = cluster.status ?? {};
    const { kind: state, ...details } = outlook;
    const turn = operation?.roll === undefined ? undefined : operation;
    const { unread } = parts;
    await run.printDocument({ namespace, cluster: name, state, ...details, update, turn, nodes, unread });
  } else {
    const context = run.context();
    run.print(rolloutScreen({ cluster, outlook, nodes, unread: parts.unread }, context));
  }
  return isForPerson(outlook) ? EXIT.blocked : EXIT.fine;
}

interface WatchOptions {
  readonly timeoutMs: number;
  readonly operatorNamespace: string | undefined;
}

/** Shows one line while the update goes on, then the whole screen. @throws CliError unless it ends in force */
export async function watchRollout(run: Run, first: MarekvsCluster, options: WatchOptions): Promise<ExitCode> {
  const line = createLiveLine(run);
  try {
    const show = (cluster: MarekvsCluster, outlook: RolloutOutlook) => line.show(rolloutLine(cluster, outlook));
    const followed = await followRollout(run, first, { ...options, show });
    line.end();
    const code = await showRollout(run, followed.cluster, followed.outlook);
    if (followed.outlook.kind === 'inForce') return code;
    throw unfinished(followed, options.timeoutMs);
  } finally {
    line.end();
  }
}

function unfinished({ cluster, outlook, finding, isTimedOut }: FollowedRollout, timeoutMs: number): CliError {
  const { namespace, name } = cluster.metadata;
  if (isTimedOut)
    return failed(
      `not in force within ${ageText(timeoutMs)}: ${outlook.why}`,
      `it goes on; kubectl mkv explain ${name} -n ${namespace}`,
    );
  if (finding !== undefined) return blocked(`${finding.rule}, ${finding.message}`, finding.commands[0]);
  return blocked(outlook.why, 'next' in outlook ? outlook.next[0] : undefined);
}

function isForPerson({ kind }: RolloutOutlook): boolean {
  return kind === 'held' || kind === 'stopped' || kind === 'blocked';
}
