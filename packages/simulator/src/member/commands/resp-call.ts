// One command being served: its connection, its arguments and how to answer it.

import type { ServedMember } from '../interfaces/served-member.ts';
import type { Reply } from './resp-wire.ts';

/** The connection of a command, as far as commands may change it. */
export interface CallSession {
  /** Of this process: the first has 1. */
  readonly id: number;
  isAuthenticated: boolean;
  protocol: 2 | 3;
  /** Ends the connection after what was already answered. Idempotent. */
  close(): void;
}

/** `answer` is called exactly once, now or later. */
export interface Call {
  readonly member: ServedMember;
  readonly session: CallSession;
  /** Lower-cased name; `args` excludes it. */
  readonly command: string;
  readonly args: readonly string[];
  answer(reply: Reply): void;
}

export type Command = (call: Call) => void;
