// Draws a screen again whenever the clusters or nodes behind it change, and once a second on a terminal for the ages.
// It follows watches, and reads again only after a change: an idle cluster costs the API server nothing.

import { identity, MAREKVS_CLUSTER, MAREKVS_NODE } from '@marekvs/operator/projections';
import { createReflector, errorText, type Kind, type KubeObject } from '@marekvs/runtime';
import type { Run } from '../connection/cli.ts';
import { warnOnce } from './problems.ts';

/** How long to wait after a change, because changes come in bursts. */
const SETTLE_MS = 150;
const AGES_MS = 1_000;
const CLEAR = '\u001b[H\u001b[2J\u001b[3J';

/** Renders what was read, with the ages at the time of the call. */
export type Screen = () => readonly string[];

/** Runs until Ctrl-C. An error of the first read is thrown; after a later one the last screen stays.
 *  @param cluster undefined: the list of clusters */
export async function watchScreen(run: Run, cluster: string | undefined, read: () => Promise<Screen>): Promise<void> {
  const { out, signal } = run.ports;
  const { transport } = await run.connect();
  const namespace = await run.namespace();
  const changes = createChanges();
  const onProblem = warnOnce(run);
  let screen = await read();
  let shown = '';
  const draw = (): void => {
    const lines = screen();
    const text = lines.join('\n');
    if (text === shown) return;
    shown = text;
    if (out.isTty) out.write(CLEAR);
    run.print(out.isTty ? fitting(lines, out.rows) : [...lines, '']);
  };
  draw();
  const follow = <T extends KubeObject>(kind: Kind<T>, fieldSelector?: string): Promise<void> =>
    createReflector({
      transport,
      kind,
      namespaces: namespace === undefined ? 'all' : [namespace],
      fieldSelector,
      project: identity,
      onChange: changes.note,
      onProblem,
    }).run(signal);
  const following =
    cluster === undefined
      ? [follow(MAREKVS_CLUSTER)]
      : [follow(MAREKVS_CLUSTER, `metadata.name=${cluster}`), follow(MAREKVS_NODE, `spec.clusterName=${cluster}`)];
  const ages = out.isTty ? setInterval(draw, AGES_MS) : undefined;
  try {
    while (await changes.next(signal)) {
      screen = await read().catch((error: unknown) => {
        if (!signal.aborted) run.note(errorText(error));
        return screen;
      });
      draw();
    }
  } finally {
    clearInterval(ages);
    await Promise.allSettled(following);
  }
}

/** Cuts and counts the lines that do not fit: a terminal would scroll away the head, which matters most. */
export function fitting(lines: readonly string[], rows: number | undefined): readonly string[] {
  // The cursor stands on the line below the last.
  const room = (rows ?? Number.POSITIVE_INFINITY) - 1;
  if (lines.length <= room) return lines;
  const shown = Math.max(1, room - 1);
  return [...lines.slice(0, shown), `… and ${lines.length - shown} more lines`];
}

interface Changes {
  note(): void;
  /** Resolves with true a moment after a change was noted, with false when aborted. */
  next(signal: AbortSignal): Promise<boolean>;
}

function createChanges(): Changes {
  let isNoted = false;
  let wake = (): void => {};
  return {
    note() {
      isNoted = true;
      wake();
    },
    async next(signal) {
      await new Promise<void>((resolve) => {
        wake = () => {
          signal.removeEventListener('abort', wake);
          resolve();
        };
        signal.addEventListener('abort', wake, { once: true });
        if (isNoted || signal.aborted) wake();
      });
      if (signal.aborted) return false;
      await new Promise<void>((resolve) => setTimeout(resolve, SETTLE_MS));
      isNoted = false;
      return !signal.aborted;
    },
  };
}
