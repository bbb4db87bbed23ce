// The log of a Pod, as the API server passes it on from the kubelet.

import type { Run } from '../connection/cli.ts';
import { readLines } from './lines.ts';

export interface LogOptions {
  readonly tail: number;
  readonly isFollowed?: boolean;
  readonly isPrevious?: boolean;
  /** The API server cuts the log at this size. */
  readonly maxBytes?: number;
}

const IDLE_MS = 15_000;
/** A member may print nothing for a day. */
const FOLLOW_IDLE_MS = 86_400_000;

export async function readLog(
  run: Run,
  pod: { readonly namespace: string; readonly name: string },
  { tail, isFollowed = false, isPrevious = false, maxBytes }: LogOptions,
  onLine: (line: string) => void,
): Promise<void> {
  const query = new URLSearchParams({
    tailLines: String(tail),
    ...(isFollowed ? { follow: 'true' } : {}),
    ...(isPrevious ? { previous: 'true' } : {}),
    ...(maxBytes === undefined ? {} : { limitBytes: String(maxBytes) }),
  });
  await readLines(run, {
    path: `/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/pods/${encodeURIComponent(pod.name)}/log?${query}`,
    resource: 'pods/log',
    subject: `pods/log ${pod.namespace}/${pod.name}`,
    idleMs: isFollowed ? FOLLOW_IDLE_MS : IDLE_MS,
    mayEndInLine: maxBytes === undefined,
    onLine,
  });
}
