// Reads a Dockerfile and a .dockerignore as far as this project uses them: stages with their instructions, and which
// files a build can read.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Instruction {
  readonly word: string;
  readonly rest: string;
}

export interface Stage {
  readonly from: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** The stages of a Dockerfile, with the defaults of its arguments inserted. */
export function stagesOf(text: string): readonly Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const all = lines.map((line): Instruction => {
    const [word = '', ...rest] = line.trim().split(/\s+/);
    return { word, rest: rest.join(' ') };
  });
  const defaults = new Map(
    all
      .filter(({ word }) => word === 'ARG')
      .map(({ rest }): [string, string] => {
        const [name = '', value = ''] = rest.split('=');
        return [name, value];
      }),
  );
  const stages: { from: string; name: string | undefined; instructions: Instruction[] }[] = [];
  for (const instruction of all) {
    if (instruction.word !== 'FROM') {
      stages.at(-1)?.instructions.push(instruction);
      continue;
    }
    const words = instruction.rest.split(' ').filter((word) => !word.startsWith('--'));
    const from = (words[0] ?? '').replace(/\$\{(\w+)\}/g, (_, name: string) => defaults.get(name) ?? '');
    stages.push({ from, name: words[2], instructions: [] });
  }
  return stages;
}

/** Never part of a build, and large. */
const SKIPPED: readonly string[] = ['node_modules', '.git'];

/** The files that a build in `root` can read, relative to it: the last pattern that matches decides. */
export function buildContext(root: string): readonly string[] {
  const patterns = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => ({ isKept: line.startsWith('!'), expression: expressionOf(line.replace(/^!/, '')) }));
  return globSync('**/*', { cwd: root, withFileTypes: true, exclude: ({ name }) => SKIPPED.includes(name) })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => patterns.findLast(({ expression }) => expression.test(path))?.isKept !== false);
}

/** A pattern that matches a folder matches everything in it. */
function expressionOf(pattern: string): RegExp {
  const parts = pattern.split('/').map((part) => {
    if (part === '**') return '(?:.*)';
    return part.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*');
  });
  return new RegExp(`^${parts.join('/').replaceAll('(?:.*)/', '(?:.*/)?')}(?:/.*)?$`);
}
