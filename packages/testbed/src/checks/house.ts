// Do the folders of a package stay readable? Each has few enough files to be seen at a glance, imports between folders
// run one way, and a file is a few screens long. Pure.

import { posix } from 'node:path';

const MAX_FILES = 20;
const MAX_LINES = 300;

/** Tables, and what a generator makes: one long list is easier to read than its pieces. */
const MAY_BE_LONG = /\/(?:outlines|reasons)\.ts$|\/reasons\//;
/** What a package shows to others. It may import from everywhere, and nothing imports it. */
const INDEX = /\/src\/index\.ts$/;
const IMPORT = /(?:from|import\()\s*'(\.[^']+\.ts)'/g;

export interface SourceFile {
  /** From the project's root: `packages/<name>/src/…`. */
  readonly path: string;
  readonly text: string;
}

/** One sentence for each folder, file or name that is against the rules. */
export function findHouseProblems(files: readonly SourceFile[]): string[] {
  return [...crowded(files), ...longOnes(files), ...knots(files), ...homonyms(files)];
}

function crowded(files: readonly SourceFile[]): readonly string[] {
  const counts = Map.groupBy(files, ({ path }) => posix.dirname(path));
  return [...counts].flatMap(([folder, { length }]) =>
    length > MAX_FILES ? [`${folder}: ${length} files, more than ${MAX_FILES}`] : [],
  );
}

function longOnes(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text }) => {
    const lines = text.split('\n').length - 1;
    return lines > MAX_LINES && !MAY_BE_LONG.test(path) ? [`${path}: ${lines} lines, more than ${MAX_LINES}`] : [];
  });
}

const TYPE = /^export (?:interface|type|class|abstract class) (\w+)/gm;

/** Types of one package that share a name. */
function homonyms(files: readonly SourceFile[]): readonly string[] {
  const homes = new Map<string, string[]>();
  for (const { path, text } of files) {
    const home = path.slice(0, path.indexOf('/src/'));
    for (const [, name = ''] of text.matchAll(TYPE)) {
      const key = `${home}: two types are called ${name}`;
      homes.set(key, [...(homes.get(key) ?? []), path]);
    }
  }
  return [...homes].flatMap(([what, paths]) => (paths.length > 1 ? [`${what}, in ${paths.join(' and ')}`] : []));
}

/** Folders that import each other, directly or by way of others, each with one import that makes it so. */
function knots(files: readonly SourceFile[]): readonly string[] {
  const imports = new Map<string, Map<string, string>>();
  for (const { path, text } of files) {
    if (INDEX.test(path)) continue;
    const from = posix.dirname(path);
    for (const [, target = ''] of text.matchAll(IMPORT)) {
      const to = posix.dirname(posix.join(from, target));
      if (to === from) continue;
      const known = imports.get(from) ?? new Map<string, string>();
      imports.set(from, known.set(to, known.get(to) ?? `${path} imports ${posix.join(from, target)}`));
    }
  }
  return [...imports].flatMap(([from, targets]) =>
    [...targets].flatMap(([to, example]) =>
      reaches(imports, to, from) ? [`${from} and ${to} import each other: ${example}`] : [],
    ),
  );
}

function reaches(imports: ReadonlyMap<string, ReadonlyMap<string, string>>, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const folder of seen) for (const next of imports.get(folder)?.keys() ?? []) seen.add(next);
  return seen.has(to);
}
