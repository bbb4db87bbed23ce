// Comparisons of the members of one cluster, run in this process as the operator runs them.

import { createComparisons } from '@marekvs/operator/assembly';
import type { ComparisonReport, ComparisonRequest } from '@marekvs/planner';
import { systemClock } from '@marekvs/runtime';
import { createContentClient, createStoreClient } from '@marekvs/store-client';
import { round } from '../support/figures.ts';

const KEY = 'bench/compared';

/** A comparison of the sources with all other homes.
 *  @param members addresses by id */
export async function requestFor(
  members: ReadonlyMap<number, string>,
  { sources, replicationFactor }: Pick<ComparisonRequest, 'sources' | 'replicationFactor'>,
): Promise<ComparisonRequest> {
  const [first = ''] = members.values();
  const lines = await createStoreClient().nodes({ host: first });
  return {
    purpose: 'change',
    id: 'bench',
    members: [...members].map(([nodeId, ip]) => ({
      nodeId,
      podUid: `pod-${nodeId}`,
      ip,
      generation: lines.find(({ id }) => id === nodeId)?.generation ?? 0,
    })),
    sources,
    replicationFactor,
    sinceMs: Number.NEGATIVE_INFINITY,
    isKeptFresh: false,
  };
}

export interface Compared {
  readonly report: ComparisonReport;
  readonly seconds: number;
}

/** Runs one comparison after the other; what they find out is kept for the next.
 *  @param work each request has another `id` */
export async function comparing<T>(
  work: (compare: (request: ComparisonRequest, limitMs: number) => Promise<Compared>) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  let onProgress = (): void => {};
  const comparisons = createComparisons({
    contents: createContentClient(),
    clock: systemClock,
    random: Math.random,
    onProgress: () => onProgress(),
  });
  const running = comparisons.run(stop.signal);
  try {
    return await work(async (request, limitMs) => {
      const done = Promise.withResolvers<ComparisonReport>();
      onProgress = () => {
        const report = comparisons.report(KEY);
        if (report?.state === 'complete' && report.request.id === request.id) done.resolve(report);
      };
      const startedMs = performance.now();
      comparisons.want(KEY, request);
      const late = setTimeout(() => {
        const { partitionsDone = 0, partitionsTotal = 0 } = comparisons.report(KEY) ?? {};
        done.reject(new Error(`${partitionsDone} of ${partitionsTotal} partitions compared after ${limitMs} ms`));
      }, limitMs);
      const report = await done.promise;
      clearTimeout(late);
      return { report, seconds: round((performance.now() - startedMs) / 1000) };
    });
  } finally {
    stop.abort();
    await running;
  }
}
