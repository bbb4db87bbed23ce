// Where the local kubelet keeps what a member prints.

import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { Testbed } from '@marekvs/testbed';

/** The log of the member in this Pod, as its process writes it. */
export function memberLogOf(testbed: Testbed, namespace: string, pod: string): string | undefined {
  return globSync(`**/pods/${namespace}_${pod}_*/member.log`, { cwd: testbed.dir }).map((path) =>
    join(testbed.dir, path),
  )[0];
}
