// What the steps of a plan write into the edited cluster, as execute.ts of the two controllers would: at once, or, when
// the list of draws says so, not at all, as after a conflict. The next pass finds out by itself.

import {
  type ClusterPlan,
  type ClusterStep,
  isActiveMember,
  type NodePlan,
  type NodeRecord,
  type NodeStep,
  permitFor,
  sameValue,
} from '../../src/index.ts';
import type { EditedCluster } from './edited-cluster.ts';
import type { PodState } from './pods.ts';
import { revisionOf } from './templates.ts';

/** Of a write: somebody else's came first. */
const CONFLICT = 0.93;

/** The record first; what follows from it is another pass's. */
export function carryOut(world: EditedCluster, plan: ClusterPlan): void {
  const { removal } = plan;
  world.compare(plan.contents);
  noteVerified(world);
  if (plan.mayLatchFormed) world.isFormed = true;
  if (!removal.isUrgent) {
    for (const step of world.shuffled(plan.steps)) {
      if (world.draw() > CONFLICT) continue;
      world.say(stepText(step));
      writeStep(world, step);
    }
    world.timeline = removal.operation?.timeline;
  } else if (world.draw() <= CONFLICT) store(world, plan);
  else return;
  world.update = plan.update;
  world.verification = plan.verification;
}

function store(world: EditedCluster, { removal: { operation, ended } }: ClusterPlan): void {
  if (operation?.phase !== world.operation?.phase || operation?.id !== world.operation?.id)
    world.say(
      `${ended === undefined ? '' : `${ended.id} ${ended.outcome} ${ended.reason}: ${ended.message}; `}${operation === undefined ? '' : `${operation.type} ${operation.id} ${(operation.roll ?? operation.target)?.name} ${operation.phase} ${operation.cancel?.message ?? ''}`}`,
    );
  if (!sameValue(operation?.proof, world.operation?.proof) && operation?.proof !== undefined) world.isProvenHere = true;
  world.operation = operation;
  world.timeline = operation?.timeline;
  if (ended !== undefined) world.lastOperation = ended;
}

/** What all were compared for counts at rest as well. */
function noteVerified(world: EditedCluster): void {
  const { comparison } = world;
  if (comparison?.coveredMs !== undefined && comparison.request.purpose !== 'removal')
    world.verifiedAtMs = comparison.coveredMs;
}

export function stepText(step: ClusterStep | NodeStep): string {
  const { kind } = step;
  const what = 'node' in step ? step.node.name : 'pod' in step ? step.pod.name : 'id' in step ? `demo-${step.id}` : '';
  const how = [
    'revision' in step && typeof step.revision === 'string' ? step.revision.slice(0, 1) : '',
    'why' in step ? step.why : '',
    'serving' in step ? `serving=${step.serving}` : '',
  ];
  return [kind, what, ...how].filter((part) => part !== '').join(' ');
}

function writeStep(world: EditedCluster, step: ClusterStep): void {
  switch (step.kind) {
    case 'createNode': {
      const { id, revision = world.templateHash } = step;
      const isKnown = revision === world.templateHash || world.revisions.some(({ hash }) => hash === revision);
      if (!world.nodes.has(id) && isKnown) world.addNode(id, revision);
      return;
    }
    case 'setServing':
      write(world, step.node, { serving: step.serving });
      return;
    case 'setSeeds':
      write(world, step.node, { seeds: step.seeds });
      return;
    case 'isolate':
      write(world, step.node, { removalMark: step.operationId, serving: false, intent: 'Leaving' });
      return;
    case 'sealNode': {
      const { node, pod, generation, operationId } = step;
      const marked = { removalMark: operationId, serving: false, intent: 'Sealed' } as const;
      const templateHash = pod.templateHash ?? node.templateHash;
      write(world, node, { ...marked, templateHash, resize: undefined, ran: { podUid: pod.uid, generation } });
      return;
    }
    case 'reinstate':
      write(world, step.node, {
        removalMark: undefined,
        serving: true,
        intent: 'Active',
        mayRestartPod: permitFor(step.node),
      });
      return;
    case 'restartNode': {
      const marked = { removalMark: step.operationId, serving: false, intent: 'Active' } as const;
      write(world, step.node, { ...marked, ...stamped(step), resize: undefined });
      return;
    }
    case 'resizeNode': {
      const { node, revision, operationId } = step;
      const resize = { podUid: node.pod?.uid ?? '', revision, operationId };
      write(world, node, { templateHash: revision, resize });
      return;
    }
    case 'endRestart':
      write(world, step.node, { removalMark: undefined, serving: step.serving, intent: 'Active' });
      return;
    case 'stampNode':
      write(world, step.node, { ...stamped(step), resize: undefined });
      return;
    case 'deleteNode':
      write(world, step.node, { isDeleting: true, deletedAtMs: world.nowMs });
      return;
    case 'storeRevision': {
      const number = Math.max(0, ...world.revisions.map((one) => one.number)) + 1;
      world.revisions = [...world.revisions, revisionOf(step.hash, number)];
      return;
    }
    case 'dropRevision':
      world.revisions = world.revisions.filter(({ uid }) => uid !== step.revision.uid);
      return;
    case 'rememberId': {
      const kept = world.volumes.get(step.volume.nodeId ?? -1);
      if (kept !== undefined) world.volumes.set(step.volume.nodeId ?? -1, { ...kept, highestNodeId: step.id });
      return;
    }
    default:
      throw new Error(`nobody asked for ${step.kind}`);
  }
}

/** What its last Pod ran counts until it gets another template. */
function stamped({ node, revision }: { readonly node: NodeRecord; readonly revision: string }) {
  return { templateHash: revision, ...(revision === node.templateHash ? {} : { ran: undefined }) };
}

/** On the node that was seen, and on no later one of its name. */
function write(world: EditedCluster, { id, uid }: NodeRecord, change: Parameters<EditedCluster['patchNode']>[1]): void {
  if (world.nodes.get(id)?.uid === uid) world.patchNode(id, change);
}

/** One pass of the node controller: its step, and what its status says from then on. */
export function carryOutNode(world: EditedCluster, node: NodeRecord, plan: NodePlan): void {
  const { step } = plan;
  if (step !== undefined && world.draw() <= CONFLICT) {
    if (step.kind !== 'labelPod' && step.kind !== 'drain') world.say(`${node.name}: ${stepText(step)}`);
    writeNodeStep(world, node, step);
  }
  if (!world.nodes.has(node.id)) return;
  const isUp = isActiveMember(node);
  const uid = world.volumes.get(node.id)?.uid;
  const pre = world.operation?.target?.uid === node.uid ? world.operation.proof?.pre : undefined;
  const isItsPods = node.pod === undefined ? sameValue(node.removalProof, pre) : pre?.podUID === node.pod.uid;
  world.patchNode(node.id, {
    recordedVolumeUid: node.recordedVolumeUid ?? uid,
    wasActive: node.wasActive || isUp,
    lastActiveAtMs: isUp
      ? Number.POSITIVE_INFINITY
      : node.lastActiveAtMs === Number.POSITIVE_INFINITY
        ? world.nowMs
        : node.lastActiveAtMs,
    reportedReason: plan.hold?.reason ?? (node.pod === undefined ? 'PodMissing' : isUp ? undefined : 'MemberStarting'),
    removalProof: isItsPods ? pre : undefined,
  });
}

function writeNodeStep(world: EditedCluster, { id, uid }: NodeRecord, step: NodeStep): void {
  const state = world.pods.get(id);
  const volume = world.volumes.get(id);
  switch (step.kind) {
    case 'createVolume':
      world.addVolume(id);
      return;
    case 'attachVolume':
      if (volume !== undefined)
        world.volumes.set(id, { ...volume, detachedAtMs: undefined, lastActiveAtMs: undefined });
      return;
    case 'detachVolume': {
      const { detachedAtMs, lastActiveAtMs } = step;
      if (volume !== undefined) world.volumes.set(id, { ...volume, detachedAtMs, lastActiveAtMs });
      return;
    }
    case 'createPod':
      world.addPod(id, step.seeds);
      return;
    case 'deletePod':
      if (state?.uid === step.pod.uid) state.endsAtMs ??= world.nowMs + 500 + world.draw() * 3_000;
      return;
    case 'labelPod':
      if (state !== undefined) label(state, step);
      return;
    case 'drain':
      if (state?.life !== undefined) state.life.isLeaving = true;
      return;
    case 'resizePod':
      if (state !== undefined)
        state.resizing = {
          hash: world.nodes.get(id)?.templateHash ?? '',
          doneAtMs: world.nowMs + world.draw() * 80_000,
        };
      return;
    case 'noteResized':
      if (state === undefined) return;
      state.templateHash = step.revision;
      state.resizedBy = step.operationId;
      state.resizing = undefined;
      return;
    case 'releaseNode':
      if (world.nodes.get(id)?.uid === uid) world.removeNode(id);
      return;
    default:
      throw new Error(`nobody asked for ${step.kind}`);
  }
}

function label(state: PodState, { labels, annotations }: Extract<NodeStep, { kind: 'labelPod' }>): void {
  for (const [key, value] of Object.entries(labels)) {
    if (value === null) delete state.labels[key];
    else state.labels[key] = value;
  }
  if (annotations !== undefined) state.isLeaving = true;
}
