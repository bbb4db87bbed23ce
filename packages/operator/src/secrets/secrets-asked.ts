// Answers: is the Secret with a cluster's password there? Read by name in the background, for clusters whose spec names
// one. Keeps only whether there is a password, never the password; decides nothing.

import { type Clock, isForbidden, isNotFound, type KubeClient, secrets } from '@marekvs/runtime';
import { createBackgroundAnswers } from '../background/background-answers.ts';
import { ASK_LIMIT_MS } from '../pacing/paces.ts';
import type { SecretRef } from './passwords.ts';
import { passwordOfKey } from './secret-keys.ts';

/** `invalid`: the value of the key cannot be a password. `forbidden`: no permission to read the Secret was granted. */
export type SecretState = 'present' | 'missing' | 'invalid' | 'forbidden' | 'unknown';

export interface SecretsAsked {
  /** The present state of this Secret. A missing or expired answer is asked for in the background. Cheap. */
  ask(clusterKey: string, ref: SecretRef): SecretState;
  /** The present state of this Secret. Asks nothing. */
  known(clusterKey: string, ref: SecretRef): SecretState;
  /** UID of the Secret that was there at the last read. */
  uidOf(clusterKey: string): string | undefined;
  /** The Secret may be gone: reads it again, and the cluster is reconciled whatever the answer is. */
  doubt(clusterKey: string): void;
  forget(clusterKey: string): void;
  /** Asks until aborted. Before it runs, questions only wait. */
  run(signal: AbortSignal): Promise<void>;
}

export interface SecretsAskedOptions {
  readonly client: Pick<KubeClient, 'get'>;
  readonly clock: Clock;
  /** The answer for a cluster has changed: reconcile it again. */
  readonly onAnswer: (clusterKey: string) => void;
  /** The Secret of a cluster has another version than at the last read. */
  readonly onVersion: (clusterKey: string, ref: SecretRef) => void;
}

/** A Secret that is missing or could not be read is awaited, so it is read again soon. The end of a Secret is
 *  shown by its sentinel (cluster/secret-sentinel.ts), but a changed key is not: a pass after the longer time reads
 *  again, also where no sentinel may be made. */
const MISSING_MS = 30_000;
const OTHERWISE_MS = 600_000;

/** A person has to act, and no event tells us when that is done. */
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

  /** Reported before the cluster is reconciled. */
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
    // No event tells us when a missing Secret is created, or when the API server answers again.
    again: (found) =>
      found === undefined || AWAITED.has(found.state)
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

/** Never throws. Undefined when there is no answer. */
async function find(
  client: Pick<KubeClient, 'get'>,
  { namespace, name, key }: SecretRef,
  signal: AbortSignal,
): Promise<Found | undefined> {
  try {
    const secret = await client.get(secrets, { namespace, name }, { signal, timeoutMs: ASK_LIMIT_MS });
    const { kind } = passwordOfKey(secret.data, key);
    const { uid, resourceVersion: version } = secret.metadata;
    return { state: kind === 'password' ? 'present' : kind, uid, version };
  } catch (error) {
    if (isNotFound(error)) return { state: 'missing' };
    return isForbidden(error) ? { state: 'forbidden' } : undefined;
  }
}
