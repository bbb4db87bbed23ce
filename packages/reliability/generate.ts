// Writes docs/reliability.md from the recorded figures. With --check it writes nothing and exits 1 when the file
// differs.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { documentText } from './src/record/document.ts';
import { readRecord } from './src/record/record.ts';
import { UNIT_KINDS } from './src/run/units.ts';

const FILE = fileURLToPath(new URL('../../docs/reliability.md', import.meta.url));

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const text = documentText(readRecord(), UNIT_KINDS);
if (!values.check) writeFileSync(FILE, text);
else if (readFileSync(FILE, 'utf8') !== text) {
  process.stderr.write(`${FILE} differs from what was recorded: run npm run generate\n`);
  process.exitCode = 1;
}
