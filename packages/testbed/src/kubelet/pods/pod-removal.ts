// When the object of a stopped Pod goes from the API server: at once, or when a test lets it.
import { isConflict, isNotFound } from '@marekvs/runtime';
import { keyOf } from '../objects/objects.ts';
import { RETRY_MS, type WorkerParts } from './worker-ports.ts';

/** A test's wish that stopped Pods stay for a while. */
export class TerminationHold {
  #hold: { readonly released: Promise<void>; release(): void } | undefined;

  /** Undefined while nothing is held. */
  get released(): Promise<void> | undefined {
    return this.#hold?.released;
  }

  begin(): void {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#hold ??= { released, release };
  }

  release(): void {
    this.#hold?.release();
    this.#hold = undefined;
  }
}

/** Tries until it is gone. */
export async function removeObject({ ports, pod }: WorkerParts, isGone: () => boolean): Promise<void> {
  while (!isGone()) {
    try {
      await ports.api.removePod(pod());
      return;
    } catch (err) {
      if (isNotFound(err) || isConflict(err)) return;
      ports.onProblem(`delete Pod ${keyOf(pod())}`, err);
      await ports.clock.delay(RETRY_MS);
    }
  }
}
