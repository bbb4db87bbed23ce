// Answers: is the Secret with a cluster's password there? Asked by name, for clusters whose spec names one, in the background. Only
// whether there is a password is kept, never the password; decides nothing.

import { type Clock, isNotFound, type KubeClient, secrets } from '@marekvs/runtime';
import { createBoundedWork } from './bounded-work.ts';
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
const MAX_IN_FLIGHT = 4;

interface Entry {
  readonly clusterKey: string;
  readonly ref: SecretRef;
  state: SecretState;
  uid: string | undefined;
  isDoubted: boolean;
  /** Steady: when it is to be asked for again. */
  dueMs: number;
  isAsking: boolean;
}

export function createSecretsAsked({ client, clock, onAnswer }: SecretsAskedOptions): SecretsAsked {
  const entries = new Map<string, Entry>();
  const due = createBoundedWork<Entry>(MAX_IN_FLIGHT, read);

  async function read(entry: Entry, signal: AbortSignal): Promise<void> {
    const { state, uid } = await stateOf(client, entry.ref, signal);
    entry.isAsking = false;
    if (signal.aborted || entries.get(entry.clusterKey) !== entry) return;
    const before = entry.state;
    // No answer says nothing: the last one stands.
    if (state !== 'unknown') {
      entry.state = state;
      entry.uid = uid;
    }
    const { isDoubted } = entry;
    entry.isDoubted = false;
    entry.dueMs = clock.steadyMs() + (state === 'missing' ? MISSING_MS : OTHERWISE_MS);
    // Nothing tells us when a missing one is made.
    if (state === 'missing') clock.after(MISSING_MS, () => wake(entry));
    if (entry.state !== before || isDoubted) onAnswer(entry.clusterKey);
  }

  function wake(entry: Entry): void {
    if (entries.get(entry.clusterKey) === entry) onAnswer(entry.clusterKey);
  }

  function entryOf(clusterKey: string, ref: SecretRef): Entry {
    const known = entries.get(clusterKey);
    if (known?.ref.name === ref.name && known.ref.key === ref.key) return known;
    const unasked = { uid: undefined, isDoubted: false, dueMs: Number.NEGATIVE_INFINITY, isAsking: false };
    const fresh: Entry = { clusterKey, ref, state: 'unknown', ...unasked };
    entries.set(clusterKey, fresh);
    return fresh;
  }

  function askNow(entry: Entry): void {
    if (entry.isAsking) return;
    entry.isAsking = true;
    due.add(entry);
  }

  return {
    ask(clusterKey, ref) {
      const entry = entryOf(clusterKey, ref);
      if (clock.steadyMs() >= entry.dueMs) askNow(entry);
      return entry.state;
    },
    uidOf: (clusterKey) => entries.get(clusterKey)?.uid,
    doubt(clusterKey) {
      const entry = entries.get(clusterKey);
      if (entry === undefined) return;
      entry.isDoubted = true;
      askNow(entry);
    },
    forget: (clusterKey) => void entries.delete(clusterKey),
    run: due.run,
  };
}

interface Found {
  readonly state: SecretState;
  readonly uid?: string | undefined;
}

/** Never throws: who may not ask, or gets no answer, knows nothing. */
async function stateOf(
  client: Pick<KubeClient, 'get'>,
  { namespace, name, key }: SecretRef,
  signal: AbortSignal,
): Promise<Found> {
  try {
    const secret = await client.get(secrets, { namespace, name }, { signal, timeoutMs: GET_LIMIT_MS });
    return { state: (secret.data?.[key] ?? '') === '' ? 'missing' : 'present', uid: secret.metadata.uid };
  } catch (error) {
    return { state: isNotFound(error) ? 'missing' : 'unknown' };
  }
}
