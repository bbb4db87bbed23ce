// Answers: with which passwords is a member asked, and in which order? First the one that its cluster's spec names, if
// it is usable. Then others it may require: that of its template, of its Pod, and those noted on its node, each with
// its earlier values. In a cluster at rest all are the same, and one is tried.

import { ANNOTATIONS, type MarekvsCluster } from '@marekvs/api';
import { NO_PASSWORD, type PasswordSource, passwordSource, secretOfSource } from '@marekvs/planner';
import { namespaceOf } from '@marekvs/runtime';
import type { Caches } from '../caches/caches.ts';
import { clusterOf } from '../caches/indexes.ts';
import { readNote } from './password-note.ts';
import type { Passwords, SecretRef } from './passwords.ts';
import type { SecretsAsked } from './secrets-asked.ts';

/** A password to ask a member with, and its source. */
export interface TriedPassword {
  readonly source: PasswordSource;
  /** Undefined: no password. */
  readonly password: string | undefined;
  /** An earlier value of that source. */
  readonly isOld?: true;
}

export interface MemberPasswords {
  /** The first password to try; unreadable ones are skipped. May read the API server on first use.
   *  @throws the error about the first source, when none can be read */
  first(nodeKey: string, isStale: boolean, signal: AbortSignal): Promise<TriedPassword>;
  /** The others to try when that one was refused. */
  others(nodeKey: string, first: PasswordSource, signal: AbortSignal): Promise<readonly TriedPassword[]>;
}

export interface WantedPassword {
  readonly asked: PasswordSource;
  /** The Secret exists and may be read, and its password can be given to a member, as far as that is known. */
  readonly isUsable: boolean;
}

/** The password that the spec of a cluster asks for. */
export function wantedPassword(
  { metadata: { namespace, name }, spec: { auth } }: MarekvsCluster,
  secrets: Pick<SecretsAsked, 'known'>,
): WantedPassword {
  const ref = auth?.secretRef;
  const isUsable = ref === undefined || secrets.known(`${namespace}/${name}`, { namespace, ...ref }) === 'present';
  return { asked: passwordSource(ref), isUsable };
}

export function createMemberPasswords(
  caches: () => Pick<Caches, 'clusters' | 'nodes' | 'pods'>,
  passwords: Pick<Passwords, 'read' | 'before'>,
  secrets: Pick<SecretsAsked, 'known'>,
): MemberPasswords {
  /** For an unknown node, or one of no cluster: no password. */
  function sourcesOf(nodeKey: string): readonly PasswordSource[] {
    const { clusters, nodes, pods } = caches();
    const view = nodes.store.get(nodeKey);
    if (view?.owner.kind !== 'cluster') return [NO_PASSWORD];
    const { metadata, spec } = view.object;
    const template = passwordSource(spec.template.authSecretRef);
    const cluster = clusterOf(view, clusters.store.get);
    const started = pods.store.get(nodeKey)?.password;
    const noted = readNote(metadata.annotations?.[ANNOTATIONS.passwordSecrets]);
    const all = [template, ...(started === undefined ? [] : [started]), ...noted];
    // Before the cluster is formed, another Secret reaches its members with new Pods.
    const wanted = cluster?.status?.formed === undefined ? undefined : wantedPassword(cluster, secrets);
    return [...new Set(wanted?.isUsable === true ? [wanted.asked, ...all] : all)];
  }

  function refOf(nodeKey: string, source: PasswordSource): SecretRef | undefined {
    const ref = secretOfSource(source);
    return ref === undefined ? undefined : { namespace: namespaceOf(nodeKey), ...ref };
  }

  async function read(nodeKey: string, source: PasswordSource, isStale: boolean, signal: AbortSignal) {
    const ref = refOf(nodeKey, source);
    return { source, password: ref === undefined ? undefined : await passwords.read(ref, isStale, signal) };
  }

  function before(nodeKey: string, source: PasswordSource): readonly TriedPassword[] {
    const ref = refOf(nodeKey, source);
    const texts = ref === undefined ? [] : passwords.before(ref);
    return texts.map((password) => ({ source, password, isOld: true }));
  }

  return {
    async first(nodeKey, isStale, signal) {
      let problem: unknown;
      for (const source of sourcesOf(nodeKey)) {
        try {
          return await read(nodeKey, source, isStale, signal);
        } catch (error) {
          signal.throwIfAborted();
          problem ??= error;
        }
      }
      throw problem;
    },
    async others(nodeKey, first, signal) {
      const found: TriedPassword[] = [...before(nodeKey, first)];
      // A member that requires none takes any.
      for (const source of sourcesOf(nodeKey).filter((one) => one !== first && one !== NO_PASSWORD)) {
        try {
          found.push(await read(nodeKey, source, false, signal));
        } catch {
          signal.throwIfAborted();
        }
        found.push(...before(nodeKey, source));
      }
      return found;
    },
  };
}
