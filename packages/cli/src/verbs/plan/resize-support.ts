// Whether the API server can resize running Pods, read from the list of resources that it offers.

import { type ResizeSupport, resizeSupportOf } from '@marekvs/planner';
import { ApiError } from '@marekvs/runtime';
import type { Run } from '../../connection/cli.ts';

export async function readResizeSupport(run: Run): Promise<ResizeSupport> {
  const { client } = await run.connect();
  try {
    const names = await client.offered({ group: '', version: 'v1' }, { signal: run.ports.signal });
    return resizeSupportOf(names);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return 'unknown';
  }
}
