// The API server of the world behind the runtime's own client, on virtual time, with the world's part of the controller
// manager. There is no kubelet: a case in which one matters plays it.

import { createMemoryTransport } from '@marekvs/reliability';
import { MemoryApiServer, START_WALL_MS, seededRandom, VirtualClock, WorldLoop } from '../../src/index.ts';
import { startCollector } from '../../src/world/controllers/collector.ts';
import { Transcript } from '../../src/world/transcript.ts';
import type { Driver } from './bench.ts';

/** More virtual time than any case needs. */
const LIMIT_MS = 120_000;

export function startMemoryDriver(seed: number): Driver {
  const clock = new VirtualClock();
  const loop = new WorldLoop(clock);
  const nowMs = () => START_WALL_MS + clock.now();
  const server = new MemoryApiServer({ nowMs, random: seededRandom(seed) });
  startCollector({ server, clock, random: seededRandom(seed + 1) });
  let oldestVersion = 0;
  const transport = createMemoryTransport({
    world: { clock, loop, server, transcript: new Transcript(() => clock.now()) },
    who: 'contract',
    random: seededRandom(seed + 2),
    isAlive: () => true,
    crash: () => {},
    fateOf: () => 'pass',
    lagMs: () => 2,
    oldestVersion: () => oldestVersion,
  });
  return {
    transport,
    forgottenVersion() {
      oldestVersion = server.version;
      return '1';
    },
    async pass(work) {
      let isSettled = false;
      const done = work().finally(() => {
        isSettled = true;
      });
      done.catch(() => undefined);
      await loop.until(() => isSettled, LIMIT_MS, 'the end of the case', 0);
      return done;
    },
    stop: () => transport.close(),
  };
}
