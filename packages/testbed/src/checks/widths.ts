// Which comments are wider than a reader's window, and how do they read when they are wrapped? Code is held to the same
// width by Biome's formatter, except for string literals, which it cannot break. Pure.

const MAX_COLUMNS = 120;

/** The files whose comments are looked at. */
export const COMMENTED = '{packages,test-e2e}/**/*.{ts,mjs}';
export const isMade = (name: string): boolean => /(?:^|\/)(?:node_modules|dist)$/.test(name);

/** One sentence per line of a comment that is too wide. */
export function findWideComments(files: readonly { readonly path: string; readonly text: string }[]): string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const isFine = line.length <= MAX_COLUMNS || !/^\s*(?:\/\/|\/?\*)/.test(line);
      return isFine ? [] : [`${path}:${index + 1}: a comment of ${line.length} columns, more than ${MAX_COLUMNS}`];
    }),
  );
}

/** The text with every paragraph of a comment wrapped anew in which a line is too wide. Others stay as they are. */
export function wrapWideComments(text: string): string {
  const paragraphs: string[][] = [];
  for (const line of text.split('\n')) {
    const last = paragraphs.at(-1);
    if (last !== undefined && goesOn(last.at(-1) ?? '', line)) last.push(line);
    else paragraphs.push([line]);
  }
  return paragraphs.flatMap((lines) => (lines.some(isTooWide) ? wrapped(lines) : lines)).join('\n');
}

/** Indentation and mark of a comment's line, and its text. A block's further lines are two columns from their star. */
const COMMENT = /^(\s*)(\/\/|\/\*\*|\*(?!\/))(?: {1,2}|$)(.*)$/;
/** Lines that begin something of their own: tags, lists, tables, drawings. */
const OWN = /^(?:@|[-*|] |\d+\. | )/;

function isTooWide(line: string): boolean {
  return line.length > MAX_COLUMNS && COMMENT.test(line);
}

function goesOn(before: string, line: string): boolean {
  const [, indent = '', mark = '', text = ''] = COMMENT.exec(before) ?? [];
  const [, nextIndent = '', nextMark = '', nextText = ''] = COMMENT.exec(line) ?? [];
  if (text === '' || nextText === '' || OWN.test(nextText) || before.endsWith('*/')) return false;
  const isSameBlock = nextMark === '*' ? mark !== '//' : mark === '//' && nextMark === '//';
  return isSameBlock && (mark === '/**' ? `${indent} ` : indent) === nextIndent;
}

function wrapped(lines: readonly string[]): readonly string[] {
  const [, indent = '', mark = ''] = COMMENT.exec(lines[0] ?? '') ?? [];
  const next = mark === '//' ? `${indent}//` : `${mark === '/**' ? `${indent} ` : indent}* `;
  const words = lines.map((line) => COMMENT.exec(line)?.[3] ?? '').join(' ');
  const result: string[] = [];
  let line = mark === '*' ? next : `${indent}${mark}`;
  // What closes a block is no word of its own: it stays on the last line.
  for (const word of words.replace(/ \*\/$/, '\u00a0*/').split(/ +/)) {
    if (`${line} ${word}`.length > MAX_COLUMNS) {
      result.push(line);
      line = next;
    }
    line = `${line} ${word}`;
  }
  return [...result, line].map((one) => one.replace('\u00a0*/', ' */'));
}
