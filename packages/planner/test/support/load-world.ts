// A cluster as far as its size is concerned, second by second: a load, members that take a while to join, readings that
// may be missing, and the rules. No API server and no members: those are in packages/reliability.

import { loadOf, type MemberLoad } from '../../src/autoscale/load.ts';
import { type Measuring, nextMeasuring } from '../../src/autoscale/measuring.ts';
import { decideSize, isLow, type SizingRules, type SizingVerdict } from '../../src/autoscale/rules.ts';
import { hold } from '../../src/index.ts';

export interface Trace {
  /** Commands per second of all clients at this second. */
  readonly opsAt: (second: number) => number;
  readonly seconds: number;
  /** The part of it that goes to one member, however many there are. @default 0 */
  readonly hotShare?: number;
  /** True while there are no figures of member 0. */
  readonly isMissing?: (second: number) => boolean;
  /** Seconds from one reading of the load to the next: a day is not sampled every second. @default 1 */
  readonly every?: number;
  /** @default 40, as the server takes for its first growth (docs/design/server.md#joining) */
  readonly joinSeconds?: number;
}

export interface Change {
  readonly second: number;
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

export interface Told {
  readonly changes: readonly Change[];
  /** The size at each second. */
  readonly sizes: readonly number[];
  readonly last: SizingVerdict;
}

const NO_DISK = { now: undefined, afterRemoval: undefined, fullest: undefined };
/** As the operator measures: over 5 s, every second once a rise was seen. */
const WINDOW = 5;
/** Growth from one second to the next that counts as a rise; smaller changes are usual. */
const RISE = 0.1;

/** Follows the size through a trace. */
export function follow(
  rules: SizingRules,
  { opsAt, seconds, every = 1, hotShare = 0, isMissing, joinSeconds = 40 }: Trace,
  from: number,
): Told {
  let size = from;
  let serving = from;
  let decidedAt = Number.NEGATIVE_INFINITY;
  let joinedAt = 0;
  let lowSince: number | undefined;
  let measuring: Measuring | undefined;
  let opsBefore = 0;
  let last: SizingVerdict | undefined;
  const sizes: number[] = [];
  const changes: Change[] = [];
  for (let second = 0; second < seconds; second += every) {
    if (second >= joinedAt) serving = size;
    const ops = measuredOps(second);
    const isRising = ops > (1 + RISE) * opsBefore && ops > size * (rules.targetOps ?? Number.POSITIVE_INFINITY);
    opsBefore = ops;
    if (isRising || last?.needsSharpLoad === true) measuring = nextMeasuring(measuring, isRising, second * 1000);
    const load = loadOf(membersAt(second, ops), second * 1000, measuring?.sinceMs);
    lowSince = isLow(rules, { size, load, disk: NO_DISK }) ? (lowSince ?? second) : undefined;
    last = decideSize(rules, {
      size,
      load,
      disk: NO_DISK,
      decidedForMs: (second - decidedAt) * 1000,
      lowForMs: lowSince === undefined ? undefined : (second - lowSince) * 1000,
      grownAtPercent: undefined,
      growthHold: serving < size ? hold('MemberJoining', 'joins first') : undefined,
      shrinkHold: serving < size ? hold('MemberJoining', 'joins first') : undefined,
    });
    if (last.size !== size) {
      changes.push({ second, from: size, to: last.size, reason: last.reason });
      joinedAt = last.size > size ? second + joinSeconds : joinedAt;
      size = last.size;
      serving = Math.min(serving, size);
      decidedAt = second;
      lowSince = undefined;
    }
    for (let at = second; at < Math.min(second + every, seconds); at += 1) sizes.push(size);
  }
  if (last === undefined) throw new Error('a trace lasts at least a second');
  return { changes, sizes, last };

  /** Over the window that ends with this second. */
  function measuredOps(second: number): number {
    let sum = 0;
    for (let back = 1; back <= WINDOW; back += 1) sum += opsAt(Math.max(0, second - back));
    return sum / WINDOW;
  }

  function membersAt(second: number, ops: number): readonly MemberLoad[] {
    return Array.from({ length: serving }, (_, id) => {
      const share = (1 - hotShare) / serving + (id === 0 ? hotShare : 0);
      const isKnown = id > 0 || isMissing?.(second) !== true;
      return {
        name: `demo-${id}`,
        opsPerSecond: isKnown ? ops * share : undefined,
        fromMs: (second - WINDOW) * 1000,
        toMs: second * 1000,
      };
    });
  }
}

/** Removals sooner than a window after the last change of size. Growth soon after a removal is not counted, since the
 *  load may have risen again. */
export function flaps({ changes }: Told, windowSeconds: number): readonly Change[] {
  return changes.filter((change, index) => {
    const before = changes[index - 1];
    return before !== undefined && change.to < change.from && change.second - before.second < windowSeconds;
  });
}
