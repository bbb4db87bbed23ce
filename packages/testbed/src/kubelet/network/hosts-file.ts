// Keeps one file equal to what is rendered, rewritten at most once per settle time and never twice at the same time.
import { rename, writeFile } from 'node:fs/promises';
import type { Clock, Timer } from '@marekvs/runtime';

export interface HostsFile {
  /** The content may have changed. */
  touch(): void;
  /** Resolves when the file exists with the present content. */
  write(): Promise<void>;
  stop(): void;
}

const SETTLE_MS = 20;

export function createHostsFile(
  path: string,
  clock: Clock,
  render: () => string,
  onProblem: (err: unknown) => void,
): HostsFile {
  let timer: Timer | undefined;
  let writing: Promise<void> = Promise.resolve();
  let written: string | undefined;

  /** Renamed into place, so that a member never reads half of it. */
  async function writeNow(): Promise<void> {
    const text = render();
    if (text === written) return;
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
    written = text;
  }

  function write(): Promise<void> {
    writing = writing.catch(() => undefined).then(writeNow);
    return writing;
  }

  return {
    write,
    touch() {
      timer ??= clock.after(SETTLE_MS, () => {
        timer = undefined;
        write().catch(onProblem);
      });
    },
    stop: () => timer?.cancel(),
  };
}
