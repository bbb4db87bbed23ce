// Reads a cluster once a second until something is so, for `--wait`. Shows what the operator says meanwhile.

import type { MarekvsCluster } from '@marekvs/api';
import type { Run } from '../cli.ts';
import { failed } from '../errors.ts';
import { ageText } from '../render/time.ts';
import { createLiveLine } from './live-line.ts';
import { warnOnce } from './problems.ts';
import { readAgain } from './read-again.ts';

const INTERVAL_MS = 1_000;

/** @param missingOf what is still missing, in one sentence; undefined when nothing is
 *  @throws CliError when it is not so in time */
export async function waitFor(
  run: Run,
  cluster: MarekvsCluster,
  timeoutMs: number,
  missingOf: (cluster: MarekvsCluster) => string | undefined,
): Promise<void> {
  const { ports } = run;
  const startedMs = ports.nowMs();
  const line = createLiveLine(run);
  const warn = warnOnce(run);
  try {
    for (;;) {
      await ports.delay(INTERVAL_MS);
      const seen = await readAgain(run, cluster, warn);
      const isSeen = seen !== undefined && seen.status?.observedGeneration === seen.metadata.generation;
      const missing = isSeen ? missingOf(seen) : 'the operator has not seen it yet';
      if (missing === undefined) return;
      line.show(missing);
      if (ports.nowMs() - startedMs < timeoutMs) continue;
      const { namespace, name } = cluster.metadata;
      throw failed(
        `not done within ${ageText(timeoutMs)}: ${missing}`,
        `it goes on; kubectl mkv explain ${name} -n ${namespace}`,
      );
    }
  } finally {
    line.end();
  }
}
