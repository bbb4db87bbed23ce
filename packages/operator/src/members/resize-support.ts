// Answers: does the API server let the resources of a running Pod be changed? It says so in the list of what it offers.
// Asked only while a member has other resources than are asked for; one answer is for all clusters. Decides nothing.

import { type ResizeSupport, resizeSupportOf } from '@marekvs/planner';
import { type Clock, type KubeClient, untilAborted } from '@marekvs/runtime';

export interface ResizeSupportAsked {
  /** What is known now; what is not known yet, or not any more, is asked for in the background. Cheap. */
  ask(clusterKey: string): ResizeSupport;
  /** Runs until aborted. Until then, questions only wait. */
  run(signal: AbortSignal): Promise<void>;
}

export interface ResizeSupportOptions {
  readonly client: Pick<KubeClient, 'offered'>;
  readonly clock: Clock;
  /** There is an answer: reconcile the cluster again. */
  readonly onAnswer: (clusterKey: string) => void;
}

/** API servers are upgraded while an operator runs. */
const REMEMBERED_MS = 600_000;
/** Who gets no answer restarts members, and asks again. */
const FAILED_MS = 30_000;
const GET_LIMIT_MS = 5_000;

export function createResizeSupport({ client, clock, onAnswer }: ResizeSupportOptions): ResizeSupportAsked {
  const waiting = new Set<string>();
  let known: { readonly support: ResizeSupport; readonly untilMs: number } | undefined;
  let isAsking = false;
  let running: AbortSignal | undefined;

  async function refresh(signal: AbortSignal): Promise<void> {
    isAsking = true;
    const answer = await answerFor(client, signal);
    isAsking = false;
    if (signal.aborted) return;
    known = { support: answer.support, untilMs: clock.steadyMs() + answer.freshMs };
    const asking = [...waiting];
    waiting.clear();
    for (const clusterKey of asking) onAnswer(clusterKey);
  }

  return {
    ask(clusterKey) {
      if (known !== undefined && clock.steadyMs() < known.untilMs) return known.support;
      waiting.add(clusterKey);
      if (!isAsking && running !== undefined) void refresh(running);
      return 'unknown';
    },
    run(signal) {
      running = signal;
      if (waiting.size > 0) void refresh(signal);
      return untilAborted(signal);
    },
  };
}

/** Never throws: who gets no answer takes the way that is always open. */
async function answerFor(
  client: Pick<KubeClient, 'offered'>,
  signal: AbortSignal,
): Promise<{ readonly support: ResizeSupport; readonly freshMs: number }> {
  try {
    const names = await client.offered({ group: '', version: 'v1' }, { signal, timeoutMs: GET_LIMIT_MS });
    return { support: resizeSupportOf(names), freshMs: REMEMBERED_MS };
  } catch {
    return { support: 'absent', freshMs: FAILED_MS };
  }
}
