// Writes crds/ from the schemas. With --check it writes nothing and exits 1 when the files differ.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dump } from 'js-yaml';
import { CLUSTER_KIND } from './src/crd/cluster-kind.ts';
import { customResourceDefinition, type KindDefinition } from './src/crd/definition.ts';
import { NODE_KIND } from './src/crd/node-kind.ts';

const HEADER = '# Generated from packages/api/src/schema by `npm run generate`. Do not edit.\n';
const FOLDER = join(import.meta.dirname, '..', '..', 'crds');

function fileText(kind: KindDefinition): string {
  return HEADER + dump(customResourceDefinition(kind), { lineWidth: 120, noRefs: true });
}

function presentText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function generate(check: boolean): number {
  let differing = 0;
  mkdirSync(FOLDER, { recursive: true });
  for (const kind of [CLUSTER_KIND, NODE_KIND]) {
    const path = join(FOLDER, `${kind.plural}.yaml`);
    const text = fileText(kind);
    if (presentText(path) === text) continue;
    differing++;
    if (check) console.error(`${path} differs from the schemas: run npm run generate`);
    else writeFileSync(path, text);
  }
  return check && differing > 0 ? 1 : 0;
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
process.exitCode = generate(values.check);
