// The default of a value, as config/ has it: as data for the schema, and as the text that stands there, comments included.

import type { Source } from './source.ts';
import { VALUES } from './values.ts';
import { textAt, valueAt } from './yaml-text.ts';

/** @throws Error for a name that is no value, or whose place in config/ is not as the table says */
export function defaultOf(source: Source, name: string): unknown {
  const value = VALUES.find((one) => one.name === name);
  if (value === undefined) throw new Error(`no value ${name}`);
  if (value.source === undefined) return value.fallback;
  const { file, at, prefix = '' } = value.source;
  const found = valueAt(source.file(file).text, at);
  if (found === undefined) throw new Error(`${file}: no ${at.join('.')} for the value ${name}`);
  if (prefix === '') return found;
  if (typeof found !== 'string' || !found.startsWith(prefix))
    throw new Error(`${file}: ${at.join('.')} is not ${prefix}`);
  return found.slice(prefix.length);
}

/** The text of a default that takes several lines, without its indentation; undefined for all others. */
export function defaultText(source: Source, name: string): string | undefined {
  const from = VALUES.find((one) => one.name === name)?.source;
  if (from === undefined) return undefined;
  const text = textAt(source.file(from.file).text, from.at);
  return text.includes('\n') ? text : undefined;
}
