// One stage of the manager: its parts started together, each with its own stop.
import type { Runnable } from './runnable.ts';

export interface StartedPart {
  readonly name: string;
  stop(): void;
  /** Resolves when the part has ended, well or not; never rejects. */
  readonly ended: Promise<void>;
  readonly isOver: boolean;
  readonly failure: { readonly error: unknown; readonly isWhileStopping: boolean } | undefined;
}

/** A part ended without having been asked to stop. */
export class EarlyEndError extends Error {
  override readonly name = 'EarlyEndError';
  readonly part: string;
  constructor(part: string) {
    super(`run ${part}: it ended by itself`);
    this.part = part;
  }
}

/** @param onFailure called for a part that failed or ended without being stopped */
export function startStage(
  parts: readonly Runnable[],
  onFailure: (part: Runnable, error: unknown) => void,
): { running: StartedPart[]; ready: Promise<void> } {
  const started = parts.map((part) => startPart(part, onFailure));
  const ready = Promise.all(started.map(({ ready }) => ready)).then(() => {});
  return { running: started.map(({ started: part }) => part), ready };
}

function startPart(
  part: Runnable,
  onFailure: (part: Runnable, error: unknown) => void,
): { started: StartedPart; ready: Promise<void> } {
  const stop = new AbortController();
  let isOver = false;
  let failure: StartedPart['failure'];
  const onEnd = (error: unknown): void => {
    isOver = true;
    const isWhileStopping = stop.signal.aborted;
    if (error === undefined && isWhileStopping) return;
    failure = { error: error ?? new EarlyEndError(part.name), isWhileStopping };
    if (!isWhileStopping) onFailure(part, failure.error);
  };
  const ended = runPart(part, stop.signal).then(
    () => onEnd(undefined),
    (error: unknown) => onEnd(error ?? new Error(`run ${part.name}: failed without a reason`)),
  );
  const started: StartedPart = {
    name: part.name,
    stop: () => stop.abort(new Error(`stopping ${part.name}`)),
    ended,
    get isOver() {
      return isOver;
    },
    get failure() {
      return failure;
    },
  };
  return { started, ready: waitReady(part, stop.signal) };
}

/** A synchronous throw becomes a rejection like any other. */
async function runPart(part: Runnable, signal: AbortSignal): Promise<void> {
  await part.run(signal);
}

async function waitReady(part: Runnable, signal: AbortSignal): Promise<void> {
  await part.ready?.(signal);
}
