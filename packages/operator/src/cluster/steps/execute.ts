// Carries out the steps of a cluster plan. With execute-*.ts the only files of the cluster controller that write
// anything but status, children and the sentinels of Secrets. Every write carries the version it was decided on, or a
// name that only this cluster can have. The live reads before a write are in fences.ts.

import { ANNOTATIONS } from '@marekvs/api';
import type { ClusterStep, Hold, NodeRecord } from '@marekvs/planner';
import { isAlreadyExists, keyOf } from '@marekvs/runtime';
import { refusalIn } from '../../api-server/write-refusal.ts';
import { MAREKVS_NODE } from '../../objects/kinds.ts';
import { buildNode, type CreateNode } from '../../objects/new-node.ts';
import { templateHash } from '../../objects/template.ts';
import { replacement } from '../../pass/drift.ts';
import { blocked, DONE, type Live, STALE, type StepOutcome, withoutStale } from '../../pass/fence.ts';
import { readNode } from '../../pass/live-reads.ts';
import { notedSources } from '../../secrets/password-note.ts';
import type { ExecuteContext } from './execute-context.ts';
import { dropNode, handChild } from './execute-release.ts';
import { dropRevision, stampedPatch, storeRevision, templateOf } from './execute-revision.ts';
import { sealPatch } from './execute-seal.ts';
import { deleteVolume, ownVolume, patchVolume, protectedLabel } from './execute-volume.ts';
import type { StepKind, StepOf } from './fence-subjects.ts';
import { confirmStep, STEP_FENCES } from './fences.ts';
import { ifOurNode } from './name-taken.ts';
import { annotated, marked, mayBeResized, type NodePatch, storagePatch, takenBack, withSpec } from './node-patch.ts';

export interface Executed {
  /** What the API server refused. */
  readonly refusals: readonly Hold[];
  /** The steps that were tried, without the stale ones. */
  readonly steps: readonly ClusterStep[];
}

/** Carries out all steps at once: creations are independent of each other. Unexpected errors are thrown. */
export async function executeCluster(steps: readonly ClusterStep[], context: ExecuteContext): Promise<Executed> {
  const valid = await withoutStale(steps, ({ kind }) => STEP_FENCES[kind], context);
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
  return verdict.kind === 'confirmed' ? writeStep(step.kind, step, context, verdict.live) : verdict;
}

function writeStep<K extends StepKind>(
  kind: K,
  step: { readonly [Each in StepKind]: StepOf<Each> }[K],
  context: ExecuteContext,
  live: Live,
): Promise<StepOutcome> {
  return WRITES[kind](step, context, live);
}

const WRITES: {
  readonly [K in StepKind]: (step: StepOf<K>, context: ExecuteContext, live: Live) => Promise<StepOutcome>;
} = {
  createNode,
  setServing: (step, context) => patchNode(step.node, { spec: { serving: step.serving } }, context),
  setSeeds: (step, context) => patchNode(step.node, { spec: { seeds: step.seeds } }, context),
  isolate: ({ node, operationId }, context) => {
    const isBehindDoor = node.pod?.isSealed === true && node.ran !== undefined;
    return patchNode(node, marked(operationId, false, isBehindDoor ? 'Sealed' : 'Leaving'), context);
  },
  sealNode: async (step, context, live) => {
    const patch = sealPatch(step, live, context);
    return patch === undefined ? STALE : patchNode(step.node, patch, context);
  },
  reinstate: ({ node }, context) => patchNode(node, takenBack(node), context),
  resumeNode: (step, context) =>
    patchNode(step.node, withSpec(marked(step.operationId, false), { stopped: null, seeds: null }), context),
  markHostLost: (step, context) =>
    patchNode(step.node, annotated(ANNOTATIONS.hostLost, `${step.node.uid}/${step.host}`), context),
  unmarkHostLost: (step, context) => patchNode(step.node, annotated(ANNOTATIONS.hostLost, null), context),
  markHostDrained: (step, context) =>
    patchNode(step.node, annotated(ANNOTATIONS.hostDrained, `${step.node.uid}/${step.host}`), context),
  unmarkHostDrained: (step, context) => patchNode(step.node, annotated(ANNOTATIONS.hostDrained, null), context),
  stampNode: (step, context) => stampNode(step.node, step.revision, {}, context),
  stampPassword: (step, context) => stampPassword(step.node, context),
  forgetPasswords: (step, context) =>
    patchNode(step.node, { metadata: { annotations: { [ANNOTATIONS.passwordSecrets]: null } } }, context),
  // The member is told to stay again, keeps its mark, and is out of the client Service until its turn has ended.
  restartNode: (step, context) => stampNode(step.node, step.revision, marked(step.operationId, false), context),
  resizeNode: (step, context) => stampNode(step.node, step.revision, mayBeResized(step), context),
  stopNode: (step, context) => patchNode(step.node, { spec: { serving: false, stopped: step.how } }, context),
  // The stored seeds are addresses of the last start, which do not exist any more.
  startNode: (step, context) => patchNode(step.node, { spec: { stopped: null, seeds: null } }, context),
  endRestart: (step, context) => patchNode(step.node, marked(null, step.serving), context),
  storeRevision: (step, context) => storeRevision(step.hash, context),
  dropRevision: (step, context) => dropRevision(step.revision, context),
  protectNode: (step, context) =>
    patchNode(step.node, { metadata: { labels: protectedLabel(step.isProtected) } }, context),
  setStorage: (step, context) => patchNode(step.node, storagePatch(step, context.ports.clock.nowMs()), context),
  deleteNode: (_step, context, live) => deleteNode(live, context),
  handChild,
  dropNode,
  ownVolume,
  protectVolume: (step, context) => patchVolume(step.volume, { labels: protectedLabel(step.isProtected) }, context),
  rememberId: ({ volume, id }, context) =>
    patchVolume(volume, { annotations: { [ANNOTATIONS.highestNodeId]: String(id) } }, context),
  deleteVolume: (step, context) => deleteVolume(step.volume, context),
};

/** The point of no return. A cancellation changes the node, so that the API server refuses this DELETE. */
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
    return ifOurNode(await readNode(node.metadata.name, context), context);
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

/** @param beside what else is written with the template. What its last Pod ran counts for the old one only */
async function stampNode(
  node: NodeRecord,
  revision: string,
  beside: NodePatch,
  context: ExecuteContext,
): Promise<StepOutcome> {
  const template = templateOf(revision, context);
  if (template === undefined) return STALE;
  const isNew = node.ran !== undefined && revision !== node.templateHash;
  return patchNode(
    node,
    stampedPatch(node, template, isNew ? withSpec(beside, { ran: null }) : beside, context),
    context,
  );
}

/** Changes only the Secret in the node's template. The same write records that the current Pod counts as made from the
 *  result, and which Secret the template named before: if the spec was set back meanwhile, the member has that
 *  password, and nothing else would tell. */
async function stampPassword(node: NodeRecord, context: ExecuteContext): Promise<StepOutcome> {
  const { cluster, stamp, ports } = context;
  const key = keyOf({ namespace: cluster.metadata.namespace, name: node.name });
  const present = ports.caches.nodes.store.get(key)?.object;
  if (present === undefined) return STALE;
  const { template } = present.spec;
  const { authSecretRef: before, ...rest } = template;
  const { authSecretRef } = stamp.template;
  const next = { ...rest, ...(authSecretRef === undefined ? {} : { authSecretRef }) };
  // The hash on the Pod itself, and not the one it has counted as since.
  const pod = ports.caches.pods.store.get(key);
  const isCurrent = pod?.templateHash !== undefined && node.pod?.templateHash === node.templateHash;
  const annotations = {
    [ANNOTATIONS.passwordSecrets]: notedSources(node.passwordsGiven, before, authSecretRef),
    [ANNOTATIONS.restampedPod]: isCurrent ? `${pod.uid}/${pod.templateHash}/${templateHash(next)}` : null,
  };
  return patchNode(node, { metadata: { annotations }, spec: { template: replacement(template, next) } }, context);
}
