// How tests start the programs of this package: arguments for `process.execPath`, and environment in addition to the
// member's.

import { fileURLToPath } from 'node:url';

export interface Launch {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

// A small young generation and one helper thread need 59 MB instead of 86 per member, together with the cache.
const leanFlags = ['--max-semi-space-size=1', '--v8-pool-size=1'];

/** One member per process. `cacheDir` keeps compiled code between starts: from the second on, no types are stripped. */
export function memberLaunch(cacheDir: string): Launch {
  return launch('../src/bin/member.ts', leanFlags, cacheDir);
}

/** Many members in one process; start it with `fork`-like IPC. */
export function hostedLaunch(cacheDir: string): Launch {
  return launch('../src/bin/hosted.ts', [], cacheDir);
}

/** Many hollow members in one process; start it with `fork`-like IPC. */
export function hollowLaunch(cacheDir: string): Launch {
  return launch('../src/bin/hollow.ts', [], cacheDir);
}

function launch(entry: string, flags: readonly string[], cacheDir: string): Launch {
  const script = fileURLToPath(new URL(entry, import.meta.url));
  return { args: ['--conditions=development', ...flags, script], env: { NODE_COMPILE_CACHE: cacheDir } };
}
