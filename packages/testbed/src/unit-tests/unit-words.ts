// Answers: do the words of `npm run unit` mean what was typed? A word that matches no file, and files that a shell has
// left out, would otherwise end with a green line over fewer tests than the user believes.
import { dirname } from 'node:path';
import { isMeant } from '../mocha/test-files.ts';

/** @returns the words that match no file */
export function unmatched(words: readonly string[], files: readonly string[]): readonly string[] {
  return words.filter((word) => !files.some((file) => isMeant(file, word)));
}

/** A shell without globstar takes ** for *, and passes on the files of subfolders, without those directly in the
 *  folder.
 *  @param all every test file
 *  @returns what to type instead; undefined when the words look like something else */
export function leftOut(words: readonly string[], all: readonly string[]): string | undefined {
  const named = new Set(words);
  if (!words.every((word) => all.includes(word)) || new Set(words.map(dirname)).size < 2) return undefined;
  const folders = [...new Set(words.map((word) => dirname(dirname(word))))];
  if (all.some((file) => folders.includes(dirname(dirname(file))) && !named.has(file))) return undefined;
  const others = all.filter((file) => !named.has(file) && folders.some((folder) => file.startsWith(`${folder}/`)));
  if (others.length === 0) return undefined;
  const patterns = folders.map((folder) => `'${folder}/**/*.test.ts'`).join(' ');
  return `${words.length} files leave out ${others.length} others below ${folders.join(', ')}: a shell takes ** for *; quote the pattern: ${patterns}`;
}
