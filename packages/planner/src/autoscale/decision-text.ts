// What a decision about the size says to people.

import type { Reason } from '@marekvs/api';
import { countText, shortMessageText } from '../values/hold.ts';
import { isWholeLoad, roundRate, unevenText } from './load.ts';
import { SHRINK_SHARE, type SizingInputs, type SizingRules } from './rules.ts';

/** One sentence with the arithmetic. */
export function decisionText(rules: SizingRules, inputs: SizingInputs, size: number, reason: Reason): string {
  return shortMessageText(sentence(rules, inputs, size, reason));
}

function sentence(rules: SizingRules, inputs: SizingInputs, size: number, reason: Reason): string {
  const { size: before, load, disk } = inputs;
  const nodes = `${size} nodes instead of ${before}`;
  const atLeast = isWholeLoad(load) ? '' : 'at least ';
  const ops = `${atLeast}${count(roundRate(load.opsPerSecond))} ops/s`;
  const uneven = unevenText(load);
  const note = uneven === undefined ? '' : `; ${uneven}`;
  const target = count(rules.targetOps ?? 0);
  const fill = `${disk.fullest ?? 'a volume'} is ${Math.round(disk.now ?? 0)} % full`;
  switch (reason) {
    case 'LoadAboveTarget':
      return `${ops} at ${target} a node: ${nodes}${note}`;
    case 'DiskAboveTarget':
      return `${fill}, and none should exceed ${rules.targetDiskPercent} %: ${nodes}`;
    case 'LoadBelowTarget': {
      if (rules.targetOps === undefined) return `${fill}: ${nodes}`;
      const each = count(roundRate(load.opsPerSecond / Math.max(1, size)));
      return `${ops} are ${each} on each of ${size}, below ${100 * SHRINK_SHARE} % of ${target}: ${nodes}`;
    }
    case 'BelowMinNodes':
      return `no fewer than ${rules.floor} nodes are wanted: ${nodes}`;
    case 'AboveMaxNodes':
      return `no more than ${rules.ceiling} nodes are wanted: ${nodes}`;
    case 'AtMaxNodes':
      return rules.targetOps === undefined
        ? `${fill}, and maxNodes is ${rules.ceiling}`
        : `${ops} at ${target} a node would need more than ${rules.ceiling} nodes${note}`;
    case 'NoLoadSignal':
      return load.missing.length > 0
        ? `the load of ${load.missing.slice(0, 3).join(', ')}${load.missing.length > 3 ? ' and others' : ''} is not known: ${size} nodes stay`
        : `the members’ figures are not known: ${size} nodes stay`;
    default:
      return `${size} nodes`;
  }
}

/** `22,000`; below 10 with one digit: `0.4`. */
function count(value: number): string {
  return value < 10 ? String(Number(value.toFixed(1))) : countText(value);
}
