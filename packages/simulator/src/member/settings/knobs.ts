// Everything a test can make worse about one member (docs/design/server.md#a-simulated-member). Plain data, read where
// it takes effect. The control HTTP port and the in-memory driver both change it through `applyKnobs`.

import {
  copyRecordsPerSecond,
  differingPartitionMs,
  hyperLogLogRegisters,
  maxFrameBytes,
} from '../basics/constants.ts';
import { InvalidKnobError } from '../basics/errors.ts';
import { HOSTILITIES, type Hostility } from './hostility.ts';
import { RECORD_ANSWERS, type RecordAnswers } from './spoilt-records.ts';

/** Packets that are lost, of one lane and direction. Datagrams are lost for good; TCP repeats its packets until the
 *  connection ends. `peer` is an IP address or `*`. */
export interface Drop {
  readonly peer: string;
  readonly lane: 'udp' | 'tcp';
  readonly direction: 'in' | 'out';
}

export interface MemberKnobs {
  readonly drops: readonly Drop[];
  /** By how many member milliseconds every outgoing digest is delayed. */
  readonly gossipDelayMs: number;
  /** How `/metrics` answers. */
  readonly metrics: 'ok' | 'hang' | 'error' | 'garbage';
  /** Metrics missing from `/metrics`, as with another version of the server. */
  readonly hiddenMetrics: readonly string[];
  /** Values that `/metrics` shows instead of the true ones. */
  readonly shownMetrics: Readonly<Record<string, number>>;
  /** The store does not answer: `/alive` is 503 and commands hang. */
  readonly slowStore: boolean;
  /** Records per second this member repairs by anti-entropy. */
  readonly copyRecordsPerSecond: number;
  /** Probability that a repair message is lost; nothing counts it. */
  readonly repairDropRate: number;
  /** Milliseconds it takes to list a partition whose root differs. When many roots differ, anti-entropy falls behind
   *  while pushes go on. */
  readonly differingPartitionMs: number;
  /** How the mesh port answers observers, which compare contents. */
  readonly contents: 'ok' | 'hang' | 'close' | 'garbage';
  /** What it does to whoever asks it. */
  readonly hostile: readonly Hostility[];
  /** How it answers observers that ask for records. */
  readonly records: RecordAnswers;
  /** Registers of a HyperLogLog, at most 16,384 as on the real server. */
  readonly hyperLogLogRegisters: number;
  /** Milliseconds for which anti-entropy messages queue at this member before they are handled; the repair counter does
   *  not rise meanwhile. */
  readonly laneDelayMs: number;
  /** Probability that a pushed version is lost (only anti-entropy heals it). */
  readonly pushLossRate: number;
  /** After an MSET of n keys the next n-1 writes are not pushed (docs/design/server.md#what-pushing-misses). */
  readonly msetHole: boolean;
  /** Probability that a commit's hook runs after a later one's (docs/design/server.md#what-pushing-misses). */
  readonly reorderRate: number;
  /** Versions larger than this never replicate. */
  readonly maxFrameBytes: number;
  /** Own writes per second on `backgroundKeys` keys. */
  readonly backgroundWritesPerSecond: number;
  readonly backgroundKeys: number;
  /** Part of the background writes that `commands_total` does not count (EXEC). */
  readonly uncountedShare: number;
  /** Added to the real number of clients. */
  readonly extraClients: number;
  /** Up to this many repairs per round are counted at rest: cache refreshes and tombstone ping-pong. */
  readonly repairNoise: number;
  readonly diskTotalBytes: number | undefined;
  readonly diskAvailableBytes: number | undefined;
  /** Donor side: accepts bootstrap requests and never streams. */
  readonly bootstrapHangs: boolean;
  readonly neverLeavesJoining: boolean;
  readonly ignoresSigterm: boolean;
  /** `/ready` shows another incarnation's phase (H3 without a second process). */
  readonly reportsPhase: 'Joining' | 'Active' | 'Leaving' | undefined;
  /** The gossip task has died: the view never changes again while `/ready` stays as it was. */
  readonly frozenView: boolean;
  /** Ids kept in this member's view although gossip has lost them. */
  readonly keptInView: readonly number[];
  /** Ids hidden from this member's view although gossip knows them. */
  readonly hiddenFromView: readonly number[];
  /** Mesh connections are closed at Hello while gossip looks healthy. */
  readonly meshVersionMismatch: boolean;
  /** Added to the wall clock. */
  readonly clockStepMs: number;
  /** Added to `join_gate_pending_pids` for ever, harmless (docs/design/server.md#metrics). */
  readonly stuckGatePartitions: number;
}

export const defaultKnobs: MemberKnobs = {
  drops: [],
  gossipDelayMs: 0,
  metrics: 'ok',
  hiddenMetrics: [],
  shownMetrics: {},
  slowStore: false,
  copyRecordsPerSecond,
  repairDropRate: 0,
  differingPartitionMs,
  contents: 'ok',
  hostile: [],
  records: 'ok',
  hyperLogLogRegisters,
  laneDelayMs: 0,
  pushLossRate: 0,
  msetHole: true,
  reorderRate: 0.000_1,
  maxFrameBytes,
  backgroundWritesPerSecond: 0,
  backgroundKeys: 2_000,
  uncountedShare: 0,
  extraClients: 0,
  repairNoise: 0,
  diskTotalBytes: undefined,
  diskAvailableBytes: undefined,
  bootstrapHangs: false,
  neverLeavesJoining: false,
  ignoresSigterm: false,
  reportsPhase: undefined,
  frozenView: false,
  keptInView: [],
  hiddenFromView: [],
  meshVersionMismatch: false,
  clockStepMs: 0,
  stuckGatePartitions: 0,
};

/** `knobs` with `changes` laid over it; `null` puts a knob back to its default.
 *  @throws InvalidKnobError an unknown name or a value of the wrong type */
export function applyKnobs(knobs: MemberKnobs, changes: Readonly<Record<string, unknown>>): MemberKnobs {
  const next: Record<string, unknown> = { ...knobs };
  for (const [name, value] of Object.entries(changes)) {
    if (!isKnobName(name)) throw new InvalidKnobError(name, 'is unknown');
    const problem = value === null ? undefined : problemOf(name, value);
    if (problem !== undefined) throw new InvalidKnobError(name, problem);
    next[name] = value === null ? defaultKnobs[name] : value;
  }
  return { ...knobs, ...next };
}

function isKnobName(name: string): name is keyof MemberKnobs {
  return Object.hasOwn(defaultKnobs, name);
}

const choices: Partial<Record<keyof MemberKnobs, readonly string[]>> = {
  metrics: ['ok', 'hang', 'error', 'garbage'],
  contents: ['ok', 'hang', 'close', 'garbage'],
  records: RECORD_ANSWERS,
  reportsPhase: ['Joining', 'Active', 'Leaving'],
};

function problemOf(name: keyof MemberKnobs, value: unknown): string | undefined {
  const allowed = choices[name];
  if (allowed !== undefined) {
    return typeof value === 'string' && allowed.includes(value) ? undefined : `must be one of ${allowed.join(', ')}`;
  }
  if (name === 'drops') return Array.isArray(value) && value.every(isDrop) ? undefined : 'must be a list of drops';
  if (name === 'keptInView' || name === 'hiddenFromView') {
    return Array.isArray(value) && value.every((id) => Number.isInteger(id)) ? undefined : 'must be a list of ids';
  }
  if (name === 'hostile') {
    return Array.isArray(value) && value.every((one) => HOSTILITIES.includes(one))
      ? undefined
      : `must be a list of ${HOSTILITIES.join(', ')}`;
  }
  if (name === 'hiddenMetrics') {
    return Array.isArray(value) && value.every((metric) => typeof metric === 'string')
      ? undefined
      : 'must be a list of names';
  }
  if (name === 'shownMetrics') return isFigures(value) ? undefined : 'must be figures by their names';
  const kind = typeof (defaultKnobs[name] ?? 0);
  if (kind === 'number') {
    return typeof value === 'number' && Number.isFinite(value) ? undefined : 'must be a number';
  }
  return typeof value === kind ? undefined : `must be a ${kind}`;
}

function isFigures(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && Object.values(value).every((figure) => typeof figure === 'number')
  );
}

function isDrop(value: unknown): value is Drop {
  if (typeof value !== 'object' || value === null) return false;
  const drop = value as Partial<Record<keyof Drop, unknown>>;
  return (
    typeof drop.peer === 'string' &&
    (drop.lane === 'udp' || drop.lane === 'tcp') &&
    (drop.direction === 'in' || drop.direction === 'out')
  );
}
