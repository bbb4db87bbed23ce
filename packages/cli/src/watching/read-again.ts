// One more read of a cluster that somebody follows.

import type { MarekvsCluster } from '@marekvs/api';
import { isPassing } from '@marekvs/runtime';
import { readCluster } from '../cluster/cluster-parts.ts';
import type { Run } from '../connection/cli.ts';
import type { warnOnce } from './problems.ts';

/** Undefined, with a warning, while the API server does not answer: what is followed goes on without it. */
export async function readAgain(
  run: Run,
  { metadata }: MarekvsCluster,
  warn: ReturnType<typeof warnOnce>,
): Promise<MarekvsCluster | undefined> {
  return unlessAway(readCluster(run, metadata.name), warn);
}

/** The result of the read; undefined, with a warning, after an error that goes away by itself. */
export async function unlessAway<T>(read: Promise<T>, warn: ReturnType<typeof warnOnce>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (!isPassing(error)) throw error;
    warn({ error });
    return undefined;
  }
}
