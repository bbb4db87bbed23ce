// Where a member of the process driver runs: in a process of its own (run-member.ts), or in one that it shares
// (hosted-member.ts).

import type { FolderLocks } from './folder.ts';
import type { Neighbours } from './neighbours.ts';

export interface Place {
  /** What `MAREKVS_DATA_DIR` is relative to. */
  readonly folder: string;
  readonly locks: FolderLocks;
  /** The members of the same process, reached without sockets. */
  readonly neighbours: Neighbours | undefined;
  /** Runs work of this member: now, when it is thawed, or never when it has ended. */
  run(work: () => void): void;
  /** Nothing of this member runs afterwards. */
  exit(code: number): void;
  /** Neither answers nor ends for this long; connections stay open. */
  freeze(ms: number): void;
  /** SIGKILL. */
  kill(): void;
  log(line: string): void;
}
