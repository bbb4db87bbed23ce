// A folder for a person's PATH: kubectl, and beside it the plugin as it is shipped, so that `kubectl mkv` works under
// npm start.
import { copyFile, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pluginProgram } from './made-programs.ts';

/** @returns the folder, in `dir` */
export async function makePluginFolder(dir: string, kubectl: string): Promise<string> {
  const folder = join(dir, 'bin');
  const plugin = join(folder, 'kubectl-mkv');
  await mkdir(folder);
  const [made] = await Promise.all([pluginProgram(plugin), symlink(kubectl, join(folder, 'kubectl'))]);
  if (made !== plugin) await copyFile(made, plugin);
  return folder;
}
