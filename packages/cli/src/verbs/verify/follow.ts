// Polls a cluster until the requested comparison is answered. One small read a second while a person waits: it needs no
// more permissions than the request itself did.

import { type MarekvsCluster, PARTITIONS } from '@marekvs/api';
import type { Run } from '../../connection/cli.ts';
import { explain } from '../../explain/explain.ts';
import type { Finding } from '../../explain/facts/finding.ts';
import { gatherFacts } from '../../explain/facts/gather.ts';
import { missingRecords, type Outlook, outlookOf, type Verification } from '../../verification/outlook.ts';
import { progressLine } from '../../verification/screen.ts';
import type { LiveLine } from '../../watching/live-line.ts';
import { warnOnce } from '../../watching/problems.ts';
import { readAgain, unlessAway } from '../../watching/read-again.ts';

const INTERVAL_MS = 1_000;
/** By then, records that were on their way when found missing have arrived, and a restarting member is back. */
const SETTLE_MS = 15_000;
/** An operator that runs has taken up a request within this time. */
const PICKED_UP_MS = 10_000;

export interface Followed {
  readonly cluster: MarekvsCluster;
  readonly outlook: Outlook;
  /** What keeps the operator from acting, as far as it could be seen. */
  readonly finding: Finding | undefined;
  readonly isTimedOut: boolean;
}

interface FollowOptions {
  readonly timeoutMs: number;
  readonly operatorNamespace: string | undefined;
}

export async function followVerification(
  run: Run,
  asked: MarekvsCluster,
  line: LiveLine,
  { timeoutMs, operatorNamespace }: FollowOptions,
): Promise<Followed> {
  const { ports } = run;
  const startedMs = ports.nowMs();
  const patience = createPatience();
  const warn = warnOnce(run);
  let cluster = asked;
  let members: Verification['members'];
  let finding: Finding | undefined;
  let searchedAtMs = startedMs;
  for (;;) {
    await ports.delay(INTERVAL_MS);
    cluster = (await readAgain(run, asked, warn)) ?? cluster;
    const outlook = withMembers(outlookOf(cluster), members);
    if ('verification' in outlook) members = outlook.verification.members ?? members;
    const nowMs = ports.nowMs();
    if (!isIdle(outlook)) [finding, searchedAtMs] = [undefined, nowMs];
    else if (nowMs - searchedAtMs >= PICKED_UP_MS) {
      searchedAtMs = nowMs;
      const facts = await unlessAway(gatherFacts(run, cluster, operatorNamespace), warn);
      finding = facts === undefined ? undefined : explain(facts).find(({ kind }) => kind !== 'note');
    }
    // The caller prints the whole answer.
    if (outlook.kind !== 'covered') line.show(lineOf(outlook, finding, run.width));
    const isOver = patience.isOver(outlook, nowMs) || finding?.kind === 'blocked';
    const isTimedOut = nowMs - startedMs >= timeoutMs;
    if (isOver || isTimedOut) return { cluster, outlook, finding, isTimedOut: !isOver };
  }
}

/** When missing records have arrived, the operator writes no new figures. They are then those of the comparison before,
 *  with everything covered. */
function withMembers(outlook: Outlook, before: Verification['members']): Outlook {
  if (outlook.kind !== 'covered' || outlook.verification.members !== undefined || before === undefined) return outlook;
  const members = before.map(({ missing: _arrived, ...member }) => ({ ...member, partitionsDone: PARTITIONS }));
  return { ...outlook, verification: { ...outlook.verification, members } };
}

/** Whether the operator does nothing for the request at the moment. */
function isIdle({ kind }: Outlook): boolean {
  return kind === 'unseen' || kind === 'waiting';
}

function lineOf(outlook: Outlook, finding: Finding | undefined, width: number | undefined): string {
  switch (outlook.kind) {
    case 'unseen':
      return finding === undefined ? 'asked for' : `${finding.rule}: ${finding.message}`;
    case 'waiting':
    case 'blocked':
      return outlook.why;
    default:
      return progressLine(outlook.verification, width);
  }
}

/** `missing` and `unreadable` count as the answer only after SETTLE_MS. Whenever fewer records are missing, that time
 *  begins again. */
function createPatience(): { isOver(outlook: Outlook, nowMs: number): boolean } {
  let since: { readonly ms: number; readonly least: number } | undefined;
  return {
    isOver(outlook, nowMs) {
      if (outlook.kind === 'covered' || outlook.kind === 'blocked') return true;
      if (outlook.kind !== 'missing' && outlook.kind !== 'unreadable') {
        since = undefined;
        return false;
      }
      const left = outlook.kind === 'missing' ? missingRecords(outlook.verification) : Number.POSITIVE_INFINITY;
      if (since === undefined || left < since.least) since = { ms: nowMs, least: left };
      return nowMs - since.ms >= SETTLE_MS;
    },
  };
}
