// Templates that are kept as ControllerRevisions: found by their hash, stored, and dropped.

import type { NodeTemplate } from '@marekvs/api';
import type { RevisionRecord } from '@marekvs/planner';
import { controllerRevisions, ifFound, isAlreadyExists } from '@marekvs/runtime';
import { DONE, STALE, type StepOutcome } from '../fence.ts';
import { BY_OWNER } from '../observation/caches.ts';
import type { ExecuteContext } from './execute-context.ts';
import { ifOurs } from './name-taken.ts';
import { buildRevision, numberOfRevision } from './revision-object.ts';
import { templateHash } from './template.ts';

/** The template with this hash: the wanted one, a stored one, or that of a node; undefined when there is none. */
export function templateOf(
  hash: string,
  { cluster, stamp, joiner, ports: { caches } }: ExecuteContext,
): NodeTemplate | undefined {
  if (stamp.hash === hash) return stamp.template;
  if (joiner.hash === hash) return joiner.template;
  const { uid } = cluster.metadata;
  const kept = caches.revisions.store.byIndex(BY_OWNER, uid).find((revision) => revision.hash === hash);
  if (kept?.template !== undefined) return kept.template;
  const nodes = caches.nodes.store.byIndex(BY_OWNER, uid).map(({ object }) => object.spec.template);
  return nodes.find((template) => templateHash(template) === hash);
}

export async function storeRevision(hash: string, context: ExecuteContext): Promise<StepOutcome> {
  const { cluster, ports, signal } = context;
  const { caches, client } = ports;
  const template = templateOf(hash, context);
  if (template === undefined) return STALE;
  const kept = caches.revisions.store.byIndex(BY_OWNER, cluster.metadata.uid);
  const revision = buildRevision(cluster, template, hash, numberOfRevision(hash, context.stamp.hash, [...kept]));
  try {
    caches.revisions.observe(await client.create(controllerRevisions, revision, { signal }));
    return DONE;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const ref = { namespace: cluster.metadata.namespace, name: revision.metadata.name };
    const live = await client.get(controllerRevisions, ref, { signal });
    const outcome = ifOurs('ControllerRevision', live, context);
    if (outcome.kind === 'done') caches.revisions.observe(live);
    return outcome;
  }
}

export async function dropRevision(
  { name, uid, resourceVersion }: RevisionRecord,
  { cluster, ports, signal }: ExecuteContext,
): Promise<StepOutcome> {
  const ref = { namespace: cluster.metadata.namespace, name };
  await ifFound(ports.client.delete(controllerRevisions, ref, { uid, resourceVersion }, { signal }));
  ports.caches.revisions.observeDelete({ ...ref, uid });
  return DONE;
}
