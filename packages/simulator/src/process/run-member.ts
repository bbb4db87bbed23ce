// A member in a process of its own, which ends when the member exits.

import type { Environment } from '../member/settings/settings.ts';
import { driveMember } from './drive-member.ts';

/** @throws InvalidSettingError, InvalidKnobError, FolderLockedError before anything is open */
export function runMember(env: Environment): void {
  const member = driveMember(env, {
    folder: process.cwd(),
    locks: new Set(),
    neighbours: undefined,
    run: (work) => work(),
    exit: (code) => process.exit(code),
    freeze,
    kill: () => process.kill(process.pid, 'SIGKILL'),
    log: (line) => process.stdout.write(`${line}\n`),
  });
  process.on('SIGTERM', () => member.terminate());
}

/** Stops the whole process like SIGSTOP: sockets stay open, nothing is answered, the generation stays the same. */
function freeze(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
