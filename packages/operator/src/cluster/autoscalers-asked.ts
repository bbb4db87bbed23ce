// Answers: does a HorizontalPodAutoscaler aim at a cluster whose size spec.autoscale decides? The API
// server refuses what it writes, so nothing depends on this but a message. Asked once for each spec and
// once for each decision; at rest, never.

import { GROUP, type MarekvsCluster } from '@marekvs/api';
import { type Hold, hold } from '@marekvs/planner';
import { type Clock, type HorizontalPodAutoscaler, horizontalPodAutoscalers, type KubeClient } from '@marekvs/runtime';
import { createBackgroundAnswers } from '../members/background-answers.ts';

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
    return items
      .filter((one) => aimsAt(one, target.name))
      .map(({ metadata }) => metadata.name)
      .sort();
  } catch {
    return undefined;
  }
}

function aimsAt({ spec }: HorizontalPodAutoscaler, clusterName: string): boolean {
  const { apiVersion = '', kind, name } = spec?.scaleTargetRef ?? {};
  return kind === 'MarekvsCluster' && name === clusterName && apiVersion.startsWith(`${GROUP}/`);
}

/** The message about those that were found: a person has to decide which of the two it shall be. */
export function autoscalerHolds(names: readonly string[] | undefined): readonly Hold[] {
  if (names === undefined || names.length === 0) return [];
  const [aims, asks] = names.length === 1 ? ['aims', 'it asks'] : ['aim', 'they ask'];
  const message = `HorizontalPodAutoscaler ${names.join(', ')} ${aims} at this cluster, whose size spec.autoscale decides: what ${asks} for is refused`;
  return [hold('AutoscaleConflict', message, true)];
}
