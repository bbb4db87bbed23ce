// Carries out the steps of a cluster plan. The only file of the cluster controller that writes anything but status and children.
// Every write carries the version it was decided on, or a name that only this cluster can have.

import { ANNOTATIONS, controllerOf } from '@marekvs/api';
import { type ClusterStep, goesByProof, type Hold, hold } from '@marekvs/planner';
import { isAlreadyExists, keyOf } from '@marekvs/runtime';
import { MAREKVS_NODE } from '../kinds.ts';
import { areOthersStanding } from '../live-pods.ts';
import { refusalOf } from '../write-refusal.ts';
import {
  confirmDecision,
  confirmDelete,
  confirmNodes,
  confirmTarget,
  confirmVolumes,
  isAnyLostVolumeBack,
  type LiveContext,
} from './claim.ts';
import { replacement } from './drift.ts';
import { executeVolume, protectedLabel } from './execute-volume.ts';
import { buildNode, type CreateNode } from './new-node.ts';
import type { NodeStamp } from './template.ts';

export interface ExecuteContext extends LiveContext {
  readonly stamp: NodeStamp;
}

/** The step was decided on the past, and is left to another pass. */
const STALE = 'stale';
type Result = Hold | typeof STALE | undefined;

export interface Executed {
  /** What the API server refused. */
  readonly refusals: readonly Hold[];
  /** The steps that were tried, without those that had been decided on the past. */
  readonly steps: readonly ClusterStep[];
}

/** Carries out all steps, as many at once as there are: creations are independent of each other. Anything unexpected is thrown. */
export async function executeCluster(steps: readonly ClusterStep[], context: ExecuteContext): Promise<Executed> {
  const confirmed = await withoutStale(steps, context);
  const results = await Promise.allSettled(confirmed.map((step) => executeStep(step, context)));
  const refusals: Hold[] = [];
  for (const result of results) {
    if (result.status === 'fulfilled') {
      if (result.value !== undefined && result.value !== STALE) refusals.push(result.value);
      continue;
    }
    const refusal = refusalOf(result.reason);
    if (refusal === undefined) throw result.reason;
    refusals.push(refusal);
  }
  const isStale = (index: number): boolean => {
    const result = results[index];
    return result?.status === 'fulfilled' && result.value === STALE;
  };
  return { refusals, steps: confirmed.filter((_, index) => !isStale(index)) };
}

/** What rests on the cluster's record, its spec or the number of its nodes: the version of a node says nothing about those. */
const RESTS_ON_CLUSTER: ReadonlySet<ClusterStep['kind']> = new Set<ClusterStep['kind']>([
  'createNode',
  'setSeeds',
  'stampNode',
  'isolate',
  'reinstate',
  'ownVolume',
  'deleteVolume',
]);

/** The steps that may be carried out: one live read for all that rest on the cluster, and two more before nodes are made. */
async function withoutStale(steps: readonly ClusterStep[], context: ExecuteContext): Promise<readonly ClusterStep[]> {
  const restsOnCluster = ({ kind }: ClusterStep): boolean => RESTS_ON_CLUSTER.has(kind);
  if (!steps.some(restsOnCluster)) return steps;
  if (!(await confirmDecision(context))) return steps.filter((step) => !restsOnCluster(step));
  const makesNode = ({ kind }: ClusterStep): boolean => kind === 'createNode';
  if (!steps.some(makesNode)) return steps;
  if ((await confirmNodes(context)) && (await confirmVolumes(context))) return steps;
  return steps.filter((step) => !makesNode(step));
}

function executeStep(step: ClusterStep, context: ExecuteContext): Promise<Result> {
  switch (step.kind) {
    case 'createNode':
      return createWanted(step, context);
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
      return deleteNode(step, context);
    case 'ownVolume':
    case 'protectVolume':
    case 'rememberId':
    case 'deleteVolume':
      return executeVolume(step, context);
  }
}

/** Out of the client Service, told to leave and marked, or the reverse of all three: one write, so that no half of it is ever seen. */
function leaving(operationId: string | null): Readonly<Record<string, unknown>> {
  const isLeaving = operationId !== null;
  return {
    metadata: { annotations: { [ANNOTATIONS.removal]: operationId } },
    spec: { serving: !isLeaving, intent: isLeaving ? 'Leaving' : 'Active' },
  };
}

async function createWanted(step: CreateNode, context: ExecuteContext): Promise<Result> {
  if (step.why === 'VolumeLost' && (await isAnyLostVolumeBack(context))) return STALE;
  return createNode(step, context);
}

/** The point of no return. Cluster and node are read live first, and the DELETE carries the version just read: whoever cancels
 *  changes the node, and then this bounces. */
async function deleteNode(
  step: Extract<ClusterStep, { kind: 'deleteNode' }>,
  context: ExecuteContext,
): Promise<Result> {
  const { cluster, ports, signal } = context;
  const operation = cluster.status?.operation;
  if (operation === undefined || operation.id !== step.operationId) return STALE;
  const live = await confirmTarget(step.node.name, operation, context);
  const isMarked = live?.metadata.annotations?.[ANNOTATIONS.removal] === operation.id;
  if (live === undefined || !isMarked || live.metadata.deletionTimestamp !== undefined) return STALE;
  if (!(await confirmDelete(operation, context)) || !(await isStillOneTooMany(context))) return STALE;
  const around = { cluster: cluster.metadata, ports, signal };
  if (goesByProof(operation) && !(await areOthersStanding(step.node, context.nodes, around))) return STALE;
  const { namespace, name, uid, resourceVersion } = live.metadata;
  const answer = await ports.client.delete(MAREKVS_NODE, { namespace, name }, { uid, resourceVersion }, { signal });
  ports.caches.nodes.observeDelete({ namespace, name, uid }, answer);
  return undefined;
}

/** That it has to go may rest on how many others there are, and on whether their volumes are. */
async function isStillOneTooMany(context: ExecuteContext): Promise<boolean> {
  return (await confirmNodes(context)) && !(await isAnyLostVolumeBack(context));
}

async function createNode(step: CreateNode, context: ExecuteContext): Promise<Hold | undefined> {
  const { ports, signal } = context;
  const node = buildNode(step, context);
  try {
    ports.caches.nodes.observe(await ports.client.create(MAREKVS_NODE, node, { signal }));
    return undefined;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return claimExisting(node.metadata.name, context);
  }
}

/** The name is taken: by our own earlier create whose answer was lost, or by somebody else's object. */
async function claimExisting(name: string, { cluster, ports, signal }: ExecuteContext): Promise<Hold | undefined> {
  const live = await ports.client.get(MAREKVS_NODE, { namespace: cluster.metadata.namespace, name }, { signal });
  ports.caches.nodes.observe(live);
  const owner = controllerOf(live.metadata);
  if (owner?.uid === cluster.metadata.uid) return undefined;
  // An earlier cluster of this name is gone, and the garbage collector takes its nodes away (F43).
  const isTemporary = owner?.kind === 'MarekvsCluster' && owner.name === cluster.metadata.name;
  const message = `MarekvsNode ${name} belongs to ${isTemporary ? 'an earlier cluster of this name: waiting until it is gone' : 'another owner: a node of this cluster cannot have its name'}`;
  return hold('NameTaken', message, !isTemporary && live.metadata.deletionTimestamp === undefined);
}

async function patchNode(
  node: { readonly name: string; readonly uid: string; readonly resourceVersion: string },
  patch: Readonly<Record<string, unknown>>,
  { cluster, ports, signal }: ExecuteContext,
): Promise<undefined> {
  const ref = { namespace: cluster.metadata.namespace, name: node.name };
  ports.caches.nodes.observe(await ports.client.patch(MAREKVS_NODE, ref, patch, node, { signal }));
}

/** The whole template: what the old one had and the new one has not goes. */
function stampNode(
  node: { readonly name: string; readonly uid: string; readonly resourceVersion: string },
  context: ExecuteContext,
) {
  const { cluster, stamp, ports } = context;
  const key = keyOf({ namespace: cluster.metadata.namespace, name: node.name });
  const live = ports.caches.nodes.store.get(key)?.object.spec.template;
  return patchNode(node, { spec: { template: replacement(live, stamp.template) } }, context);
}
