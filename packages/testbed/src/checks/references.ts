// Does every link of a page, and every page named in a comment, lead to something of this repository?
// Pure: files in, problems out.

import { anchorsOf, type Link, linksOf } from './markdown.ts';

export interface ReferenceFacts {
  /** Pages, sources and what else may name a page. */
  readonly files: readonly ReferringFile[];
  /** Is there such a file or folder? From the project's folder. */
  readonly isThere: (path: string) => boolean;
}

interface ReferringFile {
  /** From the project's folder. */
  readonly path: string;
  readonly text: string;
}

/** Where faults and hazards have their numbers. */
const NUMBERED = { F: 'docs/design/faults.md', H: 'docs/design/server.md' } as const;

/** One sentence per reference that leads nowhere, or to two places. */
export function findReferenceProblems({ files, isThere }: ReferenceFacts): string[] {
  const anchors = new Map<string, ReadonlySet<string>>();
  for (const { path, text } of files) if (isPage(path)) anchors.set(path, anchorsOf(text));
  const problems = files.flatMap((file) =>
    referencesOf(file).flatMap(({ line, path, anchor }) => {
      const isFound = isThere(path) && (anchor === undefined || anchors.get(path)?.has(anchor) === true);
      return isFound ? [] : [`${file.path}:${line}: nothing is at ${path}${anchor === undefined ? '' : `#${anchor}`}`];
    }),
  );
  return [...new Set(problems)];
}

function referencesOf({ path, text }: ReferringFile): readonly Link[] {
  const lines = linesOf(text);
  if (isPage(path)) return [...linksOf(path, text), ...lines.flatMap(outsideOf)];
  if (!/\.m?[jt]s$/.test(path)) return lines.flatMap((line) => placesOf(line, PLACE));
  const isTest = /(?:^|\/)test(?:-e2e)?\//.test(path);
  return lines.flatMap((line) => {
    const always = [...outsideOf(line), ...numbersOf(line)];
    if (isComment(line.text)) return [...always, ...placesOf(line, ANY_PAGE), ...decisionsOf(line)];
    // The texts of a test may be about pages that it makes up.
    return isTest ? always : [...always, ...placesOf(line, PLACE)];
  });
}

const isComment = (line: string): boolean => /^\s*(?:\/\/|\/?\*)|\s\/\/ /.test(line);
const isPage = (path: string): boolean => path.endsWith('.md');

interface Line {
  readonly number: number;
  readonly text: string;
}

const linesOf = (text: string): readonly Line[] =>
  text.split('\n').map((line, index) => ({ number: index + 1, text: line }));

/** A page of docs/, with further places on it: `docs/design/server.md#h2, #h3 and #h4`. Templates make
 *  anchors that are not known here. */
const PLACE = /(?<![\w/…-])(docs\/[\w/-]+\.md)((?:(?:,| and)? ?#[\w-]+)*)(?![\w/{$#-])/g;
/** In a comment every page counts, whatever its name: a reader can open no other. Not the ends of longer paths, and no
 *  patterns. */
const ANY_PAGE = /(?<![\w/.…*<>:-])((?:[\w.-]+\/)*[\w-]+\.md)((?:(?:,| and)? ?#[\w-]+)*)(?![\w/{$#-])/g;

function placesOf({ number, text }: Line, pattern: RegExp): readonly Link[] {
  return [...text.matchAll(pattern)].flatMap(([, path = '', places = '']): readonly Link[] => {
    const anchors = [...places.matchAll(/#([\w-]+)/g)].map(([, anchor]) => anchor);
    return anchors.length === 0
      ? [{ line: number, path, anchor: undefined }]
      : anchors.map((anchor) => ({ line: number, path, anchor }));
  });
}

/** A decision by a number: their pages are named by topic. */
function decisionsOf({ number, text }: Line): readonly Link[] {
  return [...text.matchAll(/\b(?:docs\/decisions\/|decision )\d{4}(?![\d-])/g)].map(([path]) => ({
    line: number,
    path,
    anchor: undefined,
  }));
}

/** Citations from before docs/design was written: sections of a design by number, and files that nobody outside of the
 *  project can open. */
function outsideOf({ number, text }: Line): readonly Link[] {
  const sections = text.matchAll(/\b[dD]esign §?\d+(?:\.\d+)?\b/g);
  const pages = text.matchAll(
    /(?<![\w/])(?:marekvs|typescript|failures|control-plane|features|sources|style|design)\.md\b/g,
  );
  const folders = text.matchAll(/(?<![\w/.-])shared\/[a-z]+/g);
  return [...sections, ...pages, ...folders].map(([path]) => ({ line: number, path, anchor: undefined }));
}

/** `(F12)` in a comment or title, `F12: …` and `F12 …` at their beginning; the same of a hazard, `(H2)`. */
function numbersOf({ number, text }: Line): readonly Link[] {
  const named = text.matchAll(/(?:(?<=\/\/ )|(?<=[('"`])|(?<=\([^()]*, ))([FH])(\d{1,2})(?=[):, ])/g);
  return [...named].map(([, kind, one]) => ({
    line: number,
    path: kind === 'F' ? NUMBERED.F : NUMBERED.H,
    anchor: `${kind === 'F' ? 'f' : 'h'}${one}`,
  }));
}
