// Clients that never hang up by themselves, as the pools of most libraries: a drained member goes on serving them, and
// acknowledges what they write until its process ends (docs/design/server.md#closed-door).

import type { MemberWorld, WriterRates } from '../../world/member-world.ts';

/** Clients that write to these members alone, by the address that each Pod has at the moment. */
export function pinClients(world: MemberWorld, ids: readonly number[], rates: WriterRates = {}): void {
  const everywhere = (): readonly string[] => ids.flatMap((id) => addressOf(world, id));
  world.startWriters({ clients: 2, writesPerSecond: 20, keys: 2_000, ...rates, isAware: false, everywhere });
}

/** Clients that write to any Pod at any moment, as by the headless name, which has the Pods that are not ready too. */
export function roamingClients(world: MemberWorld, rates: WriterRates = {}): void {
  const everywhere = (): readonly string[] => world.nodeIds().flatMap((id) => addressOf(world, id));
  world.startWriters({ clients: 3, writesPerSecond: 20, keys: 2_000, ...rates, isAware: false, everywhere });
}

function addressOf(world: MemberWorld, id: number): readonly string[] {
  const { podIP } = (world.pod(id)?.status ?? {}) as { readonly podIP?: string };
  return podIP === undefined ? [] : [podIP];
}
