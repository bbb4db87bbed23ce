// Writes crds/ and src/crd/outlines.ts from the schemas. With --check it writes nothing and exits 1 when the files
// differ.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dump } from 'js-yaml';
import { CLUSTER_KIND } from './src/crd/cluster-kind.ts';
import { customResourceDefinition, type KindDefinition, objectSchema } from './src/crd/definition.ts';
import { NODE_KIND } from './src/crd/node-kind.ts';
import { outlineOf } from './src/crd/outline.ts';

const HEADER = '# Generated from packages/api/src/schema by `npm run generate`. Do not edit.\n';
const FOLDER = join(import.meta.dirname, '..', '..', 'crds');
const OUTLINES = join(import.meta.dirname, 'src', 'crd', 'outlines.ts');

function fileText(kind: KindDefinition): string {
  return HEADER + dump(customResourceDefinition(kind), { lineWidth: 120, noRefs: true });
}

/** Without what every object of Kubernetes has. */
function outlineText(kind: KindDefinition): string {
  const { spec, status } = objectSchema(kind).properties as Readonly<Record<string, unknown>>;
  return outlineOf({ properties: { spec, status } });
}

const outlinesText = (): string => `// Generated from packages/api/src/schema by \`npm run generate\`. Do not edit.
// The fields of both kinds in this version (outline.ts). Text, because the schemas need a library that the running
// operator does not load.

export const OUTLINES = {
  MarekvsCluster: \`
${outlineText(CLUSTER_KIND)}\`,
  MarekvsNode: \`
${outlineText(NODE_KIND)}\`,
} as const;
`;

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
  const crds = [CLUSTER_KIND, NODE_KIND].map((kind) => [join(FOLDER, `${kind.plural}.yaml`), fileText(kind)] as const);
  for (const [path, text] of [...crds, [OUTLINES, outlinesText()] as const]) {
    if (presentText(path) === text) continue;
    differing++;
    if (check) console.error(`${path} differs from the schemas: run npm run generate`);
    else writeFileSync(path, text);
  }
  return check && differing > 0 ? 1 : 0;
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
process.exitCode = generate(values.check);
