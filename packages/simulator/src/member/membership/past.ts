// What the data folder tells about earlier processes: whether this member is fresh, returning or expired, and which
// generation it may take (docs/design/server.md#returning, #h1, #h4, #h9).

import type { DiskFile, MemberWorld } from '../basics/world.ts';
import type { MemberSettings } from '../settings/settings.ts';

/** `expired`: down for longer than gc_grace, so it rejoins pull-only and may delete (H1). */
export type Past = 'fresh' | 'returning' | 'expired';

export function readPast(world: MemberWorld, settings: MemberSettings): Past {
  const stamp = Number(world.disk.read('alive:last') ?? Number.NaN);
  if (Number.isNaN(stamp)) return 'fresh';
  const ageSeconds = ((world.wallNow() - stamp) * world.speed) / 1_000;
  if (ageSeconds > settings.gcGraceSeconds) return 'expired';
  // Killed while joining: the bootstrap is resumed.
  return world.disk.read('join:pending') === undefined ? 'returning' : 'fresh';
}

/** Unix seconds at boot. Above real speed a restart can fit into one second, and gossip would take two processes for
 *  one: only then the generation is made higher than that of the previous process. */
export function takeGeneration(world: MemberWorld, wallMs: number): number {
  const seconds = Math.floor(wallMs / 1_000);
  if (world.speed === 1) return seconds;
  const last = Number(world.disk.read('generation') ?? 0);
  const generation = Math.max(seconds, last + 1);
  world.disk.write('generation', String(generation));
  return generation;
}

/** 40 hex digits, new with every boot. */
export function runIdOf(wallMs: number, nodeId: number): string {
  const micros = Math.floor(wallMs * 1_000);
  return micros.toString(16).padStart(24, '0').padEnd(32, '0') + nodeId.toString(16).padStart(8, '0');
}

/** A stored JSON list; empty when there is none or a kill left garbage. */
export function readList(world: MemberWorld, file: DiskFile): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(world.disk.read(file) ?? '[]');
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
