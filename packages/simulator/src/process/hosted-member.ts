// A member that shares its process with others. Signals are imitated for this member alone; the others go on.

import fs from 'node:fs';
import type { Environment } from '../member/settings/settings.ts';
import { type DrivenMember, driveMember } from './drive-member.ts';
import type { FolderLocks } from './folder.ts';
import type { Neighbours } from './neighbours.ts';

export interface HostedOptions {
  readonly env: Environment;
  /** What `MAREKVS_DATA_DIR` is relative to. */
  readonly folder: string;
  /** Appended to. */
  readonly logPath: string;
  readonly locks: FolderLocks;
  readonly neighbours: Neighbours;
  /** Called when its ports and its folder are free again. */
  readonly onEnd: (exit: HostedExit) => void;
}

/** Exit code or signal, as for a process. */
export interface HostedExit {
  readonly code?: number;
  readonly signal?: 'SIGKILL';
}

export type HostedSignal = 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT';

export class HostedMember {
  readonly #options: HostedOptions;
  readonly #log: number;
  readonly #member: DrivenMember | undefined;
  #hasEnded = false;
  #isFrozen = false;
  /** Work that arrived while frozen, in order. */
  #delayed: (() => void)[] = [];

  /** Starts the member. Invalid settings are logged, and the member ends with code 1. */
  constructor(options: HostedOptions) {
    this.#options = options;
    this.#log = fs.openSync(options.logPath, 'a');
    this.#member = this.#start();
    // The member may have ended before `#member` was assigned; then nothing has been closed yet.
    if (this.#hasEnded) this.#member?.abandon();
  }

  signal(signal: HostedSignal): void {
    if (this.#hasEnded) return;
    if (signal === 'SIGTERM') this.#member?.terminate();
    else if (signal === 'SIGKILL') this.#end({ signal });
    else if (signal === 'SIGSTOP') this.#isFrozen = true;
    else this.#thaw();
  }

  #start(): DrivenMember | undefined {
    const { env, folder, locks, neighbours } = this.#options;
    try {
      return driveMember(env, {
        folder,
        locks,
        neighbours,
        run: (work) => this.#run(work),
        exit: (code) => this.#end({ code }),
        freeze: (ms) => {
          this.signal('SIGSTOP');
          setTimeout(() => this.signal('SIGCONT'), ms);
        },
        kill: () => this.signal('SIGKILL'),
        log: (line) => this.#say(line),
      });
    } catch (error) {
      this.#say(error instanceof Error ? error.message : String(error));
      this.#end({ code: 1 });
      return undefined;
    }
  }

  #run(work: () => void): void {
    if (this.#hasEnded) return;
    if (this.#isFrozen) this.#delayed.push(work);
    else work();
  }

  #thaw(): void {
    this.#isFrozen = false;
    const delayed = this.#delayed;
    this.#delayed = [];
    for (const work of delayed) this.#run(work);
  }

  #say(line: string): void {
    if (!this.#hasEnded) fs.writeSync(this.#log, `${line}\n`);
  }

  #end(exit: HostedExit): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#delayed = [];
    this.#member?.abandon();
    fs.closeSync(this.#log);
    setImmediate(() => this.#options.onEnd(exit));
  }
}
