// Bundles the plugin to one file that needs nothing but Node: dist/bundle/kubectl-mkv.cjs. CommonJS, so that it also
// runs under the name kubectl-mkv, without extension and without a package.json beside it. Most of a cold start is
// parsing, hence two measures: of large libraries only what is used (bundle/), and what `validate` alone needs is
// carried as text, which is parsed when it runs. Run as a program it takes the file to write.

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { childProcessLater, onlyKubeConfig } from '../runtime/bundle.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const FOLDER = join(import.meta.dirname, 'bundle');
export const BUNDLE = join(import.meta.dirname, 'dist', 'bundle', 'kubectl-mkv.cjs');

const SHARED = {
  absWorkingDir: ROOT,
  write: false,
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20.16',
  conditions: ['development'],
  minify: true,
  legalComments: 'none',
  // CommonJS has no import.meta. The runtime looks for a file of its own beside this one, finds none, and does without.
  define: { 'import.meta.url': 'urlOfThisFile' },
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** Writes the bundle. The same sources and dependencies give the same bytes. @throws esbuild's BuildFailure */
export async function bundleCli(file = BUNDLE): Promise<Metafile> {
  const later = await build({
    ...SHARED,
    entryPoints: ['packages/cli/src/verbs/validate/validate-text.ts'],
    plugins: [childProcessLater, onlyKubeConfig],
  });
  const { outputFiles, metafile } = await build({
    ...SHARED,
    entryPoints: ['packages/cli/src/main.ts'],
    inject: [join(FOLDER, 'older-node.ts')],
    outfile: BUNDLE,
    metafile: true,
    banner: { js: '#!/usr/bin/env node\nconst urlOfThisFile=require("node:url").pathToFileURL(__filename).href;' },
    plugins: [loadedLater(later.outputFiles[0]?.text ?? ''), childProcessLater, onlyKubeConfig],
  });
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, outputFiles[0]?.contents ?? '');
  await chmod(file, 0o755);
  return metafile;
}

/** What only `validate` needs: the schema library, ajv and a YAML parser with positions. */
const LATER = './validate-text.ts';

/** A text is passed over by the parser at the speed of reading; the code in it is parsed when it is first asked for. */
function loadedLater(code: string): Plugin {
  return {
    name: 'loaded-later',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /./ }, ({ path, kind }) =>
        kind === 'dynamic-import' && path === LATER ? { path, namespace: 'later' } : undefined,
      );
      onLoad({ filter: /./, namespace: 'later' }, () => ({ contents: evaluation(code), resolveDir: ROOT }));
    },
  };
}

function evaluation(code: string): string {
  const text = JSON.stringify(`(function (exports, require, module, urlOfThisFile) {${code}\n})`);
  return `const made = { exports: {} };
    require('node:vm').runInThisContext(${text}, { filename: 'kubectl-mkv-later.cjs' })(made.exports, require, made, urlOfThisFile);
    module.exports = made.exports;`;
}

if (import.meta.main) {
  const file = resolve(process.argv[2] ?? BUNDLE);
  const { outputs } = await bundleCli(file);
  console.log(`${file} ${Math.round((Object.values(outputs)[0]?.bytes ?? 0) / 1024)} KiB`);
}
