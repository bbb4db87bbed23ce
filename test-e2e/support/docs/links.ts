// Where the links of a page lead, as far as they stay in this repository. Pure but for the reader it is given.

import { dirname, normalize } from 'node:path/posix';

export interface Link {
  readonly line: number;
  /** From the project's folder. */
  readonly path: string;
  readonly anchor: string | undefined;
}

const LINK = /\]\(([^)\s]+)\)/g;

export function linksOf(path: string, lines: readonly string[]): readonly Link[] {
  return proseOf(lines).flatMap((line, index) =>
    [...line.matchAll(LINK)].flatMap(([, target = '']): readonly Link[] => {
      if (/^[a-z]+:/.test(target)) return [];
      const [file = '', anchor] = target.split('#');
      const to = file === '' ? path : normalize(`${dirname(path)}/${file}`);
      return [{ line: index + 1, path: to, anchor }];
    }),
  );
}

/** The anchors of a page, as GitHub makes them of its headings. */
export function anchorsOf(lines: readonly string[]): ReadonlySet<string> {
  const headings = proseOf(lines).flatMap((line) => /^#+ +(.*?) *$/.exec(line)?.[1] ?? []);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\- _]/gu, '')
        .replace(/ /g, '-'),
    ),
  );
}

/** The lines with those of fenced blocks emptied: a comment of a shell is no heading. */
export function proseOf(lines: readonly string[]): readonly string[] {
  let isFenced = false;
  return lines.map((line) => {
    const isFence = line.startsWith('```');
    if (isFence) isFenced = !isFenced;
    return isFence || isFenced ? '' : line;
  });
}
