// The members of one MAREKVS_CLUSTER as a converged cluster would see them: one shared view, no gossip, no data.
// For scale tests only; a member that must behave is member/member.ts.

import type { Phase } from '../member/basics/messages.ts';
import { type View, type ViewMember, viewOf } from '../member/membership/view.ts';

export class HollowGroup {
  readonly #members = new Map<number, ViewMember>();
  readonly #replicas: number;
  #view: View | undefined;
  #epoch = 0;

  constructor(replicas: number) {
    this.#replicas = replicas;
  }

  /** Computed when asked for, shared by all members until something changes. */
  get view(): View {
    if (this.#view === undefined) {
      const members = [...this.#members.values()].sort((a, b) => a.id - b.id);
      this.#view = viewOf(members, this.#replicas, this.#epoch);
    }
    return this.#view;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  set(member: ViewMember): void {
    this.#members.set(member.id, member);
    this.#changed();
  }

  setPhase(id: number, phase: Phase): void {
    const member = this.#members.get(id);
    if (member !== undefined) this.set({ ...member, phase });
  }

  /** Removes only this generation: a later process with the same id stays. */
  remove(member: Pick<ViewMember, 'id' | 'generation'>): void {
    if (this.#members.get(member.id)?.generation !== member.generation) return;
    this.#members.delete(member.id);
    this.#changed();
  }

  #changed(): void {
    this.#view = undefined;
    this.#epoch += 1;
  }
}
