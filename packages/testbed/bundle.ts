// Bundles @kubernetes/client-node, which the journeys speak to the API server with, to one file: it has 900 modules,
// and finding them is a third of what a journey takes to begin. Takes the file to write to.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { builtinsInPart, REQUIRE_IN_ESM } from '../runtime/bundle.ts';
import { projectRoot } from './src/paths.ts';

const file = process.argv[2];
if (file === undefined) throw new Error('the file to write to is missing');
await mkdir(dirname(file), { recursive: true });
await build({
  absWorkingDir: projectRoot,
  stdin: { contents: "export * from '@kubernetes/client-node';", resolveDir: join(projectRoot, 'test-e2e') },
  outfile: file,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node26',
  // Names of classes are in messages.
  keepNames: true,
  minifySyntax: true,
  minifyWhitespace: true,
  banner: { js: REQUIRE_IN_ESM },
  plugins: [builtinsInPart],
  logLevel: 'warning',
});
await writeFile(join(dirname(file), 'package.json'), '{"type":"module"}\n');
