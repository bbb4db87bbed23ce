// One more read of a cluster that somebody follows.

import type { MarekvsCluster } from '@marekvs/api';
import { ApiError, TransportError } from '@marekvs/runtime';
import type { Run } from '../cli.ts';
import { readCluster } from '../reading/cluster-parts.ts';
import type { warnOnce } from './problems.ts';

/** Returns undefined and warns while the API server does not answer: what is followed goes on without it. */
export async function readAgain(
  run: Run,
  { metadata }: MarekvsCluster,
  warn: ReturnType<typeof warnOnce>,
): Promise<MarekvsCluster | undefined> {
  try {
    return await readCluster(run, metadata.name);
  } catch (error) {
    const isPassing = error instanceof TransportError || (error instanceof ApiError && error.status >= 500);
    if (!isPassing) throw error;
    warn({ error });
    return undefined;
  }
}
