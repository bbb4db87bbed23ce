// The anchors of a Markdown page to which others may link, and the targets of its own links. Pure.

import { dirname, normalize } from 'node:path/posix';
import GithubSlugger from 'github-slugger';

export interface Link {
  readonly line: number;
  /** From the project's folder. */
  readonly path: string;
  readonly anchor: string | undefined;
}

const LINK = /\]\(([^)\s]+)\)/g;
/** An anchor where there is no heading, such as in the row of a table. */
const NAMED = /<a (?:id|name)="([^"]+)">/g;

/** The links that stay in this repository. */
export function linksOf(path: string, text: string): readonly Link[] {
  return proseOf(text.split('\n')).flatMap((line, index) =>
    [...line.matchAll(LINK)].flatMap(([, target = '']): readonly Link[] => {
      if (/^[a-z]+:/.test(target)) return [];
      const [file = '', anchor] = target.split('#');
      const to = file === '' ? path : normalize(`${dirname(path)}/${file}`);
      return [{ line: index + 1, path: to, anchor }];
    }),
  );
}

/** The anchors of a page: those that GitHub makes from its headings, with numbers for equal ones, and those that it
 *  names itself. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const slugger = new GithubSlugger();
  return new Set(
    proseOf(text.split('\n')).flatMap((line) => {
      const heading = /^#{1,6} +(.*?) *#*$/.exec(line)?.[1];
      const named = [...line.matchAll(NAMED)].map(([, id = '']) => id);
      return heading === undefined ? named : [slugger.slug(shown(heading)), ...named];
    }),
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

/** The text that is shown of a heading: of a link only its text. */
function shown(heading: string): string {
  return heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/<[^>]+>/g, '');
}
