// Which test files there are, and which of them somebody means by a path or by words of it.
import { existsSync, globSync } from 'node:fs';
import { matchesGlob, relative, resolve } from 'node:path';
import { projectRoot } from '../paths.ts';

export const UNIT_FILES = 'packages/*/test/**/*.test.ts';
export const JOURNEY_FILES = 'test-e2e/**/*.test.ts';

/** Paths from the project's folder, sorted: those that match one of the words, or all when there are no words. */
export function findTestFiles(pattern: string, words: readonly string[] = []): string[] {
  const files = globSync(pattern, { cwd: projectRoot, exclude: (name) => name === 'node_modules' }).sort();
  return words.length === 0 ? files : files.filter((file) => words.some((word) => isMeant(file, word)));
}

/** @param word part of the path, or a pattern for the whole path */
export function isMeant(file: string, word: string): boolean {
  return FIRST_OF_PATTERN.test(word) ? matchesGlob(file, word) : file.includes(word);
}

const FIRST_OF_PATTERN = /[*?[{]/;

/** A path that exists, seen from where it was typed, becomes one from the project's folder, and so does a pattern in a
 *  folder that exists; anything else stays a word. */
export function toWord(text: string, typedIn: string): string {
  const path = resolve(typedIn, text);
  const fixed = text.split('/').findIndex((part) => FIRST_OF_PATTERN.test(part));
  const there = fixed === -1 ? path : resolve(typedIn, text.split('/').slice(0, fixed).join('/'));
  return path.startsWith(projectRoot) && existsSync(there) ? relative(projectRoot, path) : text;
}

/** npm runs scripts in the project's folder, and tells in INIT_CWD where it was called. */
export function typedIn(): string {
  return process.env.INIT_CWD ?? process.cwd();
}
