// Rebuilds the view from gossip once per tick and reports whether it changed. The knobs that make the view differ from
// gossip take effect here.

import type { GossipEntry } from '../basics/messages.ts';
import type { MemberKnobs } from '../settings/knobs.ts';
import { isSameMembers, membersOf, type View, type ViewMember, viewOf } from './view.ts';

export class ViewKeeper {
  readonly #replicas: number;
  readonly #knobs: () => MemberKnobs;
  #view: View;
  /** The inputs of the current view. */
  #seen: { readonly changes: number; readonly knobs: MemberKnobs } | undefined;

  constructor(replicas: number, knobs: () => MemberKnobs) {
    this.#replicas = replicas;
    this.#knobs = knobs;
    // Before the first tick there is no view: /ready says None.
    this.#view = viewOf([], replicas, 0);
  }

  get view(): View {
    return this.#view;
  }

  /** True when members, phases, addresses or generations changed. */
  rebuild(gossip: { readonly changes: number; liveEntries(): readonly GossipEntry[] }): boolean {
    const knobs = this.#knobs();
    if (knobs.frozenView) return false;
    const { changes } = gossip;
    if (this.#seen?.changes === changes && this.#seen.knobs === knobs) return false;
    this.#seen = { changes, knobs };
    const members = this.#disturb(membersOf(gossip.liveEntries()));
    if (isSameMembers(members, this.#view.members)) return false;
    this.#view = viewOf(members, this.#replicas, this.#view.epoch + 1);
    return true;
  }

  #disturb(members: readonly ViewMember[]): readonly ViewMember[] {
    const { keptInView, hiddenFromView } = this.#knobs();
    if (keptInView.length === 0 && hiddenFromView.length === 0) return members;
    const present = new Set(members.map((member) => member.id));
    const kept = this.#view.members.filter((member) => keptInView.includes(member.id) && !present.has(member.id));
    return [...members, ...kept].filter((member) => !hiddenFromView.includes(member.id)).sort((a, b) => a.id - b.id);
  }
}
