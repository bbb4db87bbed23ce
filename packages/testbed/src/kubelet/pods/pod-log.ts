// Where in the log of a Pod the output of each life of its container is.
import { statSync } from 'node:fs';
import { memberLog } from '../containers/container-start.ts';
import type { LogRange } from '../server/log-server.ts';

export class PodLog {
  readonly #folder: () => string;
  /** Size of the log in bytes when each life began. */
  readonly #starts: number[] = [];

  /** @param folder of the Pod */
  constructor(folder: () => string) {
    this.#folder = folder;
  }

  get isEmpty(): boolean {
    return this.#starts.length === 0;
  }

  /** In bytes. */
  size(): number {
    return statSync(memberLog(this.#folder()), { throwIfNoEntry: false })?.size ?? 0;
  }

  /** A life has begun, when the log had this size. */
  begin(size: number): void {
    this.#starts.push(size);
  }

  /** Of the newest life, or of the one before; undefined when there was none. */
  range(isPrevious: boolean): LogRange | undefined {
    const path = memberLog(this.#folder());
    const index = this.#starts.length - (isPrevious ? 2 : 1);
    const from = this.#starts[index];
    return from === undefined ? undefined : { path, from, to: this.#starts[index + 1] };
  }
}
