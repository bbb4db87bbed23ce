// Answers: with which password are a cluster's members asked, and which earlier ones may they still require? Reads the
// Secret that the cluster names: on first use, when a member refused the password, and when the Secret has changed.
// Keeps passwords in memory only and never logs one.

import { type Clock, isNotFound, type KubeClient, secrets } from '@marekvs/runtime';
import { passwordOfKey } from './secret-keys.ts';

export interface SecretRef {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

export interface Passwords {
  /** The password, from memory unless `isStale`. @throws Error naming Secret and key when there is none */
  read(ref: SecretRef, isStale: boolean, signal: AbortSignal): Promise<string>;
  /** The password that the Secret has at this moment. @throws as `read` */
  readNow(ref: SecretRef, signal: AbortSignal): Promise<string>;
  /** Earlier passwords, the youngest first: those that this process has seen there less than ten minutes ago, and what
   *  the Secret has under `<key>-previous`. Empty before the first read. */
  before(ref: SecretRef): readonly string[];
  /** The Secret has changed: it is read anew at the next use. */
  changed(ref: Pick<SecretRef, 'namespace' | 'name'>): void;
  /** Drops everything about this namespace. */
  forget(namespace: string): void;
}

/** A refused password, or an unreadable Secret, is read again at most this often, however many members ask. */
const REREAD_MS = 30_000;
/** Members take a changed password within seconds. The earlier one is forgotten after this. */
export const ROTATION_WINDOW_MS = 600_000;

/** The members of a cluster are asked more often than this. A password unused for so long may be from before another
 *  replica led: the members would refuse it, and count as silent. */
export const UNUSED_MS = 300_000;

interface Read {
  readonly password: string;
  readonly previous: string | undefined;
}

interface Entry {
  readonly ref: SecretRef;
  atMs: number;
  usedAtMs: number;
  /** The read that is done or under way; undefined before the first. */
  reading: Promise<Read> | undefined;
  hasFailed: boolean;
  isChanged: boolean;
  last: Read | undefined;
  /** Earlier passwords with the time of their replacement, the youngest first. */
  replaced: readonly { readonly password: string; readonly atMs: number }[];
}

export function createPasswords(client: Pick<KubeClient, 'get'>, clock: Clock): Passwords {
  const known = new Map<string, Entry>();

  function begin(entry: Entry, signal: AbortSignal): Promise<Read> {
    const reading = fetchPassword(client, entry.ref, signal);
    note(entry, reading);
    entry.isChanged = false;
    reading.then(
      (read) => take(entry, read),
      () => {
        if (entry.reading !== reading) return;
        // An abort says nothing about the Secret: the next caller reads it.
        if (signal.aborted) entry.reading = undefined;
        else entry.hasFailed = true;
      },
    );
    return reading;
  }

  /** A failure concerns only the caller: members are still asked with the known password. */
  async function readApart(entry: Entry, signal: AbortSignal): Promise<Read> {
    const reading = fetchPassword(client, entry.ref, signal);
    const read = await reading;
    note(entry, reading);
    take(entry, read);
    return read;
  }

  function note(entry: Entry, reading: Promise<Read>): void {
    entry.atMs = clock.steadyMs();
    entry.hasFailed = false;
    entry.reading = reading;
  }

  function take(entry: Entry, read: Read): void {
    const { last } = entry;
    entry.last = read;
    if (last === undefined || last.password === read.password) return;
    const others = entry.replaced.filter(({ password }) => password !== last.password);
    entry.replaced = [{ password: last.password, atMs: clock.steadyMs() }, ...others].slice(0, MAX_REPLACED);
  }

  function entryOf(ref: SecretRef): Entry {
    const id = idOf(ref);
    const entry = known.get(id) ?? {
      ref,
      atMs: 0,
      usedAtMs: 0,
      reading: undefined,
      hasFailed: false,
      isChanged: false,
      last: undefined,
      replaced: [],
    };
    known.set(id, entry);
    return entry;
  }

  return {
    async read(ref, isStale, signal) {
      const entry = entryOf(ref);
      const nowMs = clock.steadyMs();
      const isFresh = nowMs - entry.atMs < REREAD_MS;
      const isUnused = nowMs - entry.usedAtMs >= UNUSED_MS;
      entry.usedAtMs = nowMs;
      const isDue = entry.isChanged || (!isFresh && (isStale || entry.hasFailed || isUnused));
      const reading = isDue ? undefined : entry.reading;
      return (await (reading ?? begin(entry, signal))).password;
    },
    readNow: async (ref, signal) => (await readApart(entryOf(ref), signal)).password,
    before(ref) {
      const entry = known.get(idOf(ref));
      if (entry?.last === undefined) return [];
      const { password, previous } = entry.last;
      const recent = entry.replaced.filter(({ atMs }) => clock.steadyMs() - atMs < ROTATION_WINDOW_MS);
      const all = [...recent.map((one) => one.password), ...(previous === undefined ? [] : [previous])];
      return [...new Set(all)].filter((one) => one !== password);
    },
    changed({ namespace, name }) {
      for (const entry of known.values())
        if (entry.ref.namespace === namespace && entry.ref.name === name) entry.isChanged = true;
    },
    forget(namespace) {
      for (const [id, { ref }] of known) if (ref.namespace === namespace) known.delete(id);
    },
  };
}

function idOf({ namespace, name, key }: SecretRef): string {
  return `${namespace}/${name}/${key}`;
}

/** After this many changes within ten minutes, some member may require any of these. */
const MAX_REPLACED = 3;

async function fetchPassword(client: Pick<KubeClient, 'get'>, ref: SecretRef, signal: AbortSignal): Promise<Read> {
  const where = `Secret ${ref.namespace}/${ref.name}`;
  try {
    const { data } = await client.get(secrets, ref, { signal });
    const found = passwordOfKey(data, ref.key);
    if (found.kind === 'missing') throw new Error(`${where} has no key ${ref.key}`);
    if (found.kind === 'invalid') throw new Error(`${where}: key ${ref.key} ${found.why}`);
    const previous = passwordOfKey(data, `${ref.key}-previous`);
    return { password: found.password, previous: previous.kind === 'password' ? previous.password : undefined };
  } catch (error) {
    if (isNotFound(error)) throw new Error(`${where} does not exist`, { cause: error });
    throw error;
  }
}
