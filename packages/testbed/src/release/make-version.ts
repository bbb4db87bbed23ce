// Cuts a release in a checkout: the version by the commits since the last one, the changelog, one commit, one tag.
// lerna does it (lerna.json, command.version), and calls release-files.ts for files it does not know. Pushes nothing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunToolOptions, runTool } from '../processes/run-tool.ts';

/** @param bump `minor`, `1.2.3` …; by default what the commits ask for. @returns the version, which
 *  is tagged with a `v` before it
 *  @throws Error when there is nothing to release, or with what a program printed */
export async function makeVersion(folder: string, bump?: string): Promise<string> {
  const last = await lastTag(folder);
  if (last === undefined) {
    // The first release has the present version and a changelog by hand: a list of all commits would help nobody.
    const tag = `v${versionOf(folder)}`;
    await runIn(folder, 'git', 'tag', '--annotate', tag, '--message', tag);
  } else {
    const count = await runIn(folder, 'git', 'rev-list', '--count', `${last}..HEAD`);
    if (count === '0') throw new Error(`there is no commit since ${last}`);
    const lerna = join(folder, 'node_modules', '.bin', 'lerna');
    await runIn(folder, lerna, 'version', '--yes', '--loglevel', 'error', ...(bump === undefined ? [] : [bump]));
  }
  return versionOf(folder);
}

/** @returns undefined before the first release */
export async function lastTag(folder: string): Promise<string | undefined> {
  const args = ['describe', '--tags', '--abbrev=0', '--match', 'v*'];
  const { code, output } = await runTool('git', args, settingsIn(folder));
  return code === 0 ? output.trim() : undefined;
}

/** Runs a program in a checkout. @returns what it printed. @throws Error with it */
export async function runIn(folder: string, command: string, ...args: readonly string[]): Promise<string> {
  const { code, output } = await runTool(command, args, settingsIn(folder));
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} in ${folder} ended with ${code}:\n${output}`);
  return output.trim();
}

/** Without the variables by which npm tells its scripts about their project: an npm that works in a copy of it would
 *  believe them. nx, from which lerna gets its graph of packages, would leave a process behind. */
function settingsIn(cwd: string): RunToolOptions {
  const isOfNpm = (name: string): boolean =>
    /^(npm_(package|lifecycle)_.*|npm_config_local_prefix|INIT_CWD)$/.test(name);
  const kept = Object.entries(process.env).filter(([name]) => !isOfNpm(name));
  return { cwd, env: { ...Object.fromEntries(kept), NX_DAEMON: 'false', NX_NO_CLOUD: 'true' } };
}

function versionOf(folder: string): string {
  const { version }: { readonly version: string } = JSON.parse(readFileSync(join(folder, 'lerna.json'), 'utf8'));
  return version;
}
