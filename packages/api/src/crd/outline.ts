// The fields of a kind as a text, one per line and indented: what this version knows, written by `npm run generate`
// into outlines.ts, and what an API server serves. Answers: which fields would an older kind drop? Pure.

import { isRecord } from '../values/is-record.ts';

/** `spec`, below it `  update`, below that `    type =RollingUpdate =OnDelete`: values of an enumeration are on the
 *  line of their field. Lists go on below `[]`, maps below `{}`. */
export function outlineOf(schema: unknown, depth = 0): string {
  return childrenOf(schema)
    .map(([name, child]) => {
      const values = Array.isArray(child.enum) ? child.enum.map((value) => ` =${String(value)}`) : [];
      return `${'  '.repeat(depth)}${name}${values.join('')}\n${outlineOf(child, depth + 1)}`;
    })
    .join('');
}

/** Fields and values (`spec.update.type=OnDelete`) of `own` that `served` lacks; of a part that is missing as a whole
 *  only its top. */
export function missingFrom(own: string, served: string): readonly string[] {
  const known = new Set(pathsOf(served).map(({ path }) => path));
  return pathsOf(own)
    .filter(({ path, above }) => !known.has(path) && (above === '' || known.has(above)))
    .map(({ path }) => path);
}

function childrenOf(schema: unknown): readonly (readonly [name: string, schema: Readonly<Record<string, unknown>>])[] {
  if (!isRecord(schema)) return [];
  const { properties, items, additionalProperties } = schema;
  const named = Object.entries(isRecord(properties) ? properties : {});
  const all: readonly (readonly [string, unknown])[] = [...named, ['[]', items], ['{}', additionalProperties]];
  return all.flatMap(([name, child]) => (isRecord(child) ? [[name, child] as const] : []));
}

interface Path {
  readonly path: string;
  readonly above: string;
}

function pathsOf(outline: string): readonly Path[] {
  const open: string[] = [];
  return outline
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => {
      const depth = (line.length - line.trimStart().length) / 2;
      const [name = '', ...values] = line.trim().split(' ');
      const above = open[depth - 1] ?? '';
      const path = above === '' || name === '[]' || name === '{}' ? above + name : `${above}.${name}`;
      open[depth] = path;
      return [{ path, above }, ...values.map((value) => ({ path: path + value, above: path }))];
    });
}
