// The plugin's bundle in this process: every call evaluates it anew, with a `process` of its own, so that it has its
// own arguments, variables, streams and signals, as if it had been started. Starting it costs 180 ms of CPU, and
// kubectl before it 75; a call costs a tenth of that.

import { EventEmitter } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { compileFunction, constants } from 'node:vm';
import { limit } from '@marekvs/testbed';

export interface PluginResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** @throws Error when it does not end in time */
export type PluginCall = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  limitMs: number,
) => Promise<PluginResult>;

const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname', 'process'];

/** @param file the bundle; its errors name it */
export async function loadPlugin(file: string): Promise<PluginCall> {
  const text = await readFile(file, 'utf8');
  // Commented out, not removed, so that line numbers stay the same.
  const evaluate = compileFunction(text.replace(/^#!/, '//'), PARAMETERS, {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const requireHere = createRequire(file);
  return async (args, env, limitMs) => {
    const { promise, resolve, reject } = Promise.withResolvers<PluginResult>();
    const out = stream();
    const err = stream();
    const signals = new EventEmitter();
    const end = (code: unknown): void => resolve({ code: Number(code), out: out.text(), err: err.text() });
    const own = Object.create(process, {
      argv: { value: [process.execPath, file, ...args] },
      env: { value: { ...env } },
      stdin: { value: { isTTY: undefined } },
      stdout: { value: out },
      stderr: { value: err },
      on: { value: signals.on.bind(signals) },
      once: { value: signals.once.bind(signals) },
      removeListener: { value: signals.removeListener.bind(signals) },
      exit: { value: end },
      exitCode: { set: end },
    });
    const requireOwn = (name: string): unknown => (/^(node:)?process$/.test(name) ? own : requireHere(name));
    const module = { exports: {} };
    const endLimit = limit(limitMs, () => {
      signals.emit('SIGTERM');
      reject(new Error(`${args.join(' ')} has not ended; it printed: ${out.text()}${err.text()}`));
    });
    try {
      evaluate(module.exports, requireOwn, module, file, '', own);
      return await promise;
    } finally {
      endLimit();
    }
  };
}

/** A pipe that somebody reads. */
function stream() {
  const chunks: string[] = [];
  return {
    isTTY: undefined,
    write(text: string): boolean {
      chunks.push(text);
      return true;
    },
    on: () => undefined,
    text: () => chunks.join(''),
  };
}
