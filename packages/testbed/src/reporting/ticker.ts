// A line at intervals while a long step runs, and the format of times.

/** `47 s`, `2 min 05 s`. */
export function formatElapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/** Calls `say` with the elapsed time every `everyMs` until stopped. Keeps no process alive. */
export function startTicker(say: (elapsed: string) => void, everyMs = 15_000): { stop(): void; elapsed(): string } {
  const startedAt = performance.now();
  const elapsed = (): string => formatElapsed(performance.now() - startedAt);
  const timer = setInterval(() => say(elapsed()), everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer), elapsed };
}
