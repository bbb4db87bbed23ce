// Answers: can the resources of a running Pod be changed, by the API server's list of what it offers? Asked only while
// a member has other resources than wanted; one answer is for all clusters. Decides nothing.

import { type ResizeSupport, resizeSupportOf } from '@marekvs/planner';
import type { Clock, KubeClient } from '@marekvs/runtime';
import { createSharedAnswers, type Found } from '../background/shared-answers.ts';
import { ASK_LIMIT_MS } from '../pacing/paces.ts';

export interface ResizeSupportAsked {
  /** The present answer. A missing or expired one is asked for in the background. Cheap. */
  ask(clusterKey: string): ResizeSupport;
  /** Asks until aborted. Before it runs, questions only wait. */
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
/** Without an answer members are restarted instead, and the question is asked again. */
const FAILED_MS = 30_000;
/** Version of the core group, which has Pods. */
const CORE_VERSION = 'v1';

export function createResizeSupport({ client, clock, onAnswer }: ResizeSupportOptions): ResizeSupportAsked {
  const answers = createSharedAnswers<ResizeSupport>({ clock, read, onAnswer });

  /** Never throws. Without an answer a resize counts as impossible, since a restart always works. */
  async function read(version: string, signal: AbortSignal): Promise<Found<ResizeSupport>> {
    try {
      const names = await client.offered({ group: '', version }, { signal, timeoutMs: ASK_LIMIT_MS });
      return { answer: resizeSupportOf(names), freshMs: REMEMBERED_MS };
    } catch {
      return { answer: 'absent', freshMs: FAILED_MS };
    }
  }

  return { ask: (clusterKey) => answers.ask(clusterKey, CORE_VERSION) ?? 'unknown', run: answers.run };
}
