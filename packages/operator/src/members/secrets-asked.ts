// Answers: is the Secret with a cluster's password there? Asked by name, for clusters whose spec names one, in the
// background. Only whether there is a password is kept, never the password; decides nothing.

import { type Clock, isForbidden, isNotFound, type KubeClient, secrets } from '@marekvs/runtime';
import { createBackgroundAnswers } from './background-answers.ts';
import type { SecretRef } from './passwords.ts';
import { passwordOfKey } from './secret-keys.ts';

/** `invalid`: what is under the key cannot be a password. `forbidden`: nobody has granted that it be read. */
export type SecretState = 'present' | 'missing' | 'invalid' | 'forbidden' | 'unknown';

export interface SecretsAsked {
  /** What is known of this Secret now; what is not known yet, or not any more, is asked for in the background.
   *  Cheap. */
  ask(clusterKey: string, ref: SecretRef): SecretState;
  /** What is known of it now; nothing is asked. */
  known(clusterKey: string, ref: SecretRef): SecretState;
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
  /** An answer that a cluster was given has changed: reconcile the cluster again. */
  readonly onAnswer: (clusterKey: string) => void;
  /** The Secret of a cluster is another version than when it was last asked for. */
  readonly onVersion: (clusterKey: string, ref: SecretRef) => void;
}

/** One that is missing, or may not be read, is what somebody waits for. That one is gone is shown by its
 *  sentinel (cluster/secret-sentinel.ts); a changed key is not, so a pass after so long asks again, and so it
 *  does where nobody may tell. */
const MISSING_MS = 30_000;
const OTHERWISE_MS = 600_000;
const GET_LIMIT_MS = 5_000;

/** Somebody has to do something about it, and nothing tells us when that is done. */
const AWAITED: ReadonlySet<SecretState> = new Set<SecretState>(['missing', 'invalid', 'forbidden']);

interface Asked {
  readonly clusterKey: string;
  readonly ref: SecretRef;
}

interface Found {
  readonly state: Exclude<SecretState, 'unknown'>;
  readonly uid?: string | undefined;
  readonly version?: string | undefined;
}

export function createSecretsAsked({ client, clock, onAnswer, onVersion }: SecretsAskedOptions): SecretsAsked {
  const versions = new Map<string, string>();

  /** Told before its cluster is reconciled. */
  function noteVersion(clusterKey: string, ref: SecretRef, version: string | undefined): void {
    const before = versions.get(clusterKey);
    if (version === undefined || version === before) return;
    versions.set(clusterKey, version);
    if (before !== undefined) onVersion(clusterKey, ref);
  }

  const answers = createBackgroundAnswers<Asked, Found>({
    clock,
    onAnswer,
    async read({ clusterKey, ref }, signal) {
      const found = await find(client, ref, signal);
      noteVersion(clusterKey, ref, found?.version);
      return found;
    },
    // Nothing tells us when a missing one is made.
    again: (found) =>
      found !== undefined && AWAITED.has(found.state)
        ? { afterMs: MISSING_MS, isAwaited: true }
        : { afterMs: OTHERWISE_MS, isAwaited: false },
  });
  return {
    ask: (clusterKey, ref) => answers.ask(clusterKey, { clusterKey, ref })?.state ?? 'unknown',
    known: (clusterKey, ref) => answers.known(clusterKey, { clusterKey, ref })?.state ?? 'unknown',
    uidOf: (clusterKey) => answers.known(clusterKey)?.uid,
    doubt: answers.doubt,
    forget(clusterKey) {
      versions.delete(clusterKey);
      answers.forget(clusterKey);
    },
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
    const { kind } = passwordOfKey(secret.data, key);
    const { uid, resourceVersion: version } = secret.metadata;
    return { state: kind === 'password' ? 'present' : kind, uid, version };
  } catch (error) {
    if (isNotFound(error)) return { state: 'missing' };
    return isForbidden(error) ? { state: 'forbidden' } : undefined;
  }
}
