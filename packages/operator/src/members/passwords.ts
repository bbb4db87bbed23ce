// Answers: with which password are a cluster's members asked? Reads the one Secret the cluster names, on first use and
// again when a member refused it. Keeps passwords in memory only and never logs one.

import { type Clock, isNotFound, type KubeClient, secrets } from '@marekvs/runtime';

export interface SecretRef {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

export interface Passwords {
  /** The password, from memory unless `isStale`. @throws Error naming Secret and key when there is none */
  read(ref: SecretRef, isStale: boolean, signal: AbortSignal): Promise<string>;
}

/** A refused password, or a Secret that could not be read, is looked up again no more often than this, however many members ask. */
const REREAD_MS = 30_000;

export function createPasswords(client: KubeClient, clock: Clock): Passwords {
  const known = new Map<string, { readonly atMs: number; readonly password: Promise<string>; hasFailed: boolean }>();
  return {
    read(ref, isStale, signal) {
      const id = `${ref.namespace}/${ref.name}/${ref.key}`;
      const entry = known.get(id);
      const nowMs = clock.steadyMs();
      const isFresh = entry !== undefined && nowMs - entry.atMs < REREAD_MS;
      if (entry !== undefined && (isFresh || !(isStale || entry.hasFailed))) return entry.password;
      const password = fetchPassword(client, ref, signal);
      const next = { atMs: nowMs, password, hasFailed: false };
      known.set(id, next);
      password.catch(() => {
        next.hasFailed = true;
      });
      return password;
    },
  };
}

async function fetchPassword(client: KubeClient, ref: SecretRef, signal: AbortSignal): Promise<string> {
  const where = `Secret ${ref.namespace}/${ref.name}`;
  try {
    const secret = await client.get(secrets, ref, { signal });
    const encoded = secret.data?.[ref.key];
    if (encoded === undefined) throw new Error(`${where} has no key ${ref.key}`);
    return Buffer.from(encoded, 'base64').toString('utf8');
  } catch (error) {
    if (isNotFound(error)) throw new Error(`${where} does not exist`, { cause: error });
    throw error;
  }
}
