// What every client program does, whatever its library: it writes a number that only grows to one key after the other,
// and reads each key again a second after its write was acknowledged. It counts what its library makes of changes
// underneath. go/main.go and redis_py.py do the same with theirs.
//
// Standard input: a line `mark` ends a part, whose counts are printed as one line of JSON; its end ends the program.

import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/** Given as one argument, JSON. */
export interface ClientTask {
  readonly library: string;
  readonly mode: 'plain' | 'cluster';
  readonly host: string;
  readonly port: number;
  readonly password?: string | undefined;
  readonly operationsPerSecond: number;
  readonly keys: number;
  /** As the library comes, or with what docs/operations/connecting.md says. */
  readonly settings: 'default' | 'documented';
}

/** What a part of a run counted. */
export interface ClientCounts {
  readonly operations: number;
  readonly errors: number;
  /** Message, cut, and how often. */
  readonly kinds: Readonly<Record<string, number>>;
  /** The longest time without an operation that succeeded, in milliseconds. */
  readonly longestStallMs: number;
  readonly reads: number;
  /** Reads of an acknowledged key that had an older value, or none. */
  readonly old: number;
  readonly empty: number;
  readonly seconds: number;
}

export interface KeyValueClient {
  set(key: string, value: string): Promise<unknown>;
  get(key: string): Promise<string | null>;
}

/** Before a key is read. */
const READ_AFTER_MS = 1_000;
const LONGEST_KIND = 80;

export async function run(task: ClientTask, client: KeyValueClient): Promise<never> {
  const acknowledged = new Map<string, { readonly value: number; readonly atMs: number }>();
  const lines = createInterface({ input: process.stdin });
  let counts = nothing();
  lines.on('line', (line) => {
    if (line !== 'mark') return;
    process.stdout.write(`${JSON.stringify(ended(counts))}\n`);
    counts = nothing();
  });
  // An operation may never end.
  lines.on('close', () => process.exit(0));
  const keyAt = (n: number): string => `${task.library}-${task.mode}-${task.settings}:${n % task.keys}`;
  for (let n = 0; ; n += 1) {
    const nextMs = performance.now() + 1_000 / task.operationsPerSecond;
    if (n % 2 === 0) await write(n / 2);
    else await read((n - 1) / 2);
    await delay(Math.max(0, nextMs - performance.now()));
  }
  async function write(n: number): Promise<void> {
    const key = keyAt(n);
    await counted(async () => {
      await client.set(key, String(n));
      acknowledged.set(key, { value: n, atMs: performance.now() });
    });
  }

  async function read(n: number): Promise<void> {
    // Half a round later.
    const key = keyAt(n + Math.floor(task.keys / 2));
    const known = acknowledged.get(key);
    if (known === undefined || performance.now() - known.atMs < READ_AFTER_MS) return;
    await counted(async () => {
      const value = await client.get(key);
      counts.reads += 1;
      if (value === null) counts.empty += 1;
      else if (Number(value) < known.value) counts.old += 1;
    });
  }

  async function counted(operation: () => Promise<void>): Promise<void> {
    try {
      await operation();
      counts.operations += 1;
      counts.longestStallMs = Math.max(counts.longestStallMs, performance.now() - counts.lastMs);
      counts.lastMs = performance.now();
    } catch (error) {
      counts.errors += 1;
      const kind = (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_KIND);
      counts.kinds[kind] = (counts.kinds[kind] ?? 0) + 1;
    }
  }
}

interface Counting {
  operations: number;
  errors: number;
  kinds: Record<string, number>;
  longestStallMs: number;
  reads: number;
  old: number;
  empty: number;
  startedMs: number;
  lastMs: number;
}

function nothing(): Counting {
  const nowMs = performance.now();
  return {
    ...{ operations: 0, errors: 0, kinds: {}, longestStallMs: 0, reads: 0, old: 0, empty: 0 },
    startedMs: nowMs,
    lastMs: nowMs,
  };
}

function ended({ startedMs, lastMs, ...counts }: Counting): ClientCounts {
  const nowMs = performance.now();
  const longestStallMs = Math.round(Math.max(counts.longestStallMs, nowMs - lastMs));
  return { ...counts, longestStallMs, seconds: Math.round(nowMs - startedMs) / 1_000 };
}
