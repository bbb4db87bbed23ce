// Bundles the operator for its image: main.js and what it loads later; beside these it needs nothing but Node.
// Run as a program it takes the folder to write to, by default dist/image. What the image is made of: Dockerfile.

import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { build, type Metafile } from 'esbuild';
import {
  builtinsInPart,
  childProcessLater,
  onlyKubeConfig,
  onlyOwnMetrics,
  REQUIRE_IN_ESM,
} from '../runtime/bundle.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
/** Source maps name their sources relative to this folder, wherever the files are written in the end. */
const OUTPUT = join(ROOT, 'dist', 'image');

/** Writes main.js, the files it loads later, their source maps (not for the image), a package.json and the licence.
 *  Removes nothing: a folder that held an older bundle keeps those of its files that have no successor. The same
 *  sources and dependencies give the same bytes. Resolves with what went into which file, named `dist/image/main.js`.
 *  @throws esbuild's BuildFailure */
export async function bundleOperator(folder: string): Promise<Metafile> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    // Without the child process of runtime/src/access/kube-config.ts: what is left here of @kubernetes/client-node is
    // small enough to be read with where it stays.
    entryPoints: { main: 'packages/operator/src/main.ts' },
    outdir: OUTPUT,
    chunkNames: '[name]-[hash]',
    write: false,
    metafile: true,
    bundle: true,
    // What is imported on demand stays a file of its own.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    conditions: ['development'],
    minifyWhitespace: true,
    minifySyntax: true,
    // Real names in stack traces and log lines. esbuild's keepNames gives short ones back at run time, which costs
    // every closure that is ever made 250 bytes: two megabytes for a hundred clusters.
    minifyIdentifiers: false,
    sourcemap: 'external',
    legalComments: 'external',
    banner: { js: REQUIRE_IN_ESM },
    plugins: [onlyKubeConfig, onlyOwnMetrics, childProcessLater, builtinsInPart],
    logLevel: 'warning',
  });
  await mkdir(folder, { recursive: true });
  for (const { path, contents } of outputFiles) await writeFile(join(folder, relative(OUTPUT, path)), contents);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}\n');
  await copyFile(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  return metafile;
}

if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? OUTPUT);
  // Only our own folder is emptied; one that was named may hold anything.
  if (folder === OUTPUT) await rm(folder, { recursive: true, force: true });
  await bundleOperator(folder);
  console.log(folder);
}
