// One more look at a cluster that somebody follows.

import type { MarekvsCluster } from '@marekvs/api';
import { ApiError, TransportError } from '@marekvs/runtime';
import type { Run } from '../cli.ts';
import { readCluster } from '../reading/cluster-parts.ts';
import type { sayProblems } from './problems.ts';

/** Undefined, and a word of it, while the API server does not answer: what is followed goes on without it. */
export async function lookAgain(
  run: Run,
  { metadata }: MarekvsCluster,
  say: ReturnType<typeof sayProblems>,
): Promise<MarekvsCluster | undefined> {
  try {
    return await readCluster(run, metadata.name);
  } catch (error) {
    const isPassing = error instanceof TransportError || (error instanceof ApiError && error.status >= 500);
    if (!isPassing) throw error;
    say({ error });
    return undefined;
  }
}
