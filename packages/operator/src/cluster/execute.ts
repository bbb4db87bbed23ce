// Carries out the steps of a cluster plan. With execute-*.ts the only files of the cluster controller that write
// anything but status and children. Every write carries the version it was decided on, or a name that only this cluster
// can have. What is read live before it is in fences.ts.

import { ANNOTATIONS } from '@marekvs/api';
import type { ClusterStep, Hold, NodeRecord } from '@marekvs/planner';
import { isAlreadyExists, keyOf } from '@marekvs/runtime';
import { blocked, DONE, type Live, STALE, type StepOutcome } from '../fence.ts';
import { MAREKVS_NODE } from '../kinds.ts';
import { readNode } from '../live-reads.ts';
import { notedSources } from '../password-note.ts';
import { refusalIn } from '../write-refusal.ts';
import { replacement } from './drift.ts';
import type { ExecuteContext } from './execute-context.ts';
import { dropNode, handChild } from './execute-release.ts';
import { dropRevision, storeRevision, templateOf } from './execute-revision.ts';
import { executeVolume, protectedLabel } from './execute-volume.ts';
import { confirmStep, withoutStale } from './fences.ts';
import { readingOf } from './live-context.ts';
import { ifOurs } from './name-taken.ts';
import { buildNode, type CreateNode } from './new-node.ts';
import {
  annotated,
  marked,
  mayBeResized,
  type NodePatch,
  storagePatch,
  withoutPermit,
  withSpec,
} from './node-patch.ts';
import { templateHash } from './template.ts';

export interface Executed {
  /** What the API server refused. */
  readonly refusals: readonly Hold[];
  /** The steps that were tried, without those whose grounds had changed. */
  readonly steps: readonly ClusterStep[];
}

/** Carries out all steps, as many at once as there are: creations are independent of each other. Anything
 *  unexpected is thrown. */
export async function executeCluster(steps: readonly ClusterStep[], context: ExecuteContext): Promise<Executed> {
  const valid = await withoutStale(steps, context);
  const settled = await Promise.allSettled(valid.map((step) => executeStep(step, context)));
  const outcomes = settled.map(outcomeOf);
  return {
    refusals: outcomes.flatMap((outcome) => (outcome.kind === 'blocked' ? [outcome.hold] : [])),
    steps: valid.filter((_, index) => outcomes[index]?.kind !== 'stale'),
  };
}

function outcomeOf(settled: PromiseSettledResult<StepOutcome>): StepOutcome {
  return settled.status === 'fulfilled' ? settled.value : blocked(refusalIn(settled.reason));
}

async function executeStep(step: ClusterStep, context: ExecuteContext): Promise<StepOutcome> {
  const verdict = await confirmStep(step.kind, step, context);
  return verdict.kind === 'holds' ? writeStep(step, verdict.live, context) : verdict;
}

function writeStep(step: ClusterStep, live: Live, context: ExecuteContext): Promise<StepOutcome> {
  switch (step.kind) {
    case 'createNode':
      return createNode(step, context);
    case 'setServing':
      return patchNode(step.node, { spec: { serving: step.serving } }, context);
    case 'setSeeds':
      return patchNode(step.node, { spec: { seeds: step.seeds } }, context);
    case 'isolate':
      return patchNode(step.node, marked(step.operationId, false, 'Leaving'), context);
    case 'reinstate':
      return patchNode(step.node, withSpec(marked(null, true), { stopped: null }), context);
    case 'resumeNode':
      return patchNode(step.node, withSpec(marked(step.operationId, false), { stopped: null, seeds: null }), context);
    case 'markHostLost':
      return patchNode(step.node, annotated(ANNOTATIONS.hostLost, `${step.node.uid}/${step.host}`), context);
    case 'unmarkHostLost':
      return patchNode(step.node, annotated(ANNOTATIONS.hostLost, null), context);
    case 'markHostDrained':
      return patchNode(step.node, annotated(ANNOTATIONS.hostDrained, `${step.node.uid}/${step.host}`), context);
    case 'unmarkHostDrained':
      return patchNode(step.node, annotated(ANNOTATIONS.hostDrained, null), context);
    case 'stampNode':
      return stampNode(step.node, step.revision, {}, context);
    case 'stampPassword':
      return stampPassword(step.node, context);
    case 'forgetPasswords':
      return patchNode(step.node, { metadata: { annotations: { [ANNOTATIONS.passwordSecrets]: null } } }, context);
    case 'restartNode':
      // Told to stay again, with its mark, and out of the client Service until it is one of the others.
      return stampNode(step.node, step.revision, marked(step.operationId, false), context);
    case 'resizeNode':
      return stampNode(step.node, step.revision, mayBeResized(step), context);
    case 'stopNode':
      return patchNode(step.node, { spec: { serving: false, stopped: step.how } }, context);
    case 'startNode':
      // Where the others were when it was started last is nowhere by now.
      return patchNode(step.node, { spec: { stopped: null, seeds: null } }, context);
    case 'endRestart':
      return patchNode(step.node, marked(null, step.serving), context);
    case 'storeRevision':
      return storeRevision(step.hash, context);
    case 'dropRevision':
      return dropRevision(step.revision, context);
    case 'protectNode':
      return patchNode(step.node, { metadata: { labels: protectedLabel(step.isProtected) } }, context);
    case 'setStorage':
      return patchNode(step.node, storagePatch(step, context.ports.clock.nowMs()), context);
    case 'deleteNode':
      return deleteNode(live, context);
    case 'handChild':
      return handChild(step, context);
    case 'dropNode':
      return dropNode(step, context);
    case 'ownVolume':
    case 'protectVolume':
    case 'rememberId':
    case 'deleteVolume':
      return executeVolume(step, live, context);
  }
}

/** The point of no return. A cancellation changes the node, and then this is refused. */
async function deleteNode({ node }: Live, { ports, signal }: ExecuteContext): Promise<StepOutcome> {
  if (node === undefined) return STALE;
  const { namespace, name, uid, resourceVersion } = node.metadata;
  const answer = await ports.client.delete(MAREKVS_NODE, { namespace, name }, { uid, resourceVersion }, { signal });
  ports.caches.nodes.observeDelete({ namespace, name, uid }, answer);
  return DONE;
}

async function createNode(step: CreateNode, context: ExecuteContext): Promise<StepOutcome> {
  const { ports, signal } = context;
  const template = templateOf(step.revision ?? context.stamp.hash, context);
  if (template === undefined) return STALE;
  const node = buildNode(step, template, context);
  try {
    ports.caches.nodes.observe(await ports.client.create(MAREKVS_NODE, node, { signal }));
    return DONE;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return ifOurs('MarekvsNode', await readNode(node.metadata.name, readingOf(context)), context);
  }
}

async function patchNode(
  node: NodeRecord,
  patch: NodePatch,
  { cluster, ports, signal }: ExecuteContext,
): Promise<StepOutcome> {
  const ref = { namespace: cluster.metadata.namespace, name: node.name };
  ports.caches.nodes.observe(await ports.client.patch(MAREKVS_NODE, ref, patch, node, { signal }));
  return DONE;
}

/** The whole template: what the old one had and the new one has not goes.
 *  @param beside what else is written with it */
async function stampNode(
  node: NodeRecord,
  revision: string,
  beside: NodePatch,
  context: ExecuteContext,
): Promise<StepOutcome> {
  const { cluster, ports } = context;
  const template = templateOf(revision, context);
  if (template === undefined) return STALE;
  const key = keyOf({ namespace: cluster.metadata.namespace, name: node.name });
  const present = ports.caches.nodes.store.get(key)?.object.spec.template;
  // A permit to resize was for the template of before.
  const metadata = node.resize === undefined ? beside.metadata : withoutPermit(beside);
  const spec = { ...beside.spec, template: replacement(present, template) };
  return patchNode(node, { ...(metadata === undefined ? {} : { metadata }), spec }, context);
}

/** The Secret alone, whatever else its template has. In the same write: that its Pod of now counts as made
 *  from it, and what its template named before: of a spec that was set back meanwhile its member has that,
 *  and nothing else would tell. */
async function stampPassword(node: NodeRecord, context: ExecuteContext): Promise<StepOutcome> {
  const { cluster, stamp, ports } = context;
  const key = keyOf({ namespace: cluster.metadata.namespace, name: node.name });
  const present = ports.caches.nodes.store.get(key)?.object;
  if (present === undefined) return STALE;
  const { template } = present.spec;
  const { authSecretRef: before, ...rest } = template;
  const { authSecretRef } = stamp.template;
  const next = { ...rest, ...(authSecretRef === undefined ? {} : { authSecretRef }) };
  // What its Pod says itself, and not what it has counted as since.
  const pod = ports.caches.pods.store.get(key);
  const isCurrent = pod?.templateHash !== undefined && node.pod?.templateHash === node.templateHash;
  const annotations = {
    [ANNOTATIONS.passwordSecrets]: notedSources(node.passwordsGiven, before, authSecretRef),
    [ANNOTATIONS.restampedPod]: isCurrent ? `${pod.uid}/${pod.templateHash}/${templateHash(next)}` : null,
  };
  return patchNode(node, { metadata: { annotations }, spec: { template: replacement(template, next) } }, context);
}
