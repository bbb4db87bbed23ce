// Commands of HyperLogLogs: each register is a part of the key, with the highest rank that any element had in it
// (docs/design/server.md#how-records-merge).

import type { Version } from '../basics/messages.ts';
import type { ServedMember } from '../interfaces/served-member.ts';
import { partKey } from '../records/keys.ts';
import { textHash } from '../records/record-hash.ts';
import { beginHead, isShown, type Kind, keyOf, readParts } from './collection-parts.ts';
import type { Call, Command } from './resp-call.ts';
import { integer } from './resp-wire.ts';

const hyperLogLog: Kind = { letter: 'H', head: '\x06' };

export const hyperLogLogReads: readonly (readonly [string, Command])[] = [['pfcount', pfcount]];

export const hyperLogLogWrites: readonly (readonly [string, Command])[] = [
  ['pfadd', pfadd],
  ['pfmerge', pfmerge],
];

function pfadd(call: Call): void {
  const { member, answer } = call;
  const key = keyOf(call);
  if (key === undefined) return;
  const ranks = new Map<string, number>();
  for (const element of call.args.slice(1)) {
    const { register, rank } = placeOf(element, member.knobs.hyperLogLogRegisters);
    ranks.set(register, Math.max(rank, ranks.get(register) ?? 0));
  }
  raise(member, key, ranks, (raised) => answer(integer(raised > 0 ? 1 : 0)));
}

function pfcount(call: Call): void {
  const { member, answer } = call;
  const key = keyOf(call);
  if (key === undefined) return;
  readRanks(member, key, (ranks) => answer(integer(estimate([...ranks.values()], member.knobs.hyperLogLogRegisters))));
}

/** Writes what is higher in any source. Of a key into itself that is nothing. */
function pfmerge(call: Call): void {
  const { member, answer } = call;
  const target = keyOf(call);
  if (target === undefined) return;
  const sources = call.args.slice(1);
  const ranks = new Map<string, number>();
  const next = (at: number): void => {
    const source = sources[at];
    if (source === undefined) {
      raise(member, target, ranks, () => answer({ kind: 'simple', text: 'OK' }));
      return;
    }
    readRanks(member, source, (own) => {
      for (const [register, rank] of own) ranks.set(register, Math.max(rank, ranks.get(register) ?? 0));
      next(at + 1);
    });
  };
  next(0);
}

/** Writes every register whose rank is higher than what this member shows, and returns how many. */
function raise(
  member: ServedMember,
  key: string,
  ranks: ReadonlyMap<string, number>,
  done: (raised: number) => void,
): void {
  const registers = [...ranks.keys()];
  readParts(member, key, hyperLogLog, registers, (head, held) => {
    beginHead(member, key, hyperLogLog, head);
    const higher = registers.filter((register, at) => rankOf(member, head, held[at]) < (ranks.get(register) ?? 0));
    for (const register of higher) {
      const merged = { kind: 'register', rank: ranks.get(register) ?? 0 } as const;
      member.write([{ key: partKey(key, hyperLogLog.letter, register), merged }]);
    }
    done(higher.length);
  });
}

function readRanks(member: ServedMember, key: string, found: (ranks: ReadonlyMap<string, number>) => void): void {
  const registers = Array.from({ length: member.knobs.hyperLogLogRegisters }, (_, at) => registerName(at));
  readParts(member, key, hyperLogLog, registers, (head, held) =>
    found(new Map(registers.map((register, at) => [register, rankOf(member, head, held[at])]))),
  );
}

/** 0: nothing is counted there. */
function rankOf(member: ServedMember, head: Version | undefined, version: Version | undefined): number {
  return isShown(member, head, version) && version.merged?.kind === 'register' ? version.merged.rank : 0;
}

/** The record of the register in which an element counts. */
export function registerKey(key: string, element: string, registers: number): string {
  return partKey(key, hyperLogLog.letter, placeOf(element, registers).register);
}

function placeOf(element: string, registers: number): { readonly register: string; readonly rank: number } {
  const bits = textHash(element);
  const rest = (bits / BigInt(registers)).toString(2);
  return { register: registerName(Number(bits % BigInt(registers))), rank: rest.length - rest.lastIndexOf('1') };
}

/** The part of the record's key. */
export function registerName(at: number): string {
  return String.fromCharCode(at >> 8, at & 0xff);
}

/** Of few elements the empty registers are counted, as on the real server. */
function estimate(ranks: readonly number[], registers: number): number {
  const sum = ranks.reduce((total, rank) => total + 2 ** -rank, 0);
  const raw = ((0.7213 / (1 + 1.079 / registers)) * (registers * registers)) / sum;
  const empty = ranks.filter((rank) => rank === 0).length;
  return Math.round(raw <= 2.5 * registers && empty > 0 ? registers * Math.log(registers / empty) : raw);
}
