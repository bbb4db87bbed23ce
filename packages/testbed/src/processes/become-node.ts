// Replaces this process by another run of Node, so that Ctrl-C, the exit code and the debugger reach it directly.
import { join } from 'node:path';
import { projectRoot } from '../paths.ts';

export const MOCHA = join(projectRoot, 'node_modules', 'mocha', 'bin', 'mocha.js');

/** Does not return. Windows cannot replace a process. */
export function becomeNode(args: readonly string[]): never {
  if (process.execve === undefined) throw new Error('replace the process: not possible on this platform');
  return process.execve(process.execPath, [process.execPath, ...args], process.env);
}
