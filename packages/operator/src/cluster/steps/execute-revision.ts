// Templates that are kept as ControllerRevisions: found by their hash, stored, and dropped.

import type { NodeTemplate } from '@marekvs/api';
import type { NodeRecord, RevisionRecord } from '@marekvs/planner';
import { controllerRevisions, ifFound, isAlreadyExists, keyOf } from '@marekvs/runtime';
import { BY_OWNER, ownedBy } from '../../caches/indexes.ts';
import { buildRevision, numberOfRevision } from '../../objects/revision-object.ts';
import { templateHash } from '../../objects/template.ts';
import { replacement } from '../../pass/drift.ts';
import { DONE, STALE, type StepOutcome } from '../../pass/fence.ts';
import type { ExecuteContext } from './execute-context.ts';
import { ifOurs } from './name-taken.ts';
import { type NodePatch, withoutPermit } from './node-patch.ts';

/** The template with this hash: the wanted one, a stored one, or that of a node; undefined when there is none. */
export function templateOf(
  hash: string,
  { cluster, stamp, joiner, ports: { caches } }: ExecuteContext,
): NodeTemplate | undefined {
  if (stamp.hash === hash) return stamp.template;
  if (joiner.hash === hash) return joiner.template;
  const own = ownedBy(cluster.metadata);
  const kept = caches.revisions.store.byIndex(BY_OWNER, own).find((revision) => revision.hash === hash);
  if (kept?.template !== undefined) return kept.template;
  const nodes = caches.nodes.store.byIndex(BY_OWNER, own).map(({ object }) => object.spec.template);
  return nodes.find((template) => templateHash(template) === hash);
}

/** The template that the node has, as the cache shows it. */
export function templateInCache({ name }: NodeRecord, { cluster, ports }: ExecuteContext): NodeTemplate | undefined {
  const key = keyOf({ namespace: cluster.metadata.namespace, name });
  return ports.caches.nodes.store.get(key)?.object.spec.template;
}

/** Replaces the whole template: fields that the new one lacks are removed.
 *  @param beside what else is written with it */
export function stampedPatch(
  node: NodeRecord,
  template: NodeTemplate,
  beside: NodePatch,
  context: ExecuteContext,
): NodePatch {
  // A permit to resize was for the old template.
  const metadata = node.resize === undefined ? beside.metadata : withoutPermit(beside);
  const spec = { ...beside.spec, template: replacement(templateInCache(node, context), template) };
  return { ...(metadata === undefined ? {} : { metadata }), spec };
}

export async function storeRevision(hash: string, context: ExecuteContext): Promise<StepOutcome> {
  const { cluster, ports, signal } = context;
  const { caches, client } = ports;
  const template = templateOf(hash, context);
  if (template === undefined) return STALE;
  const kept = caches.revisions.store.byIndex(BY_OWNER, ownedBy(cluster.metadata));
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
