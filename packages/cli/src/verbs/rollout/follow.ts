// Polls a cluster until its rolling update is in force or somebody has to act. One small read a second while a person
// waits.

import type { MarekvsCluster } from '@marekvs/api';
import type { Run } from '../../connection/cli.ts';
import { explain } from '../../explain/explain.ts';
import type { Finding } from '../../explain/facts/finding.ts';
import { gatherFacts } from '../../explain/facts/gather.ts';
import { warnOnce } from '../../watching/problems.ts';
import { readAgain, unlessAway } from '../../watching/read-again.ts';
import { type RolloutOutlook, rolloutOutlook } from './outlook.ts';

const INTERVAL_MS = 1_000;
/** An operator that runs has taken up a request within this time. */
const PICKED_UP_MS = 10_000;
/** A block may go away by itself, such as an image that cannot be pulled; if not, the operator stops within this. */
const BLOCKED_MS = 90_000;

export interface FollowedRollout {
  readonly cluster: MarekvsCluster;
  readonly outlook: RolloutOutlook;
  /** What keeps the operator from acting, as far as it could be seen. */
  readonly finding: Finding | undefined;
  readonly isTimedOut: boolean;
}

interface FollowOptions {
  readonly timeoutMs: number;
  readonly operatorNamespace: string | undefined;
  /** Called after every poll. */
  show(cluster: MarekvsCluster, outlook: RolloutOutlook): Promise<void> | void;
}

export async function followRollout(run: Run, first: MarekvsCluster, options: FollowOptions): Promise<FollowedRollout> {
  const { ports } = run;
  const startedMs = ports.nowMs();
  const warn = warnOnce(run);
  let cluster = first;
  let finding: Finding | undefined;
  // Since when the outlook has been of its kind, and when a reason was last searched for.
  let [kind, sinceMs, askedMs] = ['' as string, startedMs, startedMs];
  for (;;) {
    const outlook = rolloutOutlook(cluster);
    const nowMs = ports.nowMs();
    if (outlook.kind !== kind) [kind, sinceMs, askedMs, finding] = [outlook.kind, nowMs, nowMs, undefined];
    await options.show(cluster, outlook);
    if (outlook.kind === 'unseen' && nowMs - askedMs >= PICKED_UP_MS) {
      askedMs = nowMs;
      const facts = await unlessAway(gatherFacts(run, cluster, options.operatorNamespace), warn);
      finding = facts === undefined ? undefined : explain(facts).find((one) => one.kind === 'blocked');
    }
    const isOver = isFinal(outlook, nowMs - sinceMs) || finding !== undefined;
    const isTimedOut = nowMs - startedMs >= options.timeoutMs;
    if (isOver || isTimedOut) return { cluster, outlook, finding, isTimedOut: !isOver };
    await ports.delay(INTERVAL_MS);
    cluster = (await readAgain(run, cluster, warn)) ?? cluster;
  }
}

function isFinal({ kind }: RolloutOutlook, forMs: number): boolean {
  if (kind === 'blocked') return forMs >= BLOCKED_MS;
  return kind === 'inForce' || kind === 'held' || kind === 'stopped';
}
