// Which test files there are, and which of them somebody means by a path or by words of it.
import { existsSync, globSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { projectRoot } from '../paths.ts';

export const UNIT_FILES = 'packages/*/test/**/*.test.ts';
export const JOURNEY_FILES = 'test-e2e/**/*.test.ts';

/** Paths from the project's folder, sorted; those that have one of the words, or all of them when there is none. */
export function findTestFiles(pattern: string, words: readonly string[] = []): string[] {
  const files = globSync(pattern, { cwd: projectRoot, exclude: (name) => name === 'node_modules' }).sort();
  return words.length === 0 ? files : files.filter((file) => words.some((word) => file.includes(word)));
}

/** A path that exists, seen from where it was typed, becomes one from the project's folder; anything else stays a word. */
export function toWord(text: string, typedIn: string): string {
  const path = resolve(typedIn, text);
  return path.startsWith(projectRoot) && existsSync(path) ? relative(projectRoot, path) : text;
}

/** npm runs scripts in the project's folder, and says where it was called. */
export function typedIn(): string {
  return process.env.INIT_CWD ?? process.cwd();
}
