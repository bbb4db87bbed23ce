// INCR, INCRBY, DECR and DECRBY: writes that merge with those of other members instead of replacing them. A
// member counts for its own clients, on top of what it knows of the other members.

import type { Counter, CounterSlot, Version } from '../basics/messages.ts';
import type { ServedMember } from '../interfaces/served-member.ts';
import { readValueOf } from '../records/merging.ts';
import { wrongArguments } from './commands-cluster.ts';
import type { Call, Command } from './resp-call.ts';
import { integer, notANumber } from './resp-wire.ts';

export const countingCommands: readonly (readonly [string, Command])[] = [
  ['incr', (call) => count(call, '1', 1)],
  ['decr', (call) => count(call, '1', -1)],
  ['incrby', (call) => count(call, call.args[1], 1)],
  ['decrby', (call) => count(call, call.args[1], -1)],
];

function count({ member, args, answer, command }: Call, amountText: string | undefined, sign: 1 | -1): void {
  const [key] = args;
  if (key === undefined || amountText === undefined) {
    answer(wrongArguments(command));
    return;
  }
  const amount = sign * Number(amountText);
  member.read(key, () => {
    // A value fetched from a home has been merged with the local one by now.
    const held: Version | undefined = member.store.get(key);
    const counter = counterIn(member, held);
    if (counter === undefined || !Number.isSafeInteger(amount)) {
      answer(notANumber);
      return;
    }
    const merged = { ...counter, slots: counted(counter.slots, member.settings.nodeId, amount) };
    const { expiresAtMs } = member.isReadable(held) ? held : {};
    member.write([{ key, merged, ...(expiresAtMs === undefined ? {} : { expiresAtMs }) }]);
    answer(integer(Number(readValueOf(merged))));
  });
}

/** The counter to continue; undefined when the value is no number. Two members that both never heard of a key begin at
 *  the same base. */
function counterIn(member: ServedMember, held: Version | undefined): Counter | undefined {
  const { clock = 0, origin = 0 } = held ?? {};
  if (!member.isReadable(held)) return { kind: 'counter', base: { clock, origin, value: 0 }, slots: [] };
  if (held.merged?.kind === 'counter') return held.merged;
  const value = Number(held.value);
  if (held.value === '' || !Number.isSafeInteger(value)) return undefined;
  return { kind: 'counter', base: { clock, origin, value }, slots: [] };
}

function counted(slots: readonly CounterSlot[], id: number, amount: number): readonly CounterSlot[] {
  const own = slots.find((slot) => slot.id === id) ?? { id, increments: 0, decrements: 0 };
  const next = {
    id,
    increments: own.increments + Math.max(0, amount),
    decrements: own.decrements + Math.max(0, -amount),
  };
  return [...slots.filter((slot) => slot.id !== id), next].sort((a, b) => a.id - b.id);
}
