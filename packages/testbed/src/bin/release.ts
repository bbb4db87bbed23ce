// `npm run release -- --dry-run [bump]`: the next release, made in a copy and thrown away: its version and changelog by
// the commits since the last one, its packages as tarballs. Without --dry-run, after the same rehearsal: the commit and
// the tag, here. Nothing is ever pushed or published from here: the workflow of the pushed tag does that.
import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { typedIn } from '../mocha/test-files.ts';
import { projectRoot } from '../paths.ts';
import { lastTag, makeVersion, runIn } from '../release/make-version.ts';
import { copyForRehearsal } from '../release/release-rehearsal.ts';
import { changelogOf } from '../release/release-version.ts';

const USAGE = `usage: npm run release -- [--dry-run] [--out <folder>] [--archives <address>] [--image <image>] [--keep] [major | minor | patch | <version>]
  --dry-run   only the rehearsal
  --out       where the tarballs of the rehearsal, the manifest for krew and the OLM bundle go; otherwise they are thrown away
  --archives  under which address tarballs will be found; without it there is no manifest for krew
  --image     of the operator in the OLM bundle, with its tag
  --keep      the copy in which it was rehearsed stays, with the commit and the tag`;

interface Rehearsal {
  readonly bump: string | undefined;
  readonly out: string | undefined;
  /** Options of pack.ts, and their values. */
  readonly published: readonly string[];
  readonly isKept: boolean;
}

try {
  const { values, positionals } = parseArgs({
    options: {
      'dry-run': { type: 'boolean', default: false },
      out: { type: 'string' },
      archives: { type: 'string' },
      image: { type: 'string' },
      keep: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  if (positionals.length > 1) throw new Error(USAGE);
  const { out, archives, image } = values;
  const published = [
    ...(archives === undefined ? [] : ['--archives', archives]),
    ...(image === undefined ? [] : ['--image', image]),
  ];
  await release({ bump: positionals[0], out, published, isKept: values.keep }, values['dry-run']);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function release(rehearsal: Rehearsal, isDryRun: boolean): Promise<void> {
  const changes = await runIn(projectRoot, 'git', 'status', '--porcelain');
  if (changes !== '' && !isDryRun) throw new Error(`commit or remove what is not committed first:\n${changes}`);
  if (changes !== '') say('What is not committed is left out.');
  await rehearse(rehearsal);
  if (isDryRun) return say('\nA dry run: nothing was changed, pushed or published.');
  const version = await makeVersion(projectRoot, rehearsal.bump);
  say(`\nTagged v${version}. To publish it: git push --follow-tags origin HEAD`);
}

async function rehearse({ bump, out, published, isKept }: Rehearsal): Promise<void> {
  const since = (await lastTag(projectRoot)) ?? 'the beginning';
  const copy = await copyForRehearsal(projectRoot);
  try {
    const version = await makeVersion(copy, bump);
    const changelog = changelogOf(readFileSync(join(copy, 'CHANGELOG.md'), 'utf8'), version);
    if (changelog === undefined) throw new Error(`CHANGELOG.md has no section about ${version}`);
    say(`Version ${version}, since ${since}\n\n${changelog}\n\nPackages`);
    const pack = join(copy, 'packages', 'packaging', 'pack.ts');
    const tarballs = out === undefined ? join(copy, '.tmp', 'tarballs') : resolve(typedIn(), out);
    say(await runIn(copy, process.execPath, '--conditions=development', pack, '--out', tarballs, ...published));
  } finally {
    if (isKept) say(`Kept in ${copy}`);
    else rmSync(copy, { recursive: true, force: true });
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
