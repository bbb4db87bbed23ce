// What a network of members in memory is made with, and what each process in it is started with.

import type { Environment } from '../member/settings/settings.ts';
import type { MemoryDisk } from './memory-disk.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A member's name in the network; a number is its node id too. */
export type MemberName = number | string;

/** Used in place of a member's name for all observers. */
export const OBSERVERS = 'observers';

export interface MemberNetworkOptions {
  readonly seed: number;
  /** Default: a clock of its own. */
  readonly clock?: VirtualClock;
  /** MAREKVS_REPLICAS_N of every member, default 2. */
  readonly replicas?: number;
  readonly cluster?: string;
  /** One-way delay, uniform; default 0.2 to 1 ms. */
  readonly latencyMs?: readonly [number, number];
  /** Wall clock at virtual time 0. */
  readonly startWallMs?: number;
}

export interface StartOptions {
  /** MAREKVS_NODE_ID; default the name when it is a number. */
  readonly id?: number;
  readonly ip?: string;
  /** host:port or names; default every member ever started here. */
  readonly seeds?: readonly string[];
  /** MAREKVS_* on top of what the network sets. */
  readonly env?: Environment;
  readonly knobs?: Readonly<Record<string, unknown>>;
  /** Added to this member's wall clock. */
  readonly wallSkewMs?: number;
  /** Default: the folder of this name, kept between its processes. */
  readonly disk?: MemoryDisk;
  /** Called when the process ended, with its exit code or undefined when it was killed. Not called for an earlier
   *  process of the same name. */
  readonly onEnd?: (exitCode: number | undefined) => void;
}
