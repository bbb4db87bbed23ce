// One process of the in-memory driver: a member, its folder, and whether it is running, frozen or gone.

import type { MeshMessage } from '../member/basics/messages.ts';
import type { MeshLink } from '../member/basics/world.ts';
import type { SimulatedMember } from '../member/member.ts';
import type { MemoryDisk } from './memory-disk.ts';

export interface MemoryNode {
  readonly name: string;
  readonly ip: string;
  readonly disk: MemoryDisk;
  readonly member: SimulatedMember;
  readonly links: Set<MemoryLink>;
  isUp: boolean;
  isFrozen: boolean;
  /** Where clients reach it. */
  isRespOpen: boolean;
  exitCode: number | undefined;
  /** Work that arrived while frozen. */
  frozenWork: (() => void)[];
  readonly onEnd: ((exitCode: number | undefined) => void) | undefined;
}

/** One side of a mesh connection. */
export class MemoryLink implements MeshLink {
  readonly remoteHost: string;
  readonly owner: MemoryNode;
  other: MemoryLink | undefined;
  isOpen = true;
  /** Frames of one direction never overtake each other. */
  busyUntilMs = 0;
  /** Replaced for observers, which send no pings here. */
  isKeptAlive: () => boolean = () => false;
  /** Frames held up by a cut, in order. */
  delayed: MeshMessage[] = [];
  readonly #deliver: (from: MemoryLink, message: MeshMessage) => boolean;
  readonly #hangUp: (from: MemoryLink) => void;

  constructor(
    owner: MemoryNode,
    remoteHost: string,
    deliver: (from: MemoryLink, message: MeshMessage) => boolean,
    hangUp: (from: MemoryLink) => void,
  ) {
    this.owner = owner;
    this.remoteHost = remoteHost;
    this.#deliver = deliver;
    this.#hangUp = hangUp;
    owner.links.add(this);
  }

  send(message: MeshMessage): boolean {
    return this.isOpen && this.#deliver(this, message);
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.owner.links.delete(this);
    this.#hangUp(this);
  }
}

/** Runs `work` in the node's process: now, after it is thawed, or never. */
export function runIn(node: MemoryNode, work: () => void): void {
  if (!node.isUp) return;
  if (node.isFrozen) node.frozenWork.push(work);
  else work();
}
