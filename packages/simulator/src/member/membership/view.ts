// The list of members this member acts on: one entry per id, the lowest generation winning
// (docs/design/server.md#generations), and the resulting placement. Liveness is decided in gossip.ts.

import type { GossipEntry, Phase } from '../basics/messages.ts';
import { type Placement, placementFor } from './placement.ts';

export interface ViewMember {
  readonly id: number;
  readonly generation: number;
  readonly gossipAddress: string;
  readonly meshAddress: string;
  readonly respAddress: string;
  readonly phase: Phase;
}

export interface View {
  readonly members: readonly ViewMember[];
  readonly placement: Placement;
  /** Counts changes of this member's own view; not comparable between members. */
  readonly epoch: number;
}

/** One member per id. `entries` come sorted by (id, generation, address): the oldest incarnation shadows newer ones. */
export function membersOf(entries: readonly GossipEntry[]): ViewMember[] {
  const members: ViewMember[] = [];
  for (const entry of entries) {
    if (members.at(-1)?.id === entry.id) continue;
    members.push({
      id: entry.id,
      generation: entry.generation,
      gossipAddress: entry.address,
      meshAddress: entry.values.mesh_addr,
      respAddress: entry.values.resp_addr,
      phase: entry.values.state,
    });
  }
  return members;
}

export function viewOf(members: readonly ViewMember[], replicas: number, epoch: number): View {
  const candidates = members
    .filter((member) => member.phase !== 'Joining')
    .map((member) => ({ id: member.id, isLeaving: member.phase === 'Leaving' }));
  return { members, placement: placementFor(candidates, replicas), epoch };
}

export function isSameMembers(a: readonly ViewMember[], b: readonly ViewMember[]): boolean {
  return a.length === b.length && a.every((member, index) => isSameMember(member, b[index]));
}

function isSameMember(a: ViewMember, b: ViewMember | undefined): boolean {
  return (
    b !== undefined &&
    a.id === b.id &&
    a.generation === b.generation &&
    a.phase === b.phase &&
    a.gossipAddress === b.gossipAddress &&
    a.respAddress === b.respAddress &&
    a.meshAddress === b.meshAddress
  );
}
