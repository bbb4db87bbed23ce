// `npm run generate`: runs every generator; with --check each only compares and fails on a difference.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { GENERATORS } from '../checks/generators.ts';
import { projectRoot } from '../paths.ts';
import { runTool } from '../processes/run-tool.ts';

const args = process.argv.slice(2);
for (const generator of GENERATORS.filter((file) => existsSync(join(projectRoot, file)))) {
  const { code, output } = await runTool(process.execPath, ['--conditions=development', generator, ...args]);
  process.stdout.write(output);
  if (code !== 0) process.exitCode = 1;
}
