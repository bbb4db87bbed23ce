// `npm run release -- --dry-run [bump]`: the next release, made in a copy and thrown away: its version and changelog by the commits since
// the last one, its packages as tarballs. Without --dry-run, after the same rehearsal: the commit and the tag, here. Nothing is ever
// pushed or published from here: the workflow of the pushed tag does that.
import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../paths.ts';
import { copyForRehearsal, git } from './release-rehearsal.ts';
import { changelogOf } from './release-version.ts';
import { runTool } from './run-tool.ts';
import { typedIn } from './test-files.ts';

const USAGE = `usage: npm run release -- [--dry-run] [--out <folder for tarballs>] [major | minor | patch | <version>]
`;

try {
  const { values, positionals } = parseArgs({
    options: { 'dry-run': { type: 'boolean', default: false }, out: { type: 'string' } },
    allowPositionals: true,
  });
  if (positionals.length > 1) throw new Error(USAGE);
  const out = values.out === undefined ? undefined : resolve(typedIn(), values.out);
  forgetNpm();
  await release(positionals[0], values['dry-run'], out);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function release(bump: string | undefined, isDryRun: boolean, out: string | undefined): Promise<void> {
  const changes = await git(projectRoot, 'status', '--porcelain');
  if (changes !== '' && !isDryRun) throw new Error(`commit or remove what is not committed first:\n${changes}`);
  if (changes !== '') say('What is not committed is left out.');
  const copy = await copyForRehearsal(projectRoot);
  try {
    const version = await makeVersion(copy, bump);
    say(`Version ${version}, since ${(await lastTag(projectRoot)) ?? 'the beginning'}\n`);
    const changelog = changelogOf(readFileSync(join(copy, 'CHANGELOG.md'), 'utf8'), version);
    if (changelog === undefined) throw new Error(`CHANGELOG.md has no section about ${version}`);
    say(`${changelog}\n\nPackages`);
    const pack = join(copy, 'packages', 'packaging', 'pack.ts');
    const tarballs = out ?? join(copy, '.tmp', 'tarballs');
    await run(copy, process.execPath, ['--conditions=development', pack, '--out', tarballs]);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  if (isDryRun) return say('\nA dry run: nothing was changed, pushed or published.');
  const version = await makeVersion(projectRoot, bump);
  say(`\nTagged v${version}. To publish it: git push --follow-tags origin HEAD`);
}

/** Writes the version, commits and tags it. @returns the version */
async function makeVersion(folder: string, bump: string | undefined): Promise<string> {
  const last = await lastTag(folder);
  if (last === undefined) {
    // The first release is the version that is there, with a changelog by hand: a list of all commits would tell nobody anything.
    await git(folder, 'tag', '--annotate', `v${versionOf(folder)}`, '--message', `v${versionOf(folder)}`);
  } else {
    if ((await git(folder, 'rev-list', '--count', `${last}..HEAD`)) === '0') throw new Error(`no commit since ${last}`);
    const lerna = join(folder, 'node_modules', '.bin', 'lerna');
    await run(folder, lerna, ['version', '--yes', '--loglevel', 'error', ...(bump === undefined ? [] : [bump])]);
  }
  return versionOf(folder);
}

/** @returns undefined before the first release */
async function lastTag(folder: string): Promise<string | undefined> {
  const { code, output } = await runTool('git', ['describe', '--tags', '--abbrev=0', '--match', 'v*'], { cwd: folder });
  return code === 0 ? output.trim() : undefined;
}

function versionOf(folder: string): string {
  const { version }: { readonly version: string } = JSON.parse(readFileSync(join(folder, 'lerna.json'), 'utf8'));
  return version;
}

async function run(cwd: string, command: string, args: readonly string[]): Promise<void> {
  const { code, output } = await runTool(command, args, { cwd });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output}`);
  if (output.trim() !== '') say(output.trimEnd());
}

/** What npm tells its scripts about this project would be believed by the npm that works in the copy. lerna's graph of packages comes
 *  from nx, which would leave a process and files behind. */
function forgetNpm(): void {
  for (const name of Object.keys(process.env)) {
    if (/^(npm_(package|lifecycle)_.*|npm_config_local_prefix|INIT_CWD)$/.test(name)) delete process.env[name];
  }
  process.env.NX_DAEMON = 'false';
  process.env.NX_NO_CLOUD = 'true';
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
