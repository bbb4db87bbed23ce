// Which comments are wider than a reader's window? Code is held to the same width by Biome's formatter, except for
// string literals, which it cannot break. Pure.

const MAX_COLUMNS = 120;

/** One sentence per line of a comment that is too wide. */
export function findWideComments(files: readonly { readonly path: string; readonly text: string }[]): string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const isFine = line.length <= MAX_COLUMNS || !/^\s*(?:\/\/|\/?\*)/.test(line);
      return isFine ? [] : [`${path}:${index + 1}: a comment of ${line.length} columns, more than ${MAX_COLUMNS}`];
    }),
  );
}
