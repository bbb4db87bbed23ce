// When a member turns Active (docs/design/server.md#forming and #h7): 2 s of sleep, then alone -> at once, only Joining
// others -> at 6 s, an Active other -> when nothing it must copy or verify is outstanding.

import { cohortAgeMs, coldSettleMs, gatePollMs, gateSleepMs } from '../basics/constants.ts';
import { type MemberContext, othersIn } from '../interfaces/context.ts';
import type { Bootstrap } from './bootstrap.ts';
import type { Rejoin } from './rejoin.ts';

export interface JoinGateOptions {
  readonly context: MemberContext;
  readonly bootstrap: Bootstrap;
  readonly rejoin: Rejoin;
  readonly open: () => void;
}

export function startJoinGate(options: JoinGateOptions): void {
  const { world } = options.context;
  const startedAtMs = world.now();
  let sawActiveAtAgeMs: number | undefined;
  const poll = () => {
    const ageMs = world.now() - startedAtMs;
    if (othersIn(options.context, 'Active').length > 0) sawActiveAtAgeMs ??= ageMs;
    const isCohort = sawActiveAtAgeMs === undefined || sawActiveAtAgeMs >= cohortAgeMs;
    if (isReady(options, ageMs, isCohort)) options.open();
    else world.after(gatePollMs, poll);
  };
  world.after(gateSleepMs, poll);
}

/** `isCohort`: all others were Joining while this member was young; such members open one by one at their own 6 s. */
function isReady({ context, bootstrap, rejoin }: JoinGateOptions, ageMs: number, isCohort: boolean): boolean {
  const { settings, metrics, knobs, view } = context;
  if (knobs().neverLeavesJoining) return false;
  const isAlone = view().members.every((member) => member.id === settings.nodeId);
  if (isAlone) {
    // There is no member to compare with: a lone first member keeps everything it has (H1).
    rejoin.end();
    return true;
  }
  if (settings.joinTimeoutSeconds > 0 && ageMs > settings.joinTimeoutSeconds * 1_000) {
    metrics.add('join_gate_timeouts_total');
    return true;
  }
  if (isCohort && ageMs >= coldSettleMs) return true;
  if (othersIn(context, 'Active').length === 0) return false;
  bootstrap.request();
  rejoin.ask();
  return bootstrap.blockingCount() === 0 && rejoin.pendingPartitions().length === 0;
}
