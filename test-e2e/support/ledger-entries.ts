// The ledger itself: which value of which key was sent, acknowledged, refused, or lost with its connection. No I/O.
//
// A value is a number that grows with each write of its key, so "this or a later one" is a comparison. A write of
// unknown fate may take effect at any later time (a frozen member carries it out when it thaws), so its key is never
// written again: then no write that follows can be overtaken by it.

import type { Copy } from './data.ts';

export type Fate = 'acknowledged' | 'refused' | 'unknown';

export interface PendingWrite {
  readonly key: string;
  readonly value: string;
  /** To be called once. */
  settle(fate: Fate): void;
}

export interface ClientEntries {
  /** One write each for so many new keys and so many keys that were written before. */
  next(): readonly PendingWrite[];
}

export interface Entries {
  client(index: number, perBeat: number): ClientEntries;
  acknowledged(): number;
  /** The longest time between two acknowledged writes of any clients. */
  longestGapMs(): number;
  /** Keys with at least one acknowledged write. */
  acknowledgedKeys(): readonly string[];
  /** Whether a home's copy is the last acknowledged write of its key or one sent later. */
  isGood(copy: Copy): boolean;
  /** Describes a copy that is missing or old, for a person. */
  explain(copy: Copy): string;
  describe(): string;
}

interface Entry {
  sent: number;
  acknowledged: number | undefined;
  acknowledgedAtMs: number;
}

/** @param prefix of all keys: two ledgers of one cluster need two */
export function createEntries(prefix: string, now: () => number = Date.now): Entries {
  const entries = new Map<string, Entry>();
  const count: Record<Fate, number> = { acknowledged: 0, refused: 0, unknown: 0 };
  let lastAckMs: number | undefined;
  let longestGapMs = 0;

  function write(key: string, onUnknown: () => void = () => undefined): PendingWrite {
    const entry = entries.get(key) ?? { sent: 0, acknowledged: undefined, acknowledgedAtMs: 0 };
    entries.set(key, entry);
    entry.sent += 1;
    const value = entry.sent;
    return {
      key,
      value: String(value),
      settle(fate) {
        count[fate] += 1;
        if (fate === 'unknown') onUnknown();
        if (fate !== 'acknowledged') return;
        entry.acknowledged = value;
        entry.acknowledgedAtMs = now();
        longestGapMs = Math.max(longestGapMs, entry.acknowledgedAtMs - (lastAckMs ?? entry.acknowledgedAtMs));
        lastAckMs = entry.acknowledgedAtMs;
      },
    };
  }

  return {
    client(index, perBeat) {
      let made = 0;
      const lives = Array.from({ length: perBeat }, () => 0);
      const writeOnce = (): PendingWrite => {
        made += 1;
        return write(`${prefix}once-${index}-${made}`);
      };
      const writeAgain = (life: number, hot: number): PendingWrite =>
        write(`${prefix}hot-${index}-${hot}-${life}`, () => {
          lives[hot] = life + 1;
        });
      return { next: () => [...lives.map(writeOnce), ...lives.map(writeAgain)] };
    },
    acknowledged: () => count.acknowledged,
    longestGapMs: () => longestGapMs,
    acknowledgedKeys: () => [...entries].flatMap(([key, entry]) => (entry.acknowledged === undefined ? [] : [key])),
    isGood({ name, value }) {
      const entry = entries.get(name);
      if (entry?.acknowledged === undefined) return true;
      return value !== undefined && Number(value) >= entry.acknowledged && Number(value) <= entry.sent;
    },
    explain({ name, id, value }) {
      const entry = entries.get(name);
      const at = new Date(entry?.acknowledgedAtMs ?? 0).toISOString().slice(11, 23);
      return `${name}@${id} has ${value ?? 'nothing'}, ${entry?.acknowledged} was acknowledged at ${at}`;
    },
    describe: () =>
      `${count.acknowledged} writes acknowledged, ${count.refused} refused, ${count.unknown} of unknown fate, ` +
      `${entries.size} keys, longest time without an answer ${longestGapMs} ms`,
  };
}
