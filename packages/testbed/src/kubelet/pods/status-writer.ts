// Writes a Pod's status: only when it differs from what was written last, one write at a time, a burst of changes as
// one. pod-status.ts renders it.
import { type Clock, isConflict, isNotFound, type Timer } from '@marekvs/runtime';

export interface StatusWriter {
  /** The status may have changed: write it in `delayMs`, or with what is already on its way. */
  touch(delayMs: number): void;
  /** Like touch, without a delay. */
  flush(): void;
  stop(): void;
}

export interface StatusWriterOptions {
  readonly clock: Clock;
  /** The whole status as it should be now. */
  readonly render: () => object;
  readonly write: (status: object) => Promise<void>;
  readonly onProblem: (err: unknown) => void;
}

const RETRY_MS = 500;

export function createStatusWriter(options: StatusWriterOptions): StatusWriter {
  let timer: Timer | undefined;
  let written = '';
  let isWriting = false;
  let isDirty = false;
  let isStopped = false;

  function touch(delayMs: number): void {
    if (isStopped || timer !== undefined) return;
    timer = options.clock.after(delayMs, flush);
  }

  function flush(): void {
    timer?.cancel();
    timer = undefined;
    if (isStopped) return;
    if (isWriting) isDirty = true;
    else void writeNow();
  }

  async function writeNow(): Promise<void> {
    const status = options.render();
    const text = JSON.stringify(status);
    if (text === written) return;
    isWriting = true;
    try {
      await options.write(status);
      written = text;
    } catch (err) {
      // The Pod is gone, or replaced by one of the same name, which has its own worker.
      if (isNotFound(err) || isConflict(err)) isStopped = true;
      else {
        options.onProblem(err);
        touch(RETRY_MS);
      }
    } finally {
      isWriting = false;
    }
    if (isDirty) {
      isDirty = false;
      flush();
    }
  }

  return {
    touch,
    flush,
    stop() {
      isStopped = true;
      timer?.cancel();
    },
  };
}
