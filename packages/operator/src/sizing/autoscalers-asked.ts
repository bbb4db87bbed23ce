// Answers: does a HorizontalPodAutoscaler aim at a cluster whose size spec.autoscale decides? Only a message depends on
// it, because the API server refuses what the autoscaler writes. Asked once per spec and once per decision; never at
// rest.

import type { MarekvsCluster } from '@marekvs/api';
import { type Clock, horizontalPodAutoscalers, type KubeClient } from '@marekvs/runtime';
import { createBackgroundAnswers } from '../background/background-answers.ts';
import { ASK_LIMIT_MS, FORBIDDEN_MS } from '../pacing/paces.ts';
import { aimedAutoscalers } from './aimed-autoscalers.ts';

export interface AutoscalersAsked {
  /** Names of the autoscalers that aim at this cluster; undefined when its size is fixed, or when they may not be
   *  listed. Cheap: the API server is asked in the background. */
  ask(clusterKey: string, cluster: MarekvsCluster): readonly string[] | undefined;
  forget(clusterKey: string): void;
  /** Asks the API server until aborted. Before it runs, questions only wait. */
  run(signal: AbortSignal): Promise<void>;
}

export interface AutoscalersAskedOptions {
  readonly client: Pick<KubeClient, 'list'>;
  readonly clock: Clock;
  /** The answer for a cluster has changed: reconcile it again. */
  readonly onAnswer: (clusterKey: string) => void;
}

/** While there is an autoscaler, a person is asked to remove it, and no event tells us when that is done. */
const FOUND_MS = 30_000;

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
      if (names === undefined) return { afterMs: FORBIDDEN_MS, isAwaited: false };
      return { afterMs: names.length === 0 ? Number.POSITIVE_INFINITY : FOUND_MS, isAwaited: names.length > 0 };
    },
  });
  return {
    ask(clusterKey, { metadata, spec, status }) {
      if (spec.autoscale === undefined || metadata.deletionTimestamp !== undefined) {
        // This answer must not be used when spec.autoscale is set again.
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
    const { items } = await client.list(horizontalPodAutoscalers, { namespace, signal, timeoutMs: ASK_LIMIT_MS });
    return aimedAutoscalers(items, target.name);
  } catch {
    return undefined;
  }
}
