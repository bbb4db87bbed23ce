// Hands the terminal over to another run of Node: same process, so that Ctrl-C, the exit code and the
// debugger need nobody in between.
import { join } from 'node:path';
import { projectRoot } from '../paths.ts';

export const MOCHA = join(projectRoot, 'node_modules', 'mocha', 'bin', 'mocha.js');

/** Does not return. Windows cannot replace a process. */
export function becomeNode(args: readonly string[]): never {
  if (process.execve === undefined) throw new Error('replace the process: not possible on this platform');
  return process.execve(process.execPath, [process.execPath, ...args], process.env);
}
