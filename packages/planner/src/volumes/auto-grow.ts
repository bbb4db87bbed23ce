// Answers: is a volume to grow because it fills up, and by how much? Unknown figures are never a reason. The size is
// raised on the MarekvsNode together with the time, so that the next process of the operator knows of it.

import { type EffectiveAutoGrow, type EffectiveClusterSpec, stageOf, tryParseQuantity } from '@marekvs/api';
import { needsReplacement } from '../members/replacement.ts';
import type { NodeRecord } from '../observation/node-record.ts';
import type { ClusterObservation } from '../observation/observation.ts';
import { type Hold, hold } from '../values/hold.ts';
import { isLarger, volumeHold } from './claim-change.ts';
import { fillPercent } from './disk-fill.ts';

export interface AutoGrowth {
  readonly size: string;
  /** One sentence with the figures. */
  readonly why: string;
}

/** Older figures do not count: an idle member is asked every four minutes, and a disk fills slowly. */
const STALE_MS = 300_000;
/** Size of the disk as a share of the claim: a file system takes some, a provider may add some. Figures outside are of
 *  another disk than the claim's, which its size would not change. */
const LEAST_SHARE = 0.8;
const LARGEST_SHARE = 1.1;

/** The growth of this node's volume; undefined while it is not to grow. */
export function autoGrowth(o: ClusterObservation, node: NodeRecord): AutoGrowth | undefined {
  const filling = fillingOf(o, node);
  if (filling === undefined || isCooling(o, node, filling.rules)) return undefined;
  const { rules, present, percent } = filling;
  const size = grownSize(present, rules);
  if (!isLarger(size, present)) return undefined;
  const why = `${node.name} is ${percent} % full: its volume grows from ${present} to ${size}`;
  return { size, why };
}

/** A volume that fills up and may not grow any more. */
export function autoGrowHold(o: ClusterObservation, node: NodeRecord): Hold | undefined {
  const filling = fillingOf(o, node);
  if (filling === undefined) return undefined;
  const { rules, present } = filling;
  if (isLarger(rules.max, present)) return undefined;
  const message = `${node.name} is more than ${rules.atPercent} % full, and its volume of ${present} is as large as spec.storage.autoGrow.max allows`;
  return hold('AutoGrowAtMax', message, true);
}

/** A new node gets the size the others have grown to: it has to hold as much as they do. */
export function sizeOfNewVolume({ storage }: EffectiveClusterSpec, nodes: readonly NodeRecord[]): string {
  const { size, autoGrow } = storage;
  if (autoGrow === undefined) return size;
  const sizes = nodes.filter((node) => !needsReplacement(node)).map((node) => node.storage.size);
  return sizes.filter((one) => !isLarger(one, autoGrow.max)).reduce(larger, size);
}

function larger(one: string, other: string): string {
  return isLarger(other, one) ? other : one;
}

interface Filling {
  readonly rules: EffectiveAutoGrow;
  /** What its claim asks for, and has. */
  readonly present: string;
  readonly percent: number;
}

/** Set when the disk is fuller than the spec wants, by current figures of this very volume, and neither a change of the
 *  volume nor the settling of a removal is under way. */
function fillingOf(o: ClusterObservation, node: NodeRecord): Filling | undefined {
  const rules = o.cluster.spec.storage.autoGrow;
  const { operation } = o.cluster;
  // From the DELETE on the survivors take up what the removed member had, and repairs write a copy beside what they
  // replace: disks are fuller for a while.
  const stage = stageOf(operation);
  const isSettling = stage === 'deleting' || stage === 'after';
  if (rules === undefined || isSettling || needsReplacement(node) || node.intent !== 'Active') return undefined;
  const present = node.volume?.requestedSize;
  if (present === undefined || node.volume?.isBound !== true || volumeHold(node, o.nowMs) !== undefined)
    return undefined;
  const percent = percentOfVolume(o, node, present);
  return percent === undefined || percent < rules.atPercent ? undefined : { rules, present, percent };
}

/** Whole percent; undefined when it is not known, stale, or not of the disk that the claim is about. */
function percentOfVolume(o: ClusterObservation, { pod, volume }: NodeRecord, present: string): number | undefined {
  const last = o.facts.find(({ podUid }) => podUid === pod?.uid)?.last;
  if (last === undefined || o.monotonicMs - last.atMs > STALE_MS) return undefined;
  const percent = fillPercent(last.figures);
  const claimed = bytesOf(volume?.capacity ?? present);
  if (percent === undefined || claimed === undefined) return undefined;
  const share = (last.figures.diskTotalBytes ?? 0) / Number(claimed);
  return share < LEAST_SHARE || share > LARGEST_SHARE ? undefined : Math.floor(percent);
}

/** By distance: a clock that was wrong and set back must not hold up growth for as long as it was wrong. */
function isCooling({ nowMs }: ClusterObservation, node: NodeRecord, { coolDownSeconds }: EffectiveAutoGrow): boolean {
  const { volumeGrownAtMs } = node;
  return volumeGrownAtMs !== undefined && Math.abs(nowMs - volumeGrownAtMs) < coolDownSeconds * 1_000;
}

const MEBI = 1_024n ** 2n;
const GIBI = 1_024n ** 3n;

/** Rounded up to what a provider would round up to anyway: whole GiB, below one whole MiB. */
function grownSize(present: string, { byPercent, max }: EffectiveAutoGrow): string {
  const bytes = bytesOf(present);
  if (bytes === undefined) return present;
  const wanted = (bytes * BigInt(100 + byPercent) + 99n) / 100n;
  const unit = wanted >= GIBI ? GIBI : MEBI;
  const units = (wanted + unit - 1n) / unit;
  const size = `${units}${unit === GIBI ? 'Gi' : 'Mi'}`;
  return isLarger(size, max) ? max : size;
}

function bytesOf(quantity: string): bigint | undefined {
  const parsed = tryParseQuantity(quantity);
  return parsed === undefined ? undefined : parsed.millis / 1_000n;
}
