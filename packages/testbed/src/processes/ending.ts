// How the commands end: on Ctrl-C, SIGTERM, a closed terminal, or when the launcher that started them is gone.

export interface Ending {
  /** Aborted at the first request to stop; the reason is what a person reads. */
  readonly signal: AbortSignal;
}

/** From here on a signal no longer ends the process but aborts the returned signal; the third one
 *  within the run ends it at once. */
export function watchForEnd(): Ending {
  const controller = new AbortController();
  let lastAtMs = Number.NEGATIVE_INFINITY;
  let count = 0;
  const end = (why: string): void => {
    const nowMs = performance.now();
    // One Ctrl-C arrives twice: from the terminal and from the launcher.
    if (nowMs - lastAtMs < 1000) return;
    lastAtMs = nowMs;
    count += 1;
    if (count === 3) process.exit(130);
    controller.abort(new Error(why));
  };
  process.on('SIGINT', () => end('Ctrl-C'));
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('SIGHUP', () => end('the terminal was closed'));
  if (process.channel !== undefined) {
    process.on('disconnect', () => end('the launcher is gone'));
    process.channel?.unref();
  }
  // A closed pipe (`npm start | head`) is no reason to leave members running.
  process.stdout.on('error', () => end('the output was closed'));
  return { signal: controller.signal };
}
