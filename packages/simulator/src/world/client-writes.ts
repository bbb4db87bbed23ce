// What a writing client sends next. Pure: which kind comes when follows from how many writes came before, so that no
// chance is drawn and clients with none of the options write what they always wrote.

import type { Ledger } from './ledger.ts';

export interface WriteOptions {
  /** Keys written in turn, so many of its own. */
  readonly keys: number;
  /** Every write is an MSET of so many keys in a row, through one member whoever homes them: the hole in pushing. */
  readonly msetKeys?: number;
  /** Every second write counts: in turn one of so many counters that all clients share, through each of its homes in
   *  turn. */
  readonly counters?: number;
  /** Every third write expires after so many seconds. */
  readonly expireSeconds?: number;
  /** Every so many writes the value is this large: above the limit of a frame it stays on the member that took it. */
  readonly large?: { readonly every: number; readonly bytes: number };
}

export interface ClientWrite {
  /** By which the member is chosen; undefined: whoever it is connected to. */
  readonly key: string | undefined;
  /** Which of the key's homes, when the client knows them: 0 is the primary. */
  readonly home: number;
  readonly words: readonly string[];
  isAcknowledgedBy(answer: string): boolean;
  /** @param expiryOf wall milliseconds at which a key expires by what the member stored */
  note(ledger: Ledger, expiryOf: (key: string) => number | undefined): void;
}

/** @param number rises with every write of this client */
export function writeOf(name: string, number: number, options: WriteOptions): ClientWrite {
  const { counters = 0, msetKeys = 0 } = options;
  if (counters > 0 && number % 2 === 0) return increment(number / 2, counters);
  return msetKeys > 0 ? setMany(name, number, options.keys, msetKeys) : setOne(name, number, options);
}

function setOne(name: string, number: number, { keys, expireSeconds = 0, large }: WriteOptions): ClientWrite {
  const isLarge = large !== undefined && number % large.every === 0;
  const expires = expireSeconds > 0 && number % 3 === 0 && !isLarge;
  // Keys of a kind stay of that kind: what expires is no copy of what was meant to stay.
  const kind = isLarge ? 'large:' : expires ? 'brief:' : '';
  const key = `${name}:${kind}${number % keys}`;
  // Spaces do not change the number.
  const value = isLarge ? String(number).padEnd(large.bytes) : String(number);
  return {
    key,
    home: 0,
    words: expires ? ['SET', key, value, 'EX', String(expireSeconds)] : ['SET', key, value],
    isAcknowledgedBy: isOk,
    note: (ledger, expiryOf) => ledger.acknowledge(key, number, expires ? expiryOf(key) : undefined),
  };
}

function setMany(name: string, number: number, keys: number, count: number): ClientWrite {
  const own = new Set(Array.from({ length: count }, (_, index) => `${name}:${(number * count + index) % keys}`));
  return {
    key: undefined,
    home: 0,
    words: ['MSET', ...[...own].flatMap((key) => [key, String(number)])],
    isAcknowledgedBy: isOk,
    note(ledger) {
      for (const key of own) ledger.acknowledge(key, number);
    },
  };
}

function increment(turn: number, counters: number): ClientWrite {
  const key = `counter:${turn % counters}`;
  return {
    key,
    home: Math.floor(turn / counters),
    words: ['INCR', key],
    isAcknowledgedBy: (answer) => answer.startsWith(':'),
    note: (ledger) => ledger.acknowledgeCount(key, 1),
  };
}

function isOk(answer: string): boolean {
  return answer.startsWith('+OK');
}
