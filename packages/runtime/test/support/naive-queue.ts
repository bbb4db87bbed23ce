// The queue's rules written as plainly as possible: one record per key, every question answered by reading all of them.
// It knows which keys may start and when, not which of them goes first.

interface NaiveKey {
  wantedAtMs: number | undefined;
  isRunning: boolean;
  lastStartMs: number;
  failures: number;
  backoffMs: number;
}

export class NaiveQueue {
  readonly #keys = new Map<string, NaiveKey>();
  readonly #concurrency: number;
  readonly #minIntervalMs: number;
  readonly #failingIntervalMs: number;

  constructor(concurrency: number, minIntervalMs: number, failingIntervalMs: number) {
    this.#concurrency = concurrency;
    this.#minIntervalMs = minIntervalMs;
    this.#failingIntervalMs = failingIntervalMs;
  }

  add(key: string, nowMs: number, afterMs: number): void {
    const one = this.#keys.get(key) ?? {
      wantedAtMs: undefined,
      isRunning: false,
      lastStartMs: Number.NEGATIVE_INFINITY,
      failures: 0,
      backoffMs: 0,
    };
    this.#keys.set(key, one);
    const atMs = one.isRunning ? nowMs + afterMs : this.#notBefore(one, nowMs + afterMs);
    one.wantedAtMs = Math.min(one.wantedAtMs ?? atMs, atMs);
  }

  start(key: string, nowMs: number): void {
    const one = this.#get(key);
    one.isRunning = true;
    one.wantedAtMs = undefined;
    one.lastStartMs = nowMs;
  }

  end(key: string, nowMs: number, isSuccess: boolean, baseMs: number, maxMs: number): void {
    const one = this.#get(key);
    one.isRunning = false;
    one.failures = isSuccess ? 0 : one.failures + 1;
    one.backoffMs = isSuccess ? 0 : Math.min(maxMs, baseMs * 2 ** (one.failures - 1));
    const wantedAtMs = Math.min(
      one.wantedAtMs ?? Number.POSITIVE_INFINITY,
      isSuccess ? Number.POSITIVE_INFINITY : nowMs + one.backoffMs,
    );
    one.wantedAtMs = wantedAtMs === Number.POSITIVE_INFINITY ? undefined : this.#notBefore(one, wantedAtMs);
  }

  ready(nowMs: number): string[] {
    return this.#where((one) => !one.isRunning && one.wantedAtMs !== undefined && one.wantedAtMs <= nowMs);
  }

  delayed(nowMs: number): string[] {
    return this.#where((one) => !one.isRunning && one.wantedAtMs !== undefined && one.wantedAtMs > nowMs);
  }

  running(): string[] {
    return this.#where((one) => one.isRunning);
  }

  /** The ready keys whose group may have another slot: the last quarter is for groups that hold less than an eighth. */
  startable(nowMs: number, groupOf: (key: string) => string): string[] {
    const running = this.running();
    const free = this.#concurrency - running.length;
    if (free <= 0) return [];
    return this.ready(nowMs).filter((key) => {
      const held = running.filter((other) => groupOf(other) === groupOf(key)).length;
      return free > Math.floor(this.#concurrency / 4) || held < Math.max(1, Math.floor(this.#concurrency / 8));
    });
  }

  failures(key: string): number {
    return this.#get(key).failures;
  }

  #notBefore(one: NaiveKey, atMs: number): number {
    const intervalMs = Math.max(this.#minIntervalMs, Math.min(one.backoffMs, this.#failingIntervalMs));
    return Math.max(atMs, one.lastStartMs + intervalMs);
  }

  #get(key: string): NaiveKey {
    const one = this.#keys.get(key);
    if (one === undefined) throw new Error(`unknown ${key}`);
    return one;
  }

  #where(test: (one: NaiveKey) => boolean): string[] {
    return [...this.#keys].filter(([, one]) => test(one)).map(([key]) => key);
  }
}
