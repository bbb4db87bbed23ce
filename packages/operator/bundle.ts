// Makes the operator as it is shipped: two files without node_modules. `node packages/operator/bundle.ts --outdir <folder>`.
// Running from the bundle instead of the sources halves memory and start-up: nothing is stripped of types, nothing unused is loaded.

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The same sources give the same bytes: paths in them are relative, and there is no time stamp. */
export async function bundleOperator(outdir: string): Promise<void> {
  await build({
    entryPoints: {
      operator: source('src/main.ts'),
      // A process of its own, looked for beside the file that starts it (packages/runtime/src/kube-config.ts).
      'kube-config-child': source('../runtime/src/kube-config-child.ts'),
    },
    outdir,
    absWorkingDir: source('../..'),
    bundle: true,
    platform: 'node',
    target: 'node26',
    format: 'esm',
    splitting: true,
    minify: true,
    keepNames: true,
    sourcemap: 'linked',
    conditions: ['development'],
    chunkNames: 'chunk-[hash]',
    // Some dependencies are CommonJS inside and ask for node:* modules with require.
    banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
    logLevel: 'warning',
  });
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { outdir: { type: 'string' } } });
  if (values.outdir === undefined) {
    process.stderr.write('usage: node packages/operator/bundle.ts --outdir <folder>\n');
    process.exit(2);
  }
  await bundleOperator(values.outdir);
}
