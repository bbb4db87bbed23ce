// When does anything run in one process of the operator? By its own clock, after the thaw of a frozen process, and
// never again once it has died.

import type { Clock, Timer } from '@marekvs/runtime';
import type { KubeWorld } from '@marekvs/simulator';

const STEPS_PER_MS = 1_024;

/** Delivers input to a process: at once, or after the thaw. */
export function createFreezer(): { deliver(run: () => void): void; freeze(): void; thaw(): void } {
  const held: (() => void)[] = [];
  let isFrozen = false;
  return {
    deliver(run) {
      if (isFrozen) held.push(run);
      else run();
    },
    freeze() {
      isFrozen = true;
    },
    thaw() {
      isFrozen = false;
      for (const run of held.splice(0)) run();
    },
  };
}

/** Timers of a process that has died never fire. */
export function createProcessClock(
  world: KubeWorld,
  isAlive: () => boolean,
  skewMs: number,
  deliver: (run: () => void) => void,
): Clock {
  const startedAtMs = Math.floor(world.clock.now());
  const elapsedMs = () => world.clock.now() - startedAtMs;
  const after = (ms: number, fn: () => void): Timer => {
    let isCancelled = false;
    // Rounded up to the clock's resolution: a caller that waits for the rest would otherwise never get there.
    const cancel = world.clock.after(Math.ceil(ms * STEPS_PER_MS) / STEPS_PER_MS, () => {
      if (!isAlive()) return;
      world.loop.touch();
      deliver(() => {
        if (isAlive() && !isCancelled) fn();
      });
    });
    return {
      cancel() {
        isCancelled = true;
        cancel();
      },
    };
  };
  return {
    nowMs: () => world.nowMs() + skewMs,
    monotonicMs: elapsedMs,
    steadyMs: elapsedMs,
    after,
    delay(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(signal.reason);
          return;
        }
        const timer = after(ms, () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        });
        const onAbort = (): void => {
          timer.cancel();
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', onAbort, { once: true });
      });
    },
  };
}
