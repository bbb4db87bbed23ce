// Answers: does the API server let the resources of a running Pod be changed? It says so in the list of what it offers.
// Asked only while a member has other resources than are asked for; one answer is for all clusters. Decides nothing.

import { type ResizeSupport, resizeSupportOf } from '@marekvs/planner';
import type { Clock, KubeClient } from '@marekvs/runtime';
import { createSharedAnswers, type Found } from './shared-answers.ts';

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
/** Of the core group, where Pods are. */
const CORE_VERSION = 'v1';

export function createResizeSupport({ client, clock, onAnswer }: ResizeSupportOptions): ResizeSupportAsked {
  const answers = createSharedAnswers<ResizeSupport>({ clock, read, onAnswer });

  /** Never throws: who gets no answer takes the way that is always open. */
  async function read(version: string, signal: AbortSignal): Promise<Found<ResizeSupport>> {
    try {
      const names = await client.offered({ group: '', version }, { signal, timeoutMs: GET_LIMIT_MS });
      return { answer: resizeSupportOf(names), freshMs: REMEMBERED_MS };
    } catch {
      return { answer: 'absent', freshMs: FAILED_MS };
    }
  }

  return { ask: (clusterKey) => answers.ask(clusterKey, CORE_VERSION) ?? 'unknown', run: answers.run };
}
