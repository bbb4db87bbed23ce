// An operator of an earlier commit, bundled from the history of this repository as its image was at the time, with the
// third-party packages that are installed now.

import { execFile } from 'node:child_process';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot, stretched } from '@marekvs/testbed';

const run = promisify(execFile);
const LIMIT_MS = 120_000;
const OWN = '@marekvs';

/** @param folder is made, and holds its sources and its bundle
 *  @returns the file to run; undefined where the history does not go back to it, as in a shallow clone */
export async function bundleOlderOperator(commit: string, folder: string): Promise<string | undefined> {
  if (!(await isKnown(commit))) return undefined;
  await mkdir(folder, { recursive: true });
  const archive = join(folder, 'sources.tar');
  await git('archive', `--output=${archive}`, commit, 'packages', 'LICENSE', 'package.json');
  await run('tar', ['-xf', archive, '-C', folder], { timeout: stretched(LIMIT_MS) });
  await linkPackages(folder);
  const out = join(folder, 'operator');
  const args = ['--conditions=development', 'packages/operator/bundle.ts', out];
  await run(process.execPath, args, { cwd: folder, timeout: stretched(LIMIT_MS) });
  return join(out, 'main.js');
}

function git(...args: readonly string[]) {
  return run('git', ['-C', projectRoot, ...args], { timeout: stretched(LIMIT_MS) });
}

async function isKnown(commit: string): Promise<boolean> {
  try {
    await git('cat-file', '-e', `${commit}^{commit}`);
    return true;
  } catch {
    return false;
  }
}

/** Third-party packages as they are installed here; our own as they were. */
async function linkPackages(folder: string): Promise<void> {
  const [here, there] = [join(projectRoot, 'node_modules'), join(folder, 'node_modules')];
  await mkdir(join(there, OWN), { recursive: true });
  const others = (await readdir(here)).filter((name) => name !== OWN && !name.startsWith('.'));
  const own = await readdir(join(folder, 'packages'));
  await Promise.all([
    ...others.map((name) => symlink(join(here, name), join(there, name))),
    ...own.map((name) => symlink(join(folder, 'packages', name), join(there, OWN, name))),
  ]);
}
