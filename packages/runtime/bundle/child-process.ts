// node:child_process, loaded when a program is started: loading it is a twentieth of a cold start of the plugin. It has
// what the bundles use, and nothing else.

import type * as ChildProcess from 'node:child_process';
import { promisify } from 'node:util';

const load = () => process.getBuiltinModule('node:child_process');

export const spawn = ((...args: Parameters<typeof ChildProcess.spawn>) =>
  load().spawn(...args)) as typeof ChildProcess.spawn;

export const spawnSync = ((...args: Parameters<typeof ChildProcess.spawnSync>) =>
  load().spawnSync(...args)) as typeof ChildProcess.spawnSync;

type Promised = (typeof ChildProcess.execFile)['__promisify__'];

/** Promisified it gives both streams, as the real one does. */
export const execFile = Object.assign((...args: Parameters<typeof ChildProcess.execFile>) => load().execFile(...args), {
  [promisify.custom]: (...args: Parameters<Promised>) => promisify(load().execFile)(...args),
});

// biome-ignore lint/style/noDefaultExport: the client library imports the module as a whole
export default { spawn, spawnSync, execFile };
