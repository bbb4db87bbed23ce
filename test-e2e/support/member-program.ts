// Makes an executable for Pods out of odd-member.ts: the local kubelet starts programs, and a TypeScript file is none
// by itself.

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileCache, madeProgram, type TestbedOptions } from '@marekvs/testbed';

const ENTRY = fileURLToPath(new URL('./odd-member.ts', import.meta.url));

/** Options of a testbed below `folder` whose Pods run odd-member.ts. @param speed divides the timers of
 *  members, probes and back-off */
export async function oddMembers(folder: string, speed: number): Promise<TestbedOptions> {
  const dir = join(folder, 'testbed');
  const program = join(folder, 'odd-member');
  await mkdir(folder, { recursive: true });
  const made = madeProgram('member');
  const settings = [
    `SIMULATOR_SPEED=${speed}`,
    `ODD_HOSTS_FILE=${quote(join(dir, 'kubelet', 'hosts'))}`,
    ...(made === undefined ? [] : [`ODD_PROGRAM=${quote(made)}`, `NODE_COMPILE_CACHE=${quote(compileCache(dir))}`]),
  ].join(' ');
  const call = `${quote(process.execPath)} --single-threaded --conditions=development ${quote(ENTRY)}`;
  await writeFile(program, `#!/bin/sh\n${settings} NODE_OPTIONS=--max-old-space-size=256 exec ${call}\n`);
  await chmod(program, 0o755);
  return { dir, speed, runner: { kind: 'program', program } };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
