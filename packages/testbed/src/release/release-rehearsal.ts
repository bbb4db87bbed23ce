// A copy of the last commit in which a release can be made without any trace here: a clone, with this project's
// dependencies.
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runIn } from './make-version.ts';

/** @returns the folder of the copy, which the caller removes */
export async function copyForRehearsal(from: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'marekvs-release-'));
  const git = (cwd: string, ...args: readonly string[]) => runIn(cwd, 'git', ...args);
  await git(from, 'clone', '--quiet', from, folder);
  // lerna refuses a detached head, which is what a CI checks out.
  await git(folder, 'switch', '--quiet', '-C', 'rehearsal');
  await git(folder, 'config', 'user.name', 'rehearsal');
  await git(folder, 'config', 'user.email', 'rehearsal@localhost');
  await git(folder, 'config', 'commit.gpgSign', 'false');
  await git(folder, 'config', 'tag.gpgSign', 'false');
  // Links in the changelog are made from the URL of the remote; a path on this machine would be wrong.
  const remotes = await git(from, 'remote');
  if (remotes.split('\n').includes('origin')) {
    await git(folder, 'remote', 'set-url', 'origin', await git(from, 'remote', 'get-url', 'origin'));
  } else await git(folder, 'remote', 'remove', 'origin');
  linkDependencies(join(from, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Links to what is installed here, but the project's own packages are those of the copy: npm links them by relative
 *  paths. */
function linkDependencies(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (name === '.package-lock.json') continue;
    if (name !== '@marekvs') {
      symlinkSync(join(from, name), join(to, name));
      continue;
    }
    mkdirSync(join(to, name));
    for (const one of readdirSync(join(from, name))) {
      const path = join(from, name, one);
      if (lstatSync(path).isSymbolicLink()) symlinkSync(readlinkSync(path), join(to, name, one));
    }
  }
}
