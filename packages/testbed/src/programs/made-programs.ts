// Our own programs as files that plain Node can run: the operator as shipped, the plugin as installed, the simulated
// members; and the client that the journeys use. A gate that starts many testbeds makes them once and tells its
// processes where they are; a single testbed makes what it lacks by itself.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../paths.ts';
import { stretched } from '../patience.ts';

/** Name of the environment variable with the folder in which they were made. */
export const MADE_VARIABLE = 'MAREKVS_TESTBED_PROGRAMS';

/** Paths below that folder. */
const FILES = {
  operator: 'operator/main.js',
  plugin: 'plugin/kubectl-mkv.cjs',
  member: 'members/member.js',
  hosted: 'members/hosted.js',
  hollow: 'members/hollow.js',
  clientNode: 'client-node/index.js',
} as const;

export type OwnProgram = keyof typeof FILES;

/** Each takes where to write. They belong to packages that this one does not depend on, and are known by path only. */
const BUNDLE_OPERATOR = 'packages/operator/bundle.ts';
const BUNDLE_PLUGIN = 'packages/cli/bundle.ts';
const BUNDLE_MEMBERS = 'packages/simulator/bundle.ts';
const BUNDLE_CLIENT_NODE = 'packages/testbed/bundle.ts';
const BUNDLE_LIMIT_MS = 60_000;

/** Makes all of them. */
export async function makePrograms(folder: string): Promise<void> {
  await Promise.all([
    bundle(BUNDLE_OPERATOR, join(folder, 'operator')),
    bundle(BUNDLE_PLUGIN, join(folder, FILES.plugin)),
    bundle(BUNDLE_MEMBERS, join(folder, 'members')),
    bundle(BUNDLE_CLIENT_NODE, join(folder, FILES.clientNode)),
  ]);
}

/** @returns its file; undefined when it was not made for this process */
export function madeProgram(program: OwnProgram): string | undefined {
  const folder = process.env[MADE_VARIABLE];
  if (folder === undefined) return undefined;
  const file = join(folder, FILES[program]);
  return existsSync(file) ? file : undefined;
}

/** The path of a file beside the programs that were made once, for what else is the same in every testbed; undefined
 *  when none were made. */
export function keptFile(name: string): string | undefined {
  const folder = process.env[MADE_VARIABLE];
  return folder === undefined ? undefined : join(folder, name);
}

/** The folder of V8's compile cache: beside the programs that were made once, or `otherwise` when none were made. */
export function compileCache(otherwise: string): string {
  const folder = process.env[MADE_VARIABLE];
  return folder === undefined ? otherwise : join(folder, 'compile-cache');
}

/** The operator as shipped, not its sources: what is measured is what runs in a cluster. @param outdir written
 *  to unless it was made before
 *  @returns the file to run */
export async function operatorProgram(outdir: string): Promise<string> {
  const made = madeProgram('operator');
  if (made !== undefined) return made;
  const entry = join(outdir, 'main.js');
  if (!existsSync(entry)) await bundle(BUNDLE_OPERATOR, outdir);
  return entry;
}

/** The plugin as installed. @param file written to unless it was made before @returns the file to run, or to copy */
export async function pluginProgram(file: string): Promise<string> {
  const made = madeProgram('plugin');
  if (made !== undefined) return made;
  await bundle(BUNDLE_PLUGIN, file);
  return file;
}

async function bundle(script: string, to: string): Promise<void> {
  const args = ['--conditions=development', join(projectRoot, script), to];
  await promisify(execFile)(process.execPath, args, { timeout: stretched(BUNDLE_LIMIT_MS) });
}
