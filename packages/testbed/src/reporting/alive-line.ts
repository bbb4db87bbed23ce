// A line after every half minute in which nothing was written, so that nobody takes a long wait for a hang.

const SILENCE_MS = 30_000;

export interface AliveLine {
  /** Writes the text and begins to wait again. */
  write(text: string): void;
  stop(): void;
}

/** @param describe what is running; called each time the line is due */
export function startAliveLine(write: (text: string) => void, describe: () => string): AliveLine {
  let timer = setTimeout(sayIt, SILENCE_MS);
  function sayIt(): void {
    write(`  … still running: ${describe()}\n`);
    timer = setTimeout(sayIt, SILENCE_MS);
  }
  return {
    write(text) {
      timer.refresh();
      write(text);
    },
    stop: () => clearTimeout(timer),
  };
}
