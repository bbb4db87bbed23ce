// Carries out the steps of a cluster plan. The only file of the cluster controller that writes anything but status
// and children. Every write carries the version it was decided on, or a name that only this cluster can have. What is
// read live before it is in fences.ts.

import { ANNOTATIONS, controllerOf } from '@marekvs/api';
import { type ClusterStep, type Hold, hold, type NodeRecord } from '@marekvs/planner';
import { isAlreadyExists, keyOf } from '@marekvs/runtime';
import { DONE, held, type Live, STALE, type StepOutcome } from '../fence.ts';
import { MAREKVS_NODE } from '../kinds.ts';
import { readNode } from '../live-reads.ts';
import { refusalOf } from '../write-refusal.ts';
import { replacement } from './drift.ts';
import { executeVolume, protectedLabel } from './execute-volume.ts';
import { confirmStep, withoutStale } from './fences.ts';
import { type LiveContext, readingOf } from './live-context.ts';
import { buildNode, type CreateNode } from './new-node.ts';
import type { NodeStamp } from './template.ts';

export interface ExecuteContext extends LiveContext {
  readonly stamp: NodeStamp;
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
  const standing = await withoutStale(steps, context);
  const settled = await Promise.allSettled(standing.map((step) => executeStep(step, context)));
  const outcomes = settled.map(outcomeOf);
  return {
    refusals: outcomes.flatMap((outcome) => (outcome.kind === 'held' ? [outcome.hold] : [])),
    steps: standing.filter((_, index) => outcomes[index]?.kind !== 'stale'),
  };
}

function outcomeOf(settled: PromiseSettledResult<StepOutcome>): StepOutcome {
  if (settled.status === 'fulfilled') return settled.value;
  const refusal = refusalOf(settled.reason);
  if (refusal === undefined) throw settled.reason;
  return held(refusal);
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
      return patchNode(step.node, leaving(step.operationId), context);
    case 'reinstate':
      return patchNode(step.node, leaving(null), context);
    case 'stampNode':
      return stampNode(step.node, context);
    case 'protectNode':
      return patchNode(step.node, { metadata: { labels: protectedLabel(step.isProtected) } }, context);
    case 'deleteNode':
      return deleteNode(live, context);
    case 'ownVolume':
    case 'protectVolume':
    case 'rememberId':
    case 'deleteVolume':
      return executeVolume(step, live, context);
  }
}

/** Out of the client Service, told to leave and marked, or the reverse of all three: one write, so that no half of
 *  it is ever seen. */
function leaving(operationId: string | null): Readonly<Record<string, unknown>> {
  const isLeaving = operationId !== null;
  return {
    metadata: { annotations: { [ANNOTATIONS.removal]: operationId } },
    spec: { serving: !isLeaving, intent: isLeaving ? 'Leaving' : 'Active' },
  };
}

/** The point of no return. Whoever cancels changes the node, and then this bounces. */
async function deleteNode({ node }: Live, { ports, signal }: ExecuteContext): Promise<StepOutcome> {
  if (node === undefined) return STALE;
  const { namespace, name, uid, resourceVersion } = node.metadata;
  const answer = await ports.client.delete(MAREKVS_NODE, { namespace, name }, { uid, resourceVersion }, { signal });
  ports.caches.nodes.observeDelete({ namespace, name, uid }, answer);
  return DONE;
}

async function createNode(step: CreateNode, context: ExecuteContext): Promise<StepOutcome> {
  const { ports, signal } = context;
  const node = buildNode(step, context);
  try {
    ports.caches.nodes.observe(await ports.client.create(MAREKVS_NODE, node, { signal }));
    return DONE;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return claimExisting(node.metadata.name, context);
  }
}

/** The name is taken: by our own earlier create whose answer was lost, or by somebody else's object. */
async function claimExisting(name: string, context: ExecuteContext): Promise<StepOutcome> {
  const { metadata } = context.cluster;
  const live = await readNode(name, readingOf(context));
  const owner = controllerOf(live.metadata);
  if (owner?.uid === metadata.uid) return DONE;
  // An earlier cluster of this name is gone, and the garbage collector takes its nodes away (F43).
  const isTemporary = owner?.kind === 'MarekvsCluster' && owner.name === metadata.name;
  const whose = isTemporary
    ? 'an earlier cluster of this name: waiting until it is gone'
    : 'another owner: a node of this cluster cannot have its name';
  const needsPerson = !isTemporary && live.metadata.deletionTimestamp === undefined;
  return held(hold('NameTaken', `MarekvsNode ${name} belongs to ${whose}`, needsPerson));
}

async function patchNode(
  node: NodeRecord,
  patch: Readonly<Record<string, unknown>>,
  { cluster, ports, signal }: ExecuteContext,
): Promise<StepOutcome> {
  const ref = { namespace: cluster.metadata.namespace, name: node.name };
  ports.caches.nodes.observe(await ports.client.patch(MAREKVS_NODE, ref, patch, node, { signal }));
  return DONE;
}

/** The whole template: what the old one had and the new one has not goes. */
function stampNode(node: NodeRecord, context: ExecuteContext): Promise<StepOutcome> {
  const { cluster, stamp, ports } = context;
  const key = keyOf({ namespace: cluster.metadata.namespace, name: node.name });
  const present = ports.caches.nodes.store.get(key)?.object.spec.template;
  return patchNode(node, { spec: { template: replacement(present, stamp.template) } }, context);
}
