// The same facts for programs: JSON and YAML.

import { harmlessDocument } from './text.ts';

export type Format = 'text' | 'wide' | 'json' | 'yaml';

/** @param value plain data; undefined fields are left out */
export async function documentText(value: unknown, format: 'json' | 'yaml'): Promise<string> {
  const json = JSON.stringify(value, undefined, 2);
  if (format === 'json') return `${harmlessDocument(json)}\n`;
  const { dump } = await import('js-yaml');
  return harmlessDocument(dump(JSON.parse(json), { lineWidth: -1, noRefs: true }));
}
