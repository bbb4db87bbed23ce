// Answers: is the Secret with a cluster's password there? Asked by name, for clusters whose spec names one, in the background. Only
// whether there is a password is kept, never the password; decides nothing.

import { type Clock, isNotFound, type KubeClient, secrets } from '@marekvs/runtime';
import { createBackgroundAnswers } from './background-answers.ts';
import type { SecretRef } from './passwords.ts';

export type SecretState = 'present' | 'missing' | 'unknown';

export interface SecretsAsked {
  /** What is known of this Secret now; what is not known yet, or not any more, is asked for in the background. Cheap. */
  ask(clusterKey: string, ref: SecretRef): SecretState;
  forget(clusterKey: string): void;
  /** Runs until aborted. Until then, questions only wait. */
  run(signal: AbortSignal): Promise<void>;
}

export interface SecretsAskedOptions {
  readonly client: Pick<KubeClient, 'get'>;
  readonly clock: Clock;
  /** What a cluster was told has changed: reconcile the cluster again. */
  readonly onAnswer: (clusterKey: string) => void;
}

/** One that is missing is what somebody waits for. One that is there goes without a word to us: a pass after so long asks again, and
 *  so it does where nobody may tell. */
const MISSING_MS = 30_000;
const OTHERWISE_MS = 600_000;
const GET_LIMIT_MS = 5_000;

export function createSecretsAsked({ client, clock, onAnswer }: SecretsAskedOptions): SecretsAsked {
  const answers = createBackgroundAnswers<SecretRef, 'present' | 'missing'>({
    clock,
    onAnswer,
    read: (ref, signal) => stateOf(client, ref, signal),
    // Nothing tells us when a missing one is made.
    again: (state) =>
      state === 'missing' ? { afterMs: MISSING_MS, isAwaited: true } : { afterMs: OTHERWISE_MS, isAwaited: false },
  });
  return {
    ask: (clusterKey, ref) => answers.ask(clusterKey, ref) ?? 'unknown',
    forget: answers.forget,
    run: answers.run,
  };
}

async function stateOf(
  client: Pick<KubeClient, 'get'>,
  { namespace, name, key }: SecretRef,
  signal: AbortSignal,
): Promise<'present' | 'missing' | undefined> {
  try {
    const secret = await client.get(secrets, { namespace, name }, { signal, timeoutMs: GET_LIMIT_MS });
    return (secret.data?.[key] ?? '') === '' ? 'missing' : 'present';
  } catch (error) {
    return isNotFound(error) ? 'missing' : undefined;
  }
}
