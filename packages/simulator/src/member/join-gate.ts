// When a member turns Active (marekvs.md 9 and H7): 2 s of sleep, then alone -> at once, only Joining others -> at 6 s,
// an Active other -> when nothing it must copy or verify is outstanding.

import type { Bootstrap } from './bootstrap.ts';
import { coldSettleMs, gatePollMs, gateSleepMs } from './constants.ts';
import { type MemberContext, othersIn } from './context.ts';
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
  const poll = () => {
    if (isReady(options, world.now() - startedAtMs)) options.open();
    else world.after(gatePollMs, poll);
  };
  world.after(gateSleepMs, poll);
}

function isReady({ context, bootstrap, rejoin }: JoinGateOptions, ageMs: number): boolean {
  const { settings, metrics, knobs, view } = context;
  if (knobs().neverLeavesJoining) return false;
  const isAlone = view().members.every((member) => member.id === settings.nodeId);
  if (isAlone) {
    // Nobody to compare with: a lone first member keeps everything it has (H1).
    rejoin.end();
    return true;
  }
  if (settings.joinTimeoutSeconds > 0 && ageMs > settings.joinTimeoutSeconds * 1_000) {
    metrics.add('join_gate_timeouts_total');
    return true;
  }
  if (othersIn(context, 'Active').length === 0) return ageMs >= coldSettleMs;
  bootstrap.request();
  rejoin.ask();
  return bootstrap.blockingCount() === 0 && rejoin.pendingPartitions().length === 0;
}
