// npm run release, in a copy of this project: what it would publish, and the commit it makes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { projectRoot } from '../src/paths.ts';
import { makeVersion, runIn } from '../src/release/make-version.ts';
import { copyForRehearsal } from '../src/release/release-rehearsal.ts';
import { changelogOf, VERSION_PLACES, withVersion } from '../src/release/release-version.ts';

const LIMIT_MS = 240_000;
const ARCHIVES = 'https://archives.example/releases';
const textOf = (folder: string, path: string): string => readFileSync(join(folder, path), 'utf8');
const released = (folder: string): string => JSON.parse(textOf(folder, 'lerna.json')).version;

describe('the version', () => {
  it('occurs once in each of our own places for it, and is that of lerna.json', () => {
    for (const place of VERSION_PLACES) {
      const text = textOf(projectRoot, place.path);
      expect(text.match(place.pattern), place.path).to.deep.equal([released(projectRoot)]);
      expect(withVersion(text, place, '7.8.9').match(place.pattern), place.path).to.deep.equal(['7.8.9']);
    }
  });

  it('is not written into a place whose form has changed', () => {
    const place = { path: 'a.ts', pattern: /(?<=V = ')[^']+/g };
    expect(withVersion("V = '1'", place, '2')).to.equal("V = '2'");
    for (const text of ['W = 1', "V = '1'; V = '1'"])
      expect(() => withVersion(text, place, '2'), text).to.throw('a.ts');
  });
});

describe('the changelog of a version', () => {
  const text =
    '# Change Log\n\n# [0.2.0](x) (2026)\n\n### Features\n\n* two\n\n## 0.1.1 (2026)\n\n* fixed\n\n# 0.1.0\n\nOne.\n';

  it('ends where that of the previous version begins', () => {
    expect(changelogOf(text, '0.2.0')).to.equal('# [0.2.0](x) (2026)\n\n### Features\n\n* two');
    expect(changelogOf(text, '0.1.1')).to.equal('## 0.1.1 (2026)\n\n* fixed');
    expect(changelogOf(text, '0.1.0')).to.equal('# 0.1.0\n\nOne.');
  });

  it('is missing when only a longer or a shorter version has one', () => {
    for (const version of ['0.2', '0.2.0-rc.1', '.2.0', '0.1.10'])
      expect(changelogOf(text, version), version).to.equal(undefined);
  });

  it('exists for the version of this project', () => {
    expect(changelogOf(textOf(projectRoot, 'CHANGELOG.md'), released(projectRoot))).to.be.a('string');
  });
});

describe('a release', function () {
  this.timeout(LIMIT_MS);
  let here = '';
  let rehearsed = '';
  let text = '';
  let next = '';
  const state = () =>
    Promise.all([['rev-parse', 'HEAD'], ['tag'], ['status', '--porcelain']].map((one) => runIn(here, 'git', ...one)));
  let earlier: readonly string[] = [];

  before(async () => {
    here = await copyOfWhatIsHere();
    const [major, minor] = released(here).split('.').map(Number);
    next = `${major}.${(minor ?? 0) + 1}.0`;
    await runIn(here, 'git', 'tag', '--force', `v${released(here)}`);
    // lerna assigns a commit to the package whose files it changes.
    await commit('feat(api): a thing nobody has seen', 'packages/api/src/new.ts');
    await commit('test(api): of no interest to users', 'packages/api/test/new.ts');
    earlier = await state();
    const program = join(here, 'packages/testbed/src/bin/release.ts');
    const out = join(here, '.tmp', 'out');
    const args = ['--conditions=development', program, '--dry-run', '--keep', '--out', out, '--archives', ARCHIVES];
    text = await runIn(here, process.execPath, ...args);
    rehearsed = /^Kept in (.+)$/m.exec(text)?.[1] ?? '';
  });
  after(() => {
    for (const folder of [here, rehearsed]) if (folder !== '') rmSync(folder, { recursive: true, force: true });
  });
  async function commit(message: string, path: string): Promise<void> {
    writeFileSync(join(here, path), 'export const nothing = 0;\n');
    await runIn(here, 'git', 'add', path);
    await runIn(here, 'git', 'commit', '--quiet', '--message', message);
  }

  it('has the version that follows from the commits since the last one, and lists those that matter', () => {
    expect(text).to.include(`Version ${next}, since v${released(here)}\n`);
    expect(text).to.include('* **api:** a thing nobody has seen').and.not.include('of no interest');
  });

  it('has a tarball of every public package, which needs the others in the same version', () => {
    const out = join(here, '.tmp', 'out');
    const names = ['api', 'cli', 'operator', 'planner', 'runtime', 'simulator', 'store-client'];
    const tarballs = readdirSync(out).filter((name) => name.endsWith('.tgz'));
    expect(tarballs.toSorted()).to.deep.equal(names.map((name) => `marekvs-${name}-${next}.tgz`));
    const manifest = execFileSync('tar', ['-xOf', join(out, `marekvs-operator-${next}.tgz`), 'package/package.json']);
    expect(JSON.parse(manifest.toString()).dependencies).to.include({ '@marekvs/api': next, '@marekvs/planner': next });
  });

  it('has a manifest for krew and a bundle for OLM with the same version and the present contents', () => {
    const out = join(here, '.tmp', 'out');
    const tarball = `marekvs-cli-${next}.tgz`;
    const sha256 = createHash('sha256')
      .update(readFileSync(join(out, tarball)))
      .digest('hex');
    expect(readFileSync(join(out, 'mkv.yaml'), 'utf8'))
      .to.include(`version: v${next}\n`)
      .and.include(`uri: ${ARCHIVES}/${tarball}\n`)
      .and.include(`sha256: ${sha256}\n`);
    const bundle = join(out, 'olm-bundle', 'manifests', 'marekvs-operator.clusterserviceversion.yaml');
    expect(readFileSync(bundle, 'utf8'))
      .to.include(`marekvs-operator.v${next}\n`)
      .and.include(`marekvs-operator:${next}\n`);
  });

  it('changes nothing when it is only rehearsed', async () => {
    expect(await state()).to.deep.equal(earlier);
  });

  it('is one commit with a tag, after which the version is the same everywhere', async () => {
    const git = (...args: readonly string[]) => runIn(rehearsed, 'git', ...args);
    expect(await git('describe', '--tags')).to.equal(`v${next}`);
    expect(await git('log', '-1', '--format=%s %p')).to.equal(
      `chore(release): v${next} ${await git('rev-parse', '--short', 'HEAD~1')}`,
    );
    expect(await git('status', '--porcelain')).to.equal('');
    const changed = (await git('show', '--name-only', '--format=')).split('\n');
    expect(changed.filter((path) => path.endsWith('CHANGELOG.md'))).to.deep.equal(['CHANGELOG.md']);
    expect(changed).to.include.members(VERSION_PLACES.map(({ path }) => path));
    const json = changed.filter((path) => /(^lerna|package)\.json$/.test(path));
    await runIn(rehearsed, join(rehearsed, 'node_modules/.bin/biome'), 'format', ...json);
    const chart = join(rehearsed, 'packages/packaging/generate.ts');
    await runIn(rehearsed, process.execPath, '--conditions=development', chart, '--check');
  });

  it('is refused when nothing has changed since the last one', async () => {
    const problem = await makeVersion(rehearsed).then(() => undefined, String);
    expect(problem).to.equal(`Error: there is no commit since v${next}`);
  });
});

describe('the first release', () => {
  it('is a tag for the present version, without a commit', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'marekvs-first-'));
    const git = (...args: readonly string[]) => runIn(folder, 'git', ...args);
    try {
      await git('init', '--quiet');
      await git('config', 'user.name', 'first');
      await git('config', 'user.email', 'first@localhost');
      writeFileSync(join(folder, 'lerna.json'), '{ "version": "0.3.0" }');
      await git('add', '--all');
      await git('commit', '--quiet', '--message', 'feat: all of it');
      expect(await makeVersion(folder)).to.equal('0.3.0');
      expect(await git('describe', '--exact-match')).to.equal('v0.3.0');
      expect(await git('rev-list', '--count', 'HEAD')).to.equal('1');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** A clone has only what is committed, and this test is about the files in the folder. */
async function copyOfWhatIsHere(): Promise<string> {
  const copy = await copyForRehearsal(projectRoot);
  const list = async (...which: readonly string[]): Promise<string[]> =>
    (await runIn(projectRoot, 'git', 'ls-files', ...which)).split('\n').filter((path) => path !== '');
  for (const path of await list('--deleted')) rmSync(join(copy, path), { force: true });
  const deleted = new Set(await list('--deleted'));
  for (const path of await list('--modified', '--others', '--exclude-standard')) {
    if (deleted.has(path)) continue;
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    copyFileSync(join(projectRoot, path), join(copy, path));
  }
  await runIn(copy, 'git', 'add', '--all');
  await runIn(copy, 'git', 'commit', '--quiet', '--allow-empty', '--message', 'chore: what is here');
  return copy;
}
