// What developers type all day: npm run unit, npm run debug, mocha by hand.
import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { findTestFiles, toWord, UNIT_FILES } from '../src/mocha/test-files.ts';
import { mochaArguments, parseUnitOptions } from '../src/options/unit-options.ts';
import { projectRoot } from '../src/paths.ts';
import { stretched } from '../src/patience.ts';

const FILE = 'packages/testbed/test/journey-files.test.ts';
const MOCHA = join(projectRoot, 'node_modules/mocha/bin/mocha.js');
const LIMIT_MS = 60_000;

/** Runs Node with its arguments in the project's folder. */
function node(...args: readonly string[]): Promise<{ readonly code: unknown; readonly text: string }> {
  return new Promise((resolve) => {
    const end = (error: ExecFileException | null, stdout: string, stderr: string): void =>
      resolve({ code: error?.code ?? 0, text: stdout + stderr });
    execFile(
      process.execPath,
      args,
      { cwd: projectRoot, timeout: stretched(LIMIT_MS), env: { PATH: process.env.PATH } },
      end,
    );
  });
}
const unit = (...args: readonly string[]) =>
  node('--conditions=development', 'packages/testbed/src/bin/unit.ts', ...args);

describe('npm run unit', function () {
  this.timeout(LIMIT_MS);

  it('runs the named file, with a line per test', async () => {
    const { code, text } = await unit(FILE, '--grep', 'is 6 by default');
    expect(text)
      .to.match(/✔ is 6 by default/)
      .and.match(/\b1 passing/);
    expect(code).to.equal(0);
  });

  it('refuses a word that no path has, and names the command for it when a journey has it', async () => {
    const nothing = await unit('no-such-file');
    expect(nothing.text).to.equal(`no file of ${UNIT_FILES} has no-such-file in its path\n`);
    expect(nothing.code).to.equal(2);
    expect((await unit('journeys/repair')).text).to.include('npm test -- --part journeys journeys/repair');
  });

  it('refuses a word that no path has even when other words have a path', async () => {
    const { code, text } = await unit('journey-files', 'no-such-file');
    expect(text).to.equal(`no file of ${UNIT_FILES} has no-such-file in its path\n`);
    expect(code).to.equal(2);
  });

  it('runs every file that matches a quoted pattern, and says how many there are', async () => {
    const { code, text } = await unit(
      'packages/testbed/**/{journey-files,patience}.test.ts',
      '--grep',
      'is 6 by default',
    );
    expect(text)
      .to.match(/^2 files\n/)
      .and.match(/\b1 passing/);
    expect(code).to.equal(0);
  });

  it('refuses a list of files in which those of some folders are missing, as from a shell that treats ** as *', async () => {
    const planner = findTestFiles(UNIT_FILES, ['packages/planner/test/']);
    const expanded = planner.filter((file) => file.split('/').length === 5);
    const { code, text } = await unit(...expanded);
    expect(text)
      .to.include(`leave out ${planner.length - expanded.length} others below packages/planner/test`)
      .and.include("quote the pattern: 'packages/planner/test/**/*.test.ts'");
    expect(code).to.equal(2);
  });

  it('takes options in any order', () => {
    expect(parseUnitOptions(['a', '--watch', '-g', 'two words', 'b', '--bail'])).to.deep.equal({
      isHelp: false,
      isWatch: true,
      mocha: ['--grep', 'two words', '--bail'],
      words: ['a', 'b'],
    });
  });

  it('refuses an unknown option, and options without a file', () => {
    expect(parseUnitOptions(['--wach', 'a'])).to.match(/--wach/);
    for (const args of [['--watch'], ['--bail'], ['--grep', 'x']])
      expect(parseUnitOptions(args)).to.match(/want a file/);
  });

  it('has Node run the tests in the process that it watches or halts', () => {
    const args = mochaArguments({ program: 'mocha.js', files: ['a'], testMs: 0, node: ['--watch'], more: ['--bail'] });
    expect(args.slice(0, 3)).to.deep.equal(['--watch', '--conditions=development', 'mocha.js']);
    expect(args).to.include('--no-config');
    expect(args.slice(-2)).to.deep.equal(['--bail', 'a']);
  });
});

describe('test files', () => {
  it('are found by any of several words, and only one by its whole path', () => {
    expect(findTestFiles(UNIT_FILES, [FILE])).to.deep.equal([FILE]);
    expect(findTestFiles(UNIT_FILES, ['inner-loop', 'journey-files'])).to.deep.equal([
      'packages/testbed/test/inner-loop.test.ts',
      FILE,
    ]);
  });

  it('are found by a pattern, in folders of any depth', () => {
    const all = findTestFiles(UNIT_FILES, ['packages/planner/test/']);
    expect(findTestFiles(UNIT_FILES, ['packages/planner/test/**/*.test.ts'])).to.deep.equal(all);
    expect(new Set(all.map((file) => file.split('/').length))).to.deep.equal(new Set([4, 5]));
  });

  it('can be named by a pattern relative to the current folder', () => {
    const here = join(projectRoot, 'packages/planner');
    expect(toWord('test/**/*.test.ts', here)).to.equal('packages/planner/test/**/*.test.ts');
    expect(toWord('**/moving.test.ts', here)).to.equal('packages/planner/**/moving.test.ts');
    expect(toWord('packages/planner/test/*.test.ts', here)).to.equal('packages/planner/test/*.test.ts');
  });

  it('can be named relative to the current folder', () => {
    const here = join(projectRoot, 'packages/testbed/test');
    for (const text of ['journey-files.test.ts', './journey-files.test.ts', join(projectRoot, FILE)]) {
      expect(toWord(text, here), text).to.equal(FILE);
    }
    expect(toWord('journey', here)).to.equal('journey');
    expect(toWord('/tmp', here)).to.equal('/tmp');
  });
});

describe('mocha by hand', function () {
  this.timeout(LIMIT_MS);

  it('runs the named file and no other, without an option', async () => {
    const { code, text } = await node(MOCHA, '--dry-run', '--reporter', 'json', FILE);
    expect(code, text).to.equal(0);
    const { tests }: { readonly tests: readonly { readonly file: string }[] } = JSON.parse(text);
    expect([...new Set(tests.map(({ file }) => file))]).to.deep.equal([join(projectRoot, FILE)]);
  });
});

describe('npm run debug', function () {
  this.timeout(LIMIT_MS);

  it('names the tests when words match more than one, and halts in none of them', async () => {
    const { code, text } = await node(
      '--conditions=development',
      'packages/testbed/src/bin/debug.ts',
      'testbed/test/p',
    );
    expect(text)
      .to.include('packages/testbed/test/probes.test.ts\n')
      .and.include('packages/testbed/test/processes.test.ts\n');
    expect(code).to.equal(2);
  });
});

describe('npm test', function () {
  this.timeout(LIMIT_MS);

  it('refuses a part that does not exist', async () => {
    const { code, text } = await node('--conditions=development', 'packages/testbed/src/bin/test.ts', '--part', 'unti');
    expect(text).to.equal('--part unti: one of check, unit, lives, journeys is wanted\n');
    expect(code).to.equal(2);
  });
});

describe('the scripts of package.json', () => {
  it('name only files that exist', () => {
    const manifest: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
      readFileSync(join(projectRoot, 'package.json'), 'utf8'),
    );
    const named = Object.values(manifest.scripts).flatMap((script) => script.match(/\S+\.(?:ts|mjs)\b/g) ?? []);
    expect(named).to.have.length.greaterThan(10);
    expect(named.filter((path) => !existsSync(join(projectRoot, path)))).to.deep.equal([]);
  });
});
