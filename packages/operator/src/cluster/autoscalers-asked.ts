// Answers: does a HorizontalPodAutoscaler aim at a cluster whose size spec.autoscale decides? The API
// server refuses what it writes, so nothing depends on this but a message. Asked once for each spec and
// once for each decision; at rest, never.

import type { MarekvsCluster } from '@marekvs/api';
import { type Clock, horizontalPodAutoscalers, type KubeClient } from '@marekvs/runtime';
import { createBackgroundAnswers } from '../members/background-answers.ts';
import { aimedAutoscalers } from './aimed-autoscalers.ts';

export interface AutoscalersAsked {
  /** Names of those that aim at this cluster; undefined when its size is fixed or nobody may tell. Cheap: the API
   *  server is asked in the background. */
  ask(clusterKey: string, cluster: MarekvsCluster): readonly string[] | undefined;
  forget(clusterKey: string): void;
  /** Runs until aborted. Until then, questions only wait. */
  run(signal: AbortSignal): Promise<void>;
}

export interface AutoscalersAskedOptions {
  readonly client: Pick<KubeClient, 'list'>;
  readonly clock: Clock;
  /** An answer that a cluster was given has changed: reconcile the cluster again. */
  readonly onAnswer: (clusterKey: string) => void;
}

/** While one is there somebody is asked to take it away, and nothing tells us when that is done. */
const FOUND_MS = 30_000;
/** Who may not ask will not be allowed to soon. */
const UNANSWERED_MS = 600_000;
const LIST_LIMIT_MS = 5_000;

interface Target {
  readonly namespace: string;
  readonly name: string;
}

export function createAutoscalersAsked({ client, clock, onAnswer }: AutoscalersAskedOptions): AutoscalersAsked {
  const answers = createBackgroundAnswers<Target, readonly string[]>({
    clock,
    onAnswer,
    read: (target, signal) => namesFor(client, target, signal),
    again(names) {
      if (names === undefined) return { afterMs: UNANSWERED_MS, isAwaited: false };
      return { afterMs: names.length === 0 ? Number.POSITIVE_INFINITY : FOUND_MS, isAwaited: names.length > 0 };
    },
  });
  return {
    ask(clusterKey, { metadata, spec, status }) {
      if (spec.autoscale === undefined || metadata.deletionTimestamp !== undefined) {
        // What was found then is not true of the next time it is set.
        answers.forget(clusterKey);
        return undefined;
      }
      const { namespace, name, generation } = metadata;
      return answers.ask(clusterKey, { namespace, name }, `${generation} ${status?.autoscale?.since}`);
    },
    forget: answers.forget,
    run: answers.run,
  };
}

async function namesFor(
  client: Pick<KubeClient, 'list'>,
  target: Target,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const { namespace } = target;
  try {
    const { items } = await client.list(horizontalPodAutoscalers, { namespace, signal, timeoutMs: LIST_LIMIT_MS });
    return aimedAutoscalers(items, target.name);
  } catch {
    return undefined;
  }
}
