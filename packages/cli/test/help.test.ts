// What --help says about every verb, and that this program accepts every `kubectl mkv …` in the documentation.

import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import type { Command } from 'commander';
import { describe, it } from 'mocha';
import { processPorts } from '../src/connection/process-ports.ts';
import { EXIT } from '../src/index.ts';
import { createProgram } from '../src/run.ts';
import { runFake } from './support/fake-cli.ts';
import { serverWith } from './support/fake-server.ts';
import { NOW_MS } from './support/objects.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const program = createProgram(processPorts(new AbortController().signal), () => undefined);
const verbs = verbsOf(program);

describe('the help', () => {
  for (const verb of [...verbs, ...verbs.flatMap(verbsOf)]) {
    const line = nameOf(verb);
    it(`of ${line} fits a terminal, describes every flag and argument, and names the exit codes`, async () => {
      const { code, out, err } = await runFake([...line.split(' '), '--help'], { server: serverWith(), nowMs: NOW_MS });
      expect([code, err]).to.deep.equal([EXIT.fine, '']);
      expect(Math.max(...out.split('\n').map((line) => line.length)), out).to.be.at.most(80);
      expect(out).to.match(/Exit codes:\n {2}0 {2}fine[\s\S]*\n {2}5 {2}no permission\n/);
      for (const { description, flags } of verb.options) expect(description, flags).to.not.equal('');
      for (const argument of verb.registeredArguments) expect(argument.description, argument.name()).to.not.equal('');
    });
  }

  it('lists every verb with one line of what it does', async () => {
    const { out } = await runFake(['--help'], { server: serverWith(), nowMs: NOW_MS });
    for (const verb of verbs) expect(out).to.match(new RegExp(`^  ${verb.name()} .*\\S`, 'm'));
  });
});

describe('the documentation', () => {
  const pages = [
    'README.md',
    ...globSync('docs/**/*.md', { cwd: ROOT }),
    ...globSync('config/**/*.{md,txt}', { cwd: ROOT }),
  ];
  const sources = globSync('packages/{cli,api}/src/**/*.ts', { cwd: ROOT });
  const said = [...pages, ...sources].flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/kubectl mkv ([a-z][^`'"\n#|;),]*)/g)].map(([, line = '']) => ({
      page,
      line,
    })),
  );

  it('names verbs of the plugin often enough for this check to mean something', () => {
    expect(said.length).to.be.greaterThan(30);
  });

  it('names no verb and no flag that this program does not have', () => {
    expect(
      said.flatMap(({ page, line }) => strange(line).map((what) => `${page}: kubectl mkv ${line}: ${what}`)),
    ).to.deep.equal([]);
  });
});

/** The verb or the flags of a line that the program does not have. */
function strange(line: string): readonly string[] {
  const words = line.trim().split(/[.:]?(?:\s+|$)/);
  const named = program.commands.find((command) => command.name() === words[0]);
  if (named === undefined) return [`no verb ${words[0]}`];
  const verb = named.commands.length === 0 ? named : named.commands.find((command) => command.name() === words[1]);
  if (verb === undefined) return isMadeUp(words[1]) ? [] : [`no verb ${words[0]} ${words[1]}`];
  const flags = new Set(verb.options.flatMap(({ short, long }) => [short, long]).concat('--help'));
  return words
    .filter((word) => /^--?[a-zA-Z]/.test(word) && !flags.has(word.split('=')[0]))
    .map((word) => `no flag ${word}`);
}

/** Words that are put together at run time, and a mention of all verbs. */
function isMadeUp(word: string | undefined): boolean {
  return word === undefined || word === '' || word === '…' || word.startsWith('${');
}

function verbsOf(command: Command): readonly Command[] {
  return command.commands.filter((one) => !one.name().startsWith('_') && one.name() !== 'help');
}

/** The words after `kubectl mkv`. */
function nameOf(command: Command): string {
  const before = command.parent === null ? '' : nameOf(command.parent);
  return command === program ? '' : `${before} ${command.name()}`.trim();
}
