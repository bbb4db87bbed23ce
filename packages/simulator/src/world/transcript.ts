// What happened, one line per fact with its virtual time: to find out why a seed failed, and to compare two runs.

export class Transcript {
  readonly lines: string[] = [];
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** `who` is short: `operator`, `kubelet`, `member`, `user`, `world`. */
  add(who: string, text: string): void {
    this.lines.push(`${(this.#nowMs() / 1_000).toFixed(3).padStart(9)} ${who.padEnd(8)} ${text}`);
  }

  tail(count = 40): string {
    return this.lines.slice(-count).join('\n');
  }
}
