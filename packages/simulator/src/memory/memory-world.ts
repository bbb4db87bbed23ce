// What a member in memory has around it: the virtual clock, its folder, and the paths to the other members.

import type { MemberWorld } from '../member/basics/world.ts';
import { hostOf, isDoorOpen } from '../member/settings/settings.ts';
import type { MemoryDisk } from './memory-disk.ts';
import { type MemoryNode, runIn } from './memory-node.ts';
import type { MemoryPaths } from './memory-paths.ts';
import type { SeededRandom } from './random.ts';
import type { VirtualClock } from './virtual-clock.ts';

interface MemoryWorldOptions {
  /** The process; not there yet while its member is being made. */
  readonly self: () => MemoryNode;
  readonly disk: MemoryDisk;
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  readonly paths: MemoryPaths;
  /** What cluster DNS would answer. */
  readonly hosts: ReadonlyMap<string, readonly string[]>;
  /** The wall clock of this member. */
  readonly wallNow: () => number;
  /** The process ends. */
  readonly end: (self: MemoryNode) => void;
}

export function memoryWorld({
  self,
  disk,
  clock,
  random,
  paths,
  hosts,
  wallNow,
  end,
}: MemoryWorldOptions): MemberWorld {
  return {
    now: () => clock.now(),
    wallNow,
    speed: 1,
    random,
    skipRandom: random.skip,
    after: (delayMs, run) => clock.after(delayMs, () => runIn(self(), run)),
    sendGossip: (to, message) => {
      const from = self();
      paths.sendDatagram(from, hostOf(to), (target) => target.member.receiveGossip(message, from.ip));
    },
    dialMesh: (to, opened) => paths.dial(self(), hostOf(to), opened),
    resolve: (host, found) => {
      clock.after(paths.latency(), () => runIn(self(), () => found(hosts.get(host) ?? [])));
    },
    disk,
    setRespOpen: (isOpen) => {
      self().isRespOpen = isOpen && isDoorOpen(self().member.settings);
    },
    exit: (code) => {
      self().exitCode = code;
      end(self());
    },
    log: () => undefined,
  };
}
