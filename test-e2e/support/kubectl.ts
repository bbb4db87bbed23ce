// The real kubectl, by default as an administrator, for what a person would type.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { stretched, type Testbed } from '@marekvs/testbed';

const run = promisify(execFile);
const LIMIT_MS = 20_000;

/** Runs kubectl with these arguments. @returns what it printed @throws with its standard error when it fails */
export type Kubectl = (...args: readonly string[]) => Promise<string>;

/** @param limitMs of one command; more where kubectl itself waits */
export function createKubectl(testbed: Testbed, kubeconfig = testbed.kubeconfigs.admin, limitMs = LIMIT_MS): Kubectl {
  return async (...args) => {
    const all = ['--kubeconfig', kubeconfig, ...args];
    const { stdout } = await run(testbed.controlPlane.kubectlPath, all, {
      timeout: stretched(limitMs),
      env: { HOME: testbed.dir },
    });
    return stdout;
  };
}

/** A table as kubectl prints it: one record per line, by the words of its header. Columns are found by position. */
export function parseTable(text: string): readonly Readonly<Record<string, string>>[] {
  const [header = '', ...lines] = text.split('\n').filter((line) => line !== '');
  const columns = [...header.matchAll(/\S+/g)].map((match) => ({ name: match[0], from: match.index }));
  return lines.map((line) =>
    Object.fromEntries(
      columns.map(({ name, from }, index) => [name, line.slice(from, columns[index + 1]?.from).trim()] as const),
    ),
  );
}
