// The log of a Pod, as the API server passes it on from the kubelet.

import type { Run } from '../connection/cli.ts';
import { readLines } from './lines.ts';

export interface LogOptions {
  readonly tail: number;
  /** The API server cuts the log at this size. */
  readonly maxBytes: number;
}

const IDLE_MS = 15_000;

export async function readLog(
  run: Run,
  pod: { readonly namespace: string; readonly name: string },
  { tail, maxBytes }: LogOptions,
  onLine: (line: string) => void,
): Promise<void> {
  const query = new URLSearchParams({ tailLines: String(tail), limitBytes: String(maxBytes) });
  await readLines(run, {
    path: `/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/pods/${encodeURIComponent(pod.name)}/log?${query}`,
    resource: 'pods/log',
    subject: `pods/log ${pod.namespace}/${pod.name}`,
    idleMs: IDLE_MS,
    onLine,
  });
}
