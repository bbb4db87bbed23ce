// Carries out the steps of a cluster plan. The only file of the cluster controller that writes anything but status
// and children. Every write carries the version it was decided on, or a name that only this cluster can have. What is
// read live before it is in fences.ts.

import { ANNOTATIONS, controllerOf, type NodeTemplate } from '@marekvs/api';
import { type ClusterStep, type Hold, hold, type NodeRecord, type RevisionRecord, timeText } from '@marekvs/planner';
import { controllerRevisions, ifFound, isAlreadyExists, keyOf } from '@marekvs/runtime';
import { blocked, DONE, type Live, STALE, type StepOutcome } from '../fence.ts';
import { MAREKVS_NODE } from '../kinds.ts';
import { readNode } from '../live-reads.ts';
import { BY_OWNER } from '../observation/caches.ts';
import { notedSources } from '../password-note.ts';
import { refusalOf } from '../write-refusal.ts';
import { replacement } from './drift.ts';
import { dropNode, handChild } from './execute-release.ts';
import { executeVolume, protectedLabel } from './execute-volume.ts';
import { confirmStep, withoutStale } from './fences.ts';
import { type LiveContext, readingOf } from './live-context.ts';
import { buildNode, type CreateNode } from './new-node.ts';
import { buildRevision } from './revision-object.ts';
import { type NodeStamp, templateHash } from './template.ts';

export interface ExecuteContext extends LiveContext {
  readonly stamp: NodeStamp;
  readonly joiner: NodeStamp;
}

export interface Executed {
  /** What the API server refused. */
  readonly refusals: readonly Hold[];
  /** The steps that were tried, without those that had been decided on the past. */
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
  if (settled.status === 'fulfilled') return settled.value;
  const refusal = refusalOf(settled.reason);
  if (refusal === undefined) throw settled.reason;
  return blocked(refusal);
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
      return patchNode(step.node, storagePatch(step, context), context);
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

/** Marked with an operation or not, in the client Service or out of it, told to leave or to stay: one write, so
 *  that no half of it is ever seen. */
function marked(operationId: string | null, serving: boolean, intent: 'Active' | 'Leaving' = 'Active'): NodePatch {
  return { metadata: { annotations: { [ANNOTATIONS.removal]: operationId } }, spec: { serving, intent } };
}

function withSpec(patch: NodePatch, spec: object): NodePatch {
  return { ...patch, spec: { ...patch.spec, ...spec } };
}

function annotated(annotation: string, value: string | null): NodePatch {
  return { metadata: { annotations: { [annotation]: value } } };
}

/** Its Pod that runs may get the resources of this template: one write with the template, so that neither
 *  is seen without the other. */
function mayBeResized({ node, revision, operationId }: Extract<ClusterStep, { kind: 'resizeNode' }>): NodePatch {
  const permit = `${node.pod?.uid}/${revision}/${operationId}`;
  return { metadata: { annotations: { [ANNOTATIONS.resize]: permit } } };
}

/** The size and the time of it in one write, so that nobody who takes over takes a volume for one that has not
 *  grown. */
function storagePatch(
  { size, attributesClass, grown }: Extract<ClusterStep, { kind: 'setStorage' }>,
  { ports }: ExecuteContext,
): NodePatch {
  const storage = {
    ...(size === undefined ? {} : { size }),
    ...(attributesClass === undefined ? {} : { volumeAttributesClassName: attributesClass }),
  };
  const annotations = { [ANNOTATIONS.volumeGrownAt]: timeText(ports.clock.nowMs()) };
  return { ...(grown === undefined ? {} : { metadata: { annotations } }), spec: { storage } };
}

/** A merge patch of a MarekvsNode: null takes an annotation off. */
type NodePatch = {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string | null>>;
    readonly annotations?: Readonly<Record<string, string | null>>;
  };
  readonly spec?: object;
};

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
    return findExisting(node.metadata.name, context);
  }
}

/** The name is taken: by our own earlier create whose answer was lost, or by somebody else's object. */
async function findExisting(name: string, context: ExecuteContext): Promise<StepOutcome> {
  return ifOurs('MarekvsNode', await readNode(name, readingOf(context)), context);
}

/** It is ours, or the hold says who has the name. */
function ifOurs(kind: string, { metadata }: Named, { cluster }: ExecuteContext): StepOutcome {
  const owner = controllerOf(metadata);
  if (owner?.uid === cluster.metadata.uid) return DONE;
  // An earlier cluster of this name is gone, and the garbage collector takes away what was its (F43).
  const isTemporary = owner?.kind === 'MarekvsCluster' && owner.name === cluster.metadata.name;
  const whose = isTemporary
    ? 'an earlier cluster of this name: waiting until it is gone'
    : 'another owner: this cluster cannot have its name';
  const needsPerson = !isTemporary && metadata.deletionTimestamp === undefined;
  return blocked(hold('NameTaken', `${kind} ${metadata.name} belongs to ${whose}`, needsPerson));
}

interface Named {
  readonly metadata: Parameters<typeof controllerOf>[0] & {
    readonly name: string;
    readonly deletionTimestamp?: unknown;
  };
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

function withoutPermit({ metadata }: NodePatch): NodePatch['metadata'] {
  return { ...metadata, annotations: { [ANNOTATIONS.resize]: null, ...metadata?.annotations } };
}

/** The template of that hash: the one that is asked for, one that is stored, or one that a node was made from. */
function templateOf(
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

async function storeRevision(hash: string, context: ExecuteContext): Promise<StepOutcome> {
  const { cluster, ports, signal } = context;
  const { caches, client } = ports;
  const template = templateOf(hash, context);
  if (template === undefined) return STALE;
  const numbers = caches.revisions.store.byIndex(BY_OWNER, cluster.metadata.uid).map(({ number }) => number);
  const revision = buildRevision(cluster, template, hash, Math.max(0, ...numbers) + 1);
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

async function dropRevision(
  { name, uid, resourceVersion }: RevisionRecord,
  { cluster, ports, signal }: ExecuteContext,
): Promise<StepOutcome> {
  const ref = { namespace: cluster.metadata.namespace, name };
  await ifFound(ports.client.delete(controllerRevisions, ref, { uid, resourceVersion }, { signal }));
  ports.caches.revisions.observeDelete({ ...ref, uid });
  return DONE;
}
