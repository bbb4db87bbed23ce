// What SIGTERM starts (docs/design/server.md#ending-a-process): a fixed sleep, a bounded wait for the backlog, and the
// exit in any case. A member restarted without writes has a phantom backlog and always takes the full 9 s.

import { drainMaxMs, drainPollMs, drainSleepMs } from './basics/constants.ts';
import type { MemberWorld } from './basics/world.ts';

export function startDrain(world: MemberWorld, backlog: () => number, exit: (backlog: number) => void): void {
  let leftMs = drainMaxMs;
  const poll = () => {
    if (backlog() === 0 || leftMs <= 0) {
      exit(backlog());
      return;
    }
    leftMs -= drainPollMs;
    world.after(drainPollMs, poll);
  };
  world.after(drainSleepMs, poll);
}
