// The root's script `version`: lerna calls it after it has written a new version into every package.json, and before
// the commit. Brings all else that names the version up to date, so that a release is one commit that passes the check.
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GENERATORS } from '../checks/generators.ts';
import { projectRoot } from '../paths.ts';
import { runTool } from '../processes/run-tool.ts';
import { VERSION_PLACES, withVersion } from '../release/release-version.ts';

const { version }: { readonly version: string } = JSON.parse(read('lerna.json'));
for (const place of VERSION_PLACES) write(place.path, withVersion(read(place.path), place, version));
for (const generator of GENERATORS) await run(process.execPath, ['--conditions=development', generator]);
// One changelog covers everything; lerna also writes one per package, mostly without content.
for (const path of globSync(['packages/*/CHANGELOG.md', 'test-e2e/CHANGELOG.md'], { cwd: projectRoot })) {
  rmSync(join(projectRoot, path));
}
// lerna writes JSON in a form of its own.
const manifests = globSync(['packages/*/package.json', 'test-e2e/package.json'], { cwd: projectRoot });
await run(join(projectRoot, 'node_modules/.bin/biome'), ['format', '--write', 'lerna.json', ...manifests]);

async function run(command: string, args: readonly string[]): Promise<void> {
  const { code, output } = await runTool(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output}`);
}

function read(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8');
}

function write(path: string, text: string): void {
  writeFileSync(join(projectRoot, path), text);
}
