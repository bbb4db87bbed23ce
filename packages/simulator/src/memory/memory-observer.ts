// An observer's connections to the mesh port of one process of the in-memory driver: one for questions and answers, and
// one of the bulk kind for streams. No pings are sent: a reachable observer counts as heard, which costs no events.

import { observerNode } from '../member/basics/constants.ts';
import type { ContentAnswer, ContentQuestion } from '../member/basics/messages.ts';
import { MemoryLink, type MemoryNode, runIn } from './memory-node.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** The address of observers, for members' drops and for cuts. */
export const OBSERVER_HOST = '127.0.0.1';

export interface ObserverEvents {
  /** The member has sent its Hello. */
  greeted(nodeId: number): void;
  answered(answers: readonly ContentAnswer[]): void;
  closed(): void;
}

export interface ObserverLink {
  /** Lost silently when the member cannot be reached. */
  ask(questions: readonly ContentQuestion[]): void;
  close(): void;
}

export interface ObserverNetwork {
  readonly clock: VirtualClock;
  readonly latencyMs: () => number;
  readonly isCut: (from: string, to: string) => boolean;
}

/** Opens the connection and sends Hello. A frozen member sends nothing. */
export function observe(
  network: ObserverNetwork,
  node: MemoryNode,
  events: ObserverEvents,
  isBulk: boolean,
): ObserverLink {
  const { clock, latencyMs, isCut } = network;
  let isOpen = true;
  const inbound = inOrder(clock, latencyMs);
  const outbound = inOrder(clock, latencyMs);
  const back = (run: () => void) => {
    if (isOpen && !isCut(node.ip, OBSERVER_HOST)) inbound(() => isOpen && run());
  };
  const link = new MemoryLink(
    node,
    OBSERVER_HOST,
    (_from, message) => {
      if (message.kind === 'hello') back(() => events.greeted(message.id));
      if (message.kind === 'answered') back(() => events.answered(message.answers));
      return true;
    },
    () => back(() => events.closed()),
  );
  link.isKeptAlive = () => isOpen && !isCut(OBSERVER_HOST, node.ip);
  const forth = (run: () => void) => {
    if (!isCut(OBSERVER_HOST, node.ip)) outbound(() => runIn(node, () => link.isOpen && run()));
  };
  forth(() => {
    node.member.meshOpened(link);
    node.member.meshReceived(link, { kind: 'hello', id: observerNode, isBulk });
  });
  return {
    ask: (questions) => forth(() => node.member.meshReceived(link, { kind: 'asked', questions })),
    close() {
      if (!isOpen) return;
      isOpen = false;
      forth(() => {
        link.isOpen = false;
        node.links.delete(link);
        node.member.meshClosed(link);
      });
    },
  };
}

/** Frames of one direction never overtake each other. */
function inOrder(clock: VirtualClock, latencyMs: () => number): (run: () => void) => void {
  let busyUntilMs = 0;
  return (run) => {
    busyUntilMs = Math.max(busyUntilMs, clock.now() + latencyMs());
    clock.after(busyUntilMs - clock.now(), run);
  };
}
