// Random faults of an operator's writes. The caller decides during which part of a life.

import type { MemberWorld, WriteFate } from '../world/member-world.ts';
import type { Fate, Fault } from './fate.ts';

type BadFate = Exclude<WriteFate, 'pass'>;

/** Probability per write. */
const CHANCES: readonly (readonly [fate: BadFate, probability: number])[] = [
  ['crashBefore', 0.02],
  ['crashAfter', 0.02],
  ['lose', 0.02],
  ['late', 0.01],
  ['conflict', 0.02],
  ['unavailable', 0.01],
];

const FAULT_OF: Readonly<Record<BadFate, Fault>> = {
  crashBefore: 'crashBeforeWrite',
  crashAfter: 'crashAfterWrite',
  lose: 'lostReply',
  late: 'lateWrite',
  conflict: 'conflict',
  unavailable: 'unavailable',
};

/** Until faults stop, lets about one write in ten fail. */
export function disturbWrites(world: MemberWorld, fate: Fate): void {
  world.fateOf = () => {
    if (fate.isOver) return 'pass';
    const drawn = drawFate(fate);
    if (drawn !== 'pass') fate.count(FAULT_OF[drawn]);
    return drawn;
  };
}

/** Gives the nth write from now on this fate, once; all others pass. */
export function disturbWrite(world: MemberWorld, fate: Fate, nth: number, drawn: BadFate): void {
  let seen = 0;
  world.fateOf = () => {
    seen += 1;
    if (seen !== nth || fate.writesBeforeRest !== undefined) return 'pass';
    fate.count(FAULT_OF[drawn]);
    return drawn;
  };
}

function drawFate(fate: Fate): WriteFate {
  let left = fate.random();
  for (const [drawn, probability] of CHANCES) {
    if (left < probability) return drawn;
    left -= probability;
  }
  return 'pass';
}
