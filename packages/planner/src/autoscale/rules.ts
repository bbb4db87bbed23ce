// The rules by which a cluster's size follows its load and its disks (docs/design/contract.md#sizing). Pure: plain
// numbers in, one verdict out, so that every line of the worked example is a test, and a whole day of load is a loop
// over this function.

import type { EffectiveClusterSpec, Reason } from '@marekvs/api';
import { minimumNodes } from '@marekvs/api';
import type { Hold } from '../values/hold.ts';
import { isWholeLoad, type Load } from './load.ts';

/** What the spec says about the size. */
export interface SizingRules {
  /** The cluster is never smaller: `minNodes`, and at least one more than every key has homes. */
  readonly floor: number;
  /** The cluster does not grow beyond this. Not below the floor. */
  readonly ceiling: number;
  /** Commands per second one node should carry; undefined: not sized by load. */
  readonly targetOps: number | undefined;
  /** Fill level in percent that no volume should pass; undefined: not sized by disk. */
  readonly targetDiskPercent: number | undefined;
  /** Between a change of size and the next growth. */
  readonly cooldownMs: number;
  /** How long the load has to stay low before one node goes; also between a change of size and the next removal. */
  readonly windowMs: number;
}

/** Fill levels in percent of the fullest volume. */
export interface DiskFill {
  /** Of the volumes that are known, so a lower bound; undefined while none is. */
  readonly now: number | undefined;
  /** As predicted for one node less; undefined while that is not known. */
  readonly afterRemoval: number | undefined;
  readonly fullest: string | undefined;
}

export interface SizingInputs {
  /** The size that is in force. */
  readonly size: number;
  readonly load: Load;
  readonly disk: DiskFill;
  /** Milliseconds since the size changed last. */
  readonly decidedForMs: number;
  /** How long one node less would have done without a break; undefined while it would not. */
  readonly lowForMs: number | undefined;
  /** Fill level at which a node was last added for the disks; undefined when that was not the last decision. */
  readonly grownAtPercent: number | undefined;
  /** Why nothing may be added, or taken away, now. */
  readonly growthHold: Hold | undefined;
  readonly shrinkHold: Hold | undefined;
}

export interface SizingVerdict {
  /** The size to be in force from now on. */
  readonly size: number;
  /** What made the size change, or what keeps it. */
  readonly reason: Reason;
  /** What the load and the disks ask for, before floor and ceiling; undefined while that is not known. */
  readonly ideal: number | undefined;
  /** Milliseconds until the size would change if nothing else did; undefined when it would not. */
  readonly changesInMs: number | undefined;
  /** The size it would have then. */
  readonly next: number;
  /** What keeps it from changing, besides time. */
  readonly hold: Hold | undefined;
  /** It has to be measured more closely before the size may change. */
  readonly needsSharpLoad: boolean;
}

/** Share of the target below which the load of each node has to stay after one of them has gone: between this and the
 *  target nothing changes. */
export const SHRINK_SHARE = 0.6;
/** A node is added this many points before the target fill level: it takes a while to join, and its disk is empty. */
const DISK_MARGIN_POINTS = 10;
/** Members never give disk space back when others join (docs/design/server.md#joining). So the next node is added only
 *  when disks fill further: by half of what is left to the target, but no less than this many points. */
const DISK_STEP_POINTS = 2;

export function sizingRules(spec: EffectiveClusterSpec): SizingRules | undefined {
  const { autoscale } = spec;
  if (autoscale === undefined) return undefined;
  const floor = Math.max(autoscale.minNodes, minimumNodes(spec));
  return {
    floor,
    ceiling: Math.max(autoscale.maxNodes, floor),
    targetOps: autoscale.targetOpsPerNode,
    targetDiskPercent: autoscale.targetDiskPercent,
    cooldownMs: autoscale.scaleUpCooldownSeconds * 1000,
    windowMs: autoscale.scaleDownStabilizationSeconds * 1000,
  };
}

/** The size to be in force, and why. */
export function decideSize(rules: SizingRules, inputs: SizingInputs): SizingVerdict {
  const ideal = idealSize(rules, inputs);
  return growth(rules, inputs, ideal) ?? shrinking(rules, inputs, ideal);
}

/** Nodes the load asks for; undefined while no member's load is known, or the size does not follow the load. */
export function idealByLoad({ targetOps }: SizingRules, load: Load): number | undefined {
  if (targetOps === undefined || load.members === load.missing.length) return undefined;
  return Math.max(1, Math.ceil(load.opsPerSecond / targetOps));
}

/** Commands per second of all members between which a cluster of that size stays as it is. */
export function loadBand(
  targetOps: number,
  size: number,
): { readonly growsAbove: number; readonly shrinksBelow: number } {
  return { growsAbove: targetOps * size, shrinksBelow: SHRINK_SHARE * targetOps * (size - 1) };
}

/** One node less would do, now: what has to stay so for the whole window. */
export function isLow(rules: SizingRules, { size, load, disk }: Pick<SizingInputs, 'size' | 'load' | 'disk'>): boolean {
  if (size <= rules.floor) return false;
  const { targetOps, targetDiskPercent } = rules;
  if (targetOps !== undefined && !isWholeLoad(load)) return false;
  if (targetDiskPercent !== undefined && disk.afterRemoval === undefined) return false;
  if (size > rules.ceiling) return true;
  const isLoadLow = targetOps === undefined || load.opsPerSecond < loadBand(targetOps, size).shrinksBelow;
  return isLoadLow && isDiskLow(rules, disk);
}

/** Sized by disks alone, a node goes as late as by load alone. Beside the load, disks only keep a node that would be
 *  missed. */
function isDiskLow({ targetOps, targetDiskPercent }: SizingRules, { afterRemoval = 0 }: DiskFill): boolean {
  if (targetDiskPercent === undefined) return true;
  const growsAt = targetDiskPercent - DISK_MARGIN_POINTS;
  return afterRemoval < (targetOps === undefined ? SHRINK_SHARE * targetDiskPercent : growsAt - DISK_STEP_POINTS);
}

function idealSize(rules: SizingRules, inputs: SizingInputs): number | undefined {
  const sizes = [idealByLoad(rules, inputs.load), idealByDisk(rules, inputs)].filter((size) => size !== undefined);
  return sizes.length === 0 ? undefined : Math.max(...sizes);
}

/** One node more than there are once the fullest volume comes near the target; else 1, since disks then ask for no
 *  size. Undefined while not known. */
function idealByDisk({ targetDiskPercent }: SizingRules, { size, disk, grownAtPercent }: SizingInputs) {
  if (targetDiskPercent === undefined || disk.now === undefined) return undefined;
  return disk.now >= growsAtPercent(targetDiskPercent, grownAtPercent) ? size + 1 : 1;
}

/** Fill level of the fullest volume at which a node is added. */
export function growsAtPercent(targetPercent: number, grownAtPercent: number | undefined): number {
  const first = targetPercent - DISK_MARGIN_POINTS;
  if (grownAtPercent === undefined || grownAtPercent < first) return first;
  return grownAtPercent + Math.max(DISK_STEP_POINTS, (targetPercent - grownAtPercent) / 2);
}

function growth(rules: SizingRules, inputs: SizingInputs, ideal: number | undefined): SizingVerdict | undefined {
  const { size, load, decidedForMs, growthHold } = inputs;
  const { floor, ceiling, cooldownMs } = rules;
  const wanted = Math.min(Math.max(ideal ?? floor, floor), Math.max(ceiling, size));
  const base = { ideal, next: wanted, needsSharpLoad: false };
  const asked = ideal ?? 0;
  if (wanted <= size)
    // More is asked for than the spec allows.
    return asked > ceiling && size >= ceiling
      ? { ...base, size, next: size, reason: 'AtMaxNodes', changesInMs: undefined, hold: undefined }
      : undefined;
  const reason = size < floor ? 'BelowMinNodes' : growthReason(rules, inputs);
  if (growthHold !== undefined) return { ...base, size, reason, changesInMs: undefined, hold: growthHold };
  const waitMs = size < floor ? 0 : cooldownMs - decidedForMs;
  if (waitMs > 0) return { ...base, size, reason, changesInMs: waitMs, hold: undefined };
  // A long measurement shows only part of a step in the load, and the cooldown would begin before the rest is seen.
  if (reason === 'LoadAboveTarget' && !load.isSharp)
    return { ...base, size, reason, changesInMs: 0, hold: undefined, needsSharpLoad: true };
  return { ...base, size: wanted, reason, changesInMs: 0, hold: undefined };
}

function growthReason(rules: SizingRules, inputs: SizingInputs): Reason {
  const byLoad = idealByLoad(rules, inputs.load) ?? 0;
  return byLoad > inputs.size ? 'LoadAboveTarget' : 'DiskAboveTarget';
}

function shrinking(rules: SizingRules, inputs: SizingInputs, ideal: number | undefined): SizingVerdict {
  const { size, decidedForMs, lowForMs, shrinkHold } = inputs;
  const stays = { size, ideal, next: size, changesInMs: undefined, hold: undefined, needsSharpLoad: false };
  if (size <= rules.floor) return { ...stays, reason: 'AtMinNodes' };
  if (!isKnown(rules, inputs)) return { ...stays, reason: 'NoLoadSignal' };
  if (!isLow(rules, inputs)) return { ...stays, reason: 'LoadWithinTarget' };
  const reason = size > rules.ceiling ? 'AboveMaxNodes' : 'LoadBelowTarget';
  const base = { ...stays, next: size - 1, reason } as const;
  if (shrinkHold !== undefined) return { ...base, hold: shrinkHold };
  const waitMs = Math.max(rules.windowMs - (lowForMs ?? 0), rules.windowMs - decidedForMs);
  if (waitMs > 0 || lowForMs === undefined) return { ...base, changesInMs: Math.max(0, waitMs) };
  return { ...base, size: size - 1, changesInMs: 0 };
}

function isKnown({ targetOps, targetDiskPercent }: SizingRules, { load, disk }: SizingInputs): boolean {
  const isLoadKnown = targetOps === undefined || isWholeLoad(load);
  return isLoadKnown && (targetDiskPercent === undefined || disk.now !== undefined);
}
