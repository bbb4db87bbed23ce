// The walk in docs/contributing.md goes through existing code: every file that it names exists, and every other name
// occurs in one of these files.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { projectRoot } from '../src/paths.ts';

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const sources = globSync('packages/*/src/**/*.ts', { cwd: projectRoot });

const section = /^## A walk[^\n]*\n([\s\S]*?)^## /m.exec(read('docs/contributing.md'))?.[1] ?? '';
const steps = [...section.matchAll(/^(\d+)\. (.*)$/gm)].map(([, number = '', text = '']) => ({ number, text }));
const codeIn = (text: string): readonly string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
const filesIn = (text: string): readonly string[] => codeIn(text).filter((code) => code.endsWith('.ts'));
/** Names of functions and steps; fields, annotations and the like contain dots, slashes or blanks. */
const namesIn = (text: string): readonly string[] => codeIn(text).filter((code) => /^[A-Za-z]\w+$/.test(code));
const found = (file: string): readonly string[] => sources.filter((path) => path.endsWith(`/${file}`));

describe('the walk from spec.nodes to the DELETE', () => {
  it('has at most 40 steps, numbered in their order', () => {
    expect(steps.length).to.be.within(10, 40);
    expect(steps.map(({ number }) => Number(number))).to.deep.equal(steps.map((_, index) => index + 1));
  });

  it('names only files that exist, each unambiguously', () => {
    const doubtful = steps.flatMap(({ text }) => filesIn(text)).filter((file) => found(file).length !== 1);
    expect(doubtful).to.deep.equal([]);
  });

  it('names only what occurs in a file that it has named before', () => {
    let seen = '';
    const missing = steps.flatMap(({ number, text }) => {
      for (const path of filesIn(text).flatMap(found)) seen += read(path);
      return namesIn(text)
        .filter((name) => !new RegExp(`\\b${name}\\b`).test(seen))
        .map((name) => `${number}: ${name}`);
    });
    expect(missing).to.deep.equal([]);
  });
});
