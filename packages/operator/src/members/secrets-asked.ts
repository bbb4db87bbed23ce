// Answers: is the Secret with a cluster's password there? Asked by name, for clusters whose spec names one, in the background. Only
// whether there is a password is kept, never the password; decides nothing.

import { type Clock, isNotFound, type KubeClient, secrets } from '@marekvs/runtime';
import { createBackgroundAnswers } from './background-answers.ts';
import type { SecretRef } from './passwords.ts';

export type SecretState = 'present' | 'missing' | 'unknown';

export interface SecretsAsked {
  /** What is known of this Secret now; what is not known yet, or not any more, is asked for in the background. Cheap. */
  ask(clusterKey: string, ref: SecretRef): SecretState;
  /** Of the Secret that was there when it was last asked for. */
  uidOf(clusterKey: string): string | undefined;
  /** Something says that it may be gone: asked for anew, and the cluster is reconciled whatever the answer is. */
  doubt(clusterKey: string): void;
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

/** One that is missing is what somebody waits for. That one is gone is told by its sentinel (cluster/secret-sentinel.ts); a changed key is
 *  not, so a pass after so long asks again, and so it does where nobody may tell. */
const MISSING_MS = 30_000;
const OTHERWISE_MS = 600_000;
const GET_LIMIT_MS = 5_000;

interface Found {
  readonly state: 'present' | 'missing';
  readonly uid?: string | undefined;
}

export function createSecretsAsked({ client, clock, onAnswer }: SecretsAskedOptions): SecretsAsked {
  const answers = createBackgroundAnswers<SecretRef, Found>({
    clock,
    onAnswer,
    read: (ref, signal) => find(client, ref, signal),
    // Nothing tells us when a missing one is made.
    again: (found) =>
      found?.state === 'missing'
        ? { afterMs: MISSING_MS, isAwaited: true }
        : { afterMs: OTHERWISE_MS, isAwaited: false },
  });
  return {
    ask: (clusterKey, ref) => answers.ask(clusterKey, ref)?.state ?? 'unknown',
    uidOf: (clusterKey) => answers.known(clusterKey)?.uid,
    doubt: answers.doubt,
    forget: answers.forget,
    run: answers.run,
  };
}

/** Never throws: who may not ask, or gets no answer, knows nothing. */
async function find(
  client: Pick<KubeClient, 'get'>,
  { namespace, name, key }: SecretRef,
  signal: AbortSignal,
): Promise<Found | undefined> {
  try {
    const secret = await client.get(secrets, { namespace, name }, { signal, timeoutMs: GET_LIMIT_MS });
    return { state: (secret.data?.[key] ?? '') === '' ? 'missing' : 'present', uid: secret.metadata.uid };
  } catch (error) {
    return isNotFound(error) ? { state: 'missing' } : undefined;
  }
}
