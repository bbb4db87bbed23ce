// A folder for a person's PATH: kubectl, and beside it the plugin as it is shipped, so that `kubectl mkv` works under npm start.
import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../paths.ts';

const BUNDLE_SCRIPT = 'packages/cli/bundle.ts';
const BUNDLE_LIMIT_MS = 60_000;

/** @returns the folder, in `dir` */
export async function makePluginFolder(dir: string, kubectl: string): Promise<string> {
  const folder = join(dir, 'bin');
  await mkdir(folder);
  const args = ['--conditions=development', join(projectRoot, BUNDLE_SCRIPT), join(folder, 'kubectl-mkv')];
  await Promise.all([
    symlink(kubectl, join(folder, 'kubectl')),
    promisify(execFile)(process.execPath, args, { timeout: BUNDLE_LIMIT_MS }),
  ]);
  return folder;
}
