// Notices that the Secret with a password was deleted, by a sentinel that Kubernetes deletes with it: a
// ControllerRevision without a template, owned by the Secret alone. Its end is seen over an existing watch, so an idle
// cluster costs nothing, and no permission to list or watch Secrets is needed (docs/decisions/passwords.md).

import { clusterLabels, LABELS, type MarekvsCluster } from '@marekvs/api';
import {
  type ControllerRevision,
  controllerRevisions,
  ifFound,
  isAlreadyExists,
  type NewObject,
} from '@marekvs/runtime';
import { refusalOf } from '../api-server/write-refusal.ts';
import { BY_CLUSTER } from '../caches/indexes.ts';
import type { RevisionView } from '../caches/views.ts';
import { valueHash } from '../objects/template.ts';
import { FORBIDDEN_MS } from '../pacing/paces.ts';
import type { Ports } from '../pass/ports.ts';
import type { SecretState } from '../secrets/secrets-asked.ts';
import { slotLabel } from '../sharing/share.ts';

export interface SecretSentinels {
  /** Brings the sentinels of a cluster in line with its Secret, without a request when they already are.
   *  @param secret undefined when the cluster names none or is being deleted */
  keep(cluster: MarekvsCluster, secret: SecretState | undefined, signal: AbortSignal): Promise<void>;
  /** Deletes the sentinels of a cluster that is gone: they are deleted with the Secret, not with the cluster. */
  drop(clusterKey: string, signal: AbortSignal): Promise<void>;
}

export function createSecretSentinels(ports: Pick<Ports, 'caches' | 'client' | 'clock' | 'secrets'>): SecretSentinels {
  const { caches, client, clock, secrets } = ports;
  /** UID of the Secret whose sentinel was seen or made last. */
  const guarded = new Map<string, string>();
  const refusedUntilMs = new Map<string, number>();

  async function keep(cluster: MarekvsCluster, secret: SecretState | undefined, signal: AbortSignal): Promise<void> {
    const key = `${cluster.metadata.namespace}/${cluster.metadata.name}`;
    // Without an answer nothing is known: existing sentinels stay.
    if (secret === 'unknown') return;
    const uid = secret === 'present' ? secrets.uidOf(key) : undefined;
    const own = sentinelsOf(key);
    for (const one of own) if (uid === undefined || one.secretUid !== uid) await remove(one, signal);
    if (uid === undefined) return forget(key);
    if (own.some(({ secretUid }) => secretUid === uid)) {
      guarded.set(key, uid);
    } else if (guarded.get(key) === uid) {
      // The sentinel was there: either its Secret is gone, or somebody deleted the sentinel alone. Reading the Secret
      // tells.
      guarded.delete(key);
      secrets.doubt(key);
    } else if (clock.steadyMs() >= (refusedUntilMs.get(key) ?? Number.NEGATIVE_INFINITY)) {
      await make(key, cluster, uid, signal);
    }
  }

  async function make(key: string, cluster: MarekvsCluster, uid: string, signal: AbortSignal): Promise<void> {
    const name = cluster.spec.auth?.secretRef.name;
    if (name === undefined) return;
    try {
      caches.revisions.observe(await client.create(controllerRevisions, sentinel(cluster, { name, uid }), { signal }));
      guarded.set(key, uid);
    } catch (error) {
      if (!isAlreadyExists(error) && refusalOf(error) === undefined) throw error;
      // Without a sentinel the Secret is read every ten minutes.
      refusedUntilMs.set(key, clock.steadyMs() + FORBIDDEN_MS);
    }
  }

  async function remove({ namespace, name, uid, resourceVersion }: RevisionView, signal: AbortSignal): Promise<void> {
    await ifFound(client.delete(controllerRevisions, { namespace, name }, { uid, resourceVersion }, { signal }));
    caches.revisions.observeDelete({ namespace, name, uid });
  }

  function sentinelsOf(key: string): readonly RevisionView[] {
    return [...caches.revisions.store.byIndex(BY_CLUSTER, key)];
  }

  function forget(key: string): void {
    guarded.delete(key);
    refusedUntilMs.delete(key);
  }

  return {
    keep,
    async drop(key, signal) {
      for (const one of sentinelsOf(key)) await remove(one, signal);
      forget(key);
    },
  };
}

/** It has no controller, so that nothing takes it for the template of a cluster. */
function sentinel(
  { metadata: { namespace, name, uid } }: MarekvsCluster,
  secret: { readonly name: string; readonly uid: string },
): NewObject<ControllerRevision> {
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${name}-secret-${valueHash(secret.uid).slice(0, 10)}`,
      namespace,
      labels: { ...clusterLabels(name, uid), ...slotLabel(namespace, name), [LABELS.secretUid]: secret.uid },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', ...secret }],
    },
    data: {},
    revision: 0,
  };
}
