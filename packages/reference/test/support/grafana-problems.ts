// Asks the compiler whether dashboards have Grafana's types, because Grafana publishes no JSON schema. A literal is
// compared with them field by field, so a misspelt or missing field and a wrong value are errors.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const TYPES = fileURLToPath(new URL('./grafana-dashboard.ts', import.meta.url));
const TSC = join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin/tsc');
const FLAGS =
  '--ignoreConfig --noEmit --strict --target es2024 --module preserve --moduleResolution bundler --allowImportingTsExtensions --types node --pretty false';

/** @returns for each dashboard what is wrong with it, as the compiler reports; all of them in one run */
export async function grafanaProblems<Name extends string>(
  dashboards: Readonly<Record<Name, unknown>>,
): Promise<Readonly<Record<Name, readonly string[]>>> {
  const folder = await mkdtemp(join(tmpdir(), 'marekvs-dashboard-'));
  try {
    const names = Object.keys(dashboards) as Name[];
    const files = await Promise.all(
      names.map(async (name, index) => {
        const file = join(folder, `dashboard-${index}.ts`);
        const literal = JSON.stringify(dashboards[name], undefined, 1);
        const from = JSON.stringify(TYPES);
        await writeFile(
          file,
          `import type { GrafanaDashboard } from ${from};\nexport const it: GrafanaDashboard = ${literal};\n`,
        );
        return file;
      }),
    );
    const said = await compile([TYPES, ...files]);
    const of = (file: string) =>
      said.split(/\n(?=\S)/).filter((line) => line.includes(`${file.slice(folder.length + 1)}(`));
    const stray = said.split(/\n(?=\S)/).filter((line) => line !== '' && !/dashboard-\d+\.ts\(/.test(line));
    if (stray.length > 0) throw new Error(`the types themselves do not compile: ${stray.join('\n')}`);
    return Object.fromEntries(names.map((name, index) => [name, of(files[index] ?? '')])) as Record<Name, string[]>;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The output of the compiler; empty when all is well. */
async function compile(files: readonly string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [TSC, ...FLAGS.split(' '), ...files], {
      timeout: 600_000,
    });
    return stdout.trim();
  } catch (error) {
    const { stdout, code } = error as { readonly stdout?: string; readonly code?: unknown };
    if (typeof code !== 'number' || stdout === undefined || stdout === '') throw error;
    return stdout.trim();
  }
}
