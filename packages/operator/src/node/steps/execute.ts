// Carries out one step of a node plan. With execute-*.ts and patch-pod.ts the only files of the node controller that
// write anything but status. A Pod is deleted by UID alone (its kubelet keeps changing its version), everything else by
// UID and version. The live reads before a write are in fences.ts.

import { randomBytes } from 'node:crypto';
import { ANNOTATIONS, FINALIZERS, isDataDir } from '@marekvs/api';
import { hold, type NodeStep, type PasswordSource, type PodRecord, secretOfSource } from '@marekvs/planner';
import { ifFound, isAlreadyExists, isForbidden, isNotFound, type MergePatch, nodes, pods } from '@marekvs/runtime';
import { StoreError } from '@marekvs/store-client';
import { refusalIn } from '../../api-server/write-refusal.ts';
import { MAREKVS_NODE } from '../../objects/kinds.ts';
import { buildPod } from '../../objects/pod.ts';
import { type SealedHost, type SealedPod, taintsOf } from '../../objects/sealed-pod.ts';
import { ATTACHED_NOTES, detachedNotes } from '../../objects/volume.ts';
import { blocked, DONE, type Live, STALE, type StepOutcome } from '../../pass/fence.ts';
import { isLabelledOurs, readPod } from '../../pass/live-reads.ts';
import { notedSources } from '../../secrets/password-note.ts';
import { adoptLivePod, adoptPod, adoptVolume, isAdoptable, letPodGo, takePodBack } from './execute-adoption.ts';
import type { NodeExecuteContext } from './execute-context.ts';
import { noteResized, resizePod } from './execute-resize.ts';
import { annotateVolume, changeClaim, createVolume, foreign } from './execute-volume.ts';
import { confirmStep } from './fences.ts';
import { isParentGone, parentRef } from './live-checks.ts';
import { patchPod } from './patch-pod.ts';

/** A refusal of the API server is the outcome of the step. Unexpected errors are thrown. */
export async function executeNode(step: NodeStep, context: NodeExecuteContext): Promise<StepOutcome> {
  try {
    const verdict = await confirmStep(step, context);
    return verdict.kind === 'confirmed' ? await writeStep(step.kind, step, verdict.live, context) : verdict;
  } catch (error) {
    return blocked(refusalIn(error));
  }
}

type StepKind = NodeStep['kind'];
type Steps = { readonly [K in StepKind]: Extract<NodeStep, { readonly kind: K }> };

function writeStep<K extends StepKind>(
  kind: K,
  step: Steps[K],
  live: Live,
  context: NodeExecuteContext,
): Promise<StepOutcome> {
  return WRITES[kind](context, step, live);
}

const WRITES: {
  readonly [K in StepKind]: (context: NodeExecuteContext, step: Steps[K], live: Live) => Promise<StepOutcome>;
} = {
  addFinalizer,
  createVolume,
  adoptVolume: (context, step, live) => adoptVolume(step, live, context),
  adoptPod,
  letPodGo,
  takePodBack,
  attachVolume: (context, { volume }) => annotateVolume(volume, ATTACHED_NOTES, context),
  detachVolume: (context, step) => annotateVolume(step.volume, detachedNotes(step), context),
  changeClaim: (context, step) => changeClaim(step, context),
  createPod: (context, { seeds }) => createPod(seeds, context),
  deletePod: (context, step) => deletePod(endedPod(step), context, step.graceSeconds),
  forgetPod: (context, { pod: { name, uid } }) => deletePod({ name, uid }, context, 0),
  labelPod: (context, { pod, labels, annotations }) =>
    patchPod({ metadata: { labels, ...(annotations === undefined ? {} : { annotations }) } }, pod, context),
  resizePod: (context, step) => resizePod(step, context),
  noteResized: (context, step) => noteResized(step, context),
  drain: (context, { pod }) => drain(pod, context),
  notePassword: (context, { source }) => notePassword(source, context),
  setPassword: (context, step) => setPassword(step, context),
  confirmParent,
  releaseNode,
};

async function createPod(seeds: readonly string[], context: NodeExecuteContext): Promise<StepOutcome> {
  const { scope, ports, signal } = context;
  const dataDir = scope.record.volume?.dataDir ?? scope.record.adopts?.dataDir;
  if (dataDir !== undefined && !isDataDir(dataDir)) return lostItsPlace(scope.node.metadata.name, dataDir);
  const { node, clusterUid, onePerHost } = scope;
  const sealed = node.spec.intent === 'Sealed' ? await sealedPod(context) : undefined;
  const pod = buildPod(node, { clusterUid, seeds, dataDir, onePerHost, sealed });
  try {
    ports.caches.pods.observe(await ports.client.create(pods, pod, { signal }));
    return DONE;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return takeExisting(pod, context);
  }
}

/** A password that is stored nowhere but in the Pod, and the host that its last Pod was on. */
async function sealedPod({ scope, ports, signal }: NodeExecuteContext): Promise<SealedPod> {
  const { hostName } = scope.node.spec.ran ?? {};
  const host = hostName === undefined ? undefined : await sealedHost(hostName, { ports, signal });
  return { password: randomBytes(24).toString('base64url'), host };
}

/** Where hosts may not be read, none of their taints is known. */
async function sealedHost(
  name: string,
  { ports, signal }: Pick<NodeExecuteContext, 'ports' | 'signal'>,
): Promise<SealedHost | undefined> {
  try {
    return { name, taints: taintsOf(await ports.client.get(nodes, { name }, { signal })) };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    if (isForbidden(error)) return { name, taints: [] };
    throw error;
  }
}

/** The name is taken: by our own earlier create whose answer was lost, by a Pod that is to be adopted, or by somebody
 *  else's Pod. */
async function takeExisting(pod: ReturnType<typeof buildPod>, context: NodeExecuteContext): Promise<StepOutcome> {
  const live = await readPod(pod.metadata.name, context);
  if (isAdoptable(live, context)) return adoptLivePod(live, context);
  const isOwn = live.metadata.ownerReferences?.some((owner) => owner.uid === context.scope.node.metadata.uid) === true;
  if (!isLabelledOurs(live)) {
    if (!isOwn) return foreign('NameTaken', 'Pod', live.metadata.name);
    // The Pod is ours, but somebody removed the label by which we watch it (F55): with the label it comes back by
    // itself.
    return patchPod({ metadata: { labels: pod.metadata.labels } }, live.metadata, context);
  }
  return DONE;
}

/** In any other directory the member would find no data, and be another member under a used id
 *  (docs/design/server.md#h2). */
function lostItsPlace(name: string, dataDir: string): StepOutcome {
  const message = `PersistentVolumeClaim data-${name} says that its data are in ${JSON.stringify(dataDir)}, which is no folder of it: correct its annotation marekvs.io/data-dir`;
  return blocked(hold('VolumeForeign', message, true));
}

/** One that is deleted because it does not run may run in a newer version. */
function endedPod({ pod, isAsSeen }: Extract<NodeStep, { kind: 'deletePod' }>) {
  const { name, uid, resourceVersion } = pod;
  return isAsSeen === true ? { name, uid, resourceVersion } : { name, uid };
}

async function deletePod(
  { name, uid, resourceVersion }: Pick<PodRecord, 'name' | 'uid'> & { readonly resourceVersion?: string | undefined },
  { scope, ports, signal }: NodeExecuteContext,
  gracePeriodSeconds?: number,
): Promise<StepOutcome> {
  const ref = { namespace: scope.node.metadata.namespace, name };
  const answer = await ifFound(
    ports.client.delete(pods, ref, { uid, resourceVersion }, { gracePeriodSeconds, signal }),
  );
  ports.caches.pods.observeDelete({ ...ref, uid }, answer);
  return DONE;
}

/** A member that cannot be reached now is asked again later: its list shows whether it leaves, not this answer. */
async function drain(pod: PodRecord, { ports, signal }: NodeExecuteContext): Promise<StepOutcome> {
  if (pod.ip === undefined) return DONE;
  try {
    await ports.members.drain(pod.ip, signal);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
  return DONE;
}

function notePassword(source: PasswordSource, context: NodeExecuteContext): Promise<StepOutcome> {
  const { node, record } = context.scope;
  const note = notedSources(record.passwordsGiven, secretOfSource(source), node.spec.template.authSecretRef);
  return patchNode({ metadata: { annotations: { [ANNOTATIONS.passwordSecrets]: note } } }, context);
}

/** Sends what the Secret has at this moment: of two operators, the one with an older copy would undo the change of the
 *  other. The member's next answer shows whether it took the password. */
async function setPassword(
  { pod, source }: Extract<NodeStep, { kind: 'setPassword' }>,
  { scope, ports, signal }: NodeExecuteContext,
): Promise<StepOutcome> {
  if (pod.ip === undefined) return STALE;
  const { namespace } = scope.node.metadata;
  const ref = secretOfSource(source);
  try {
    const next = ref === undefined ? undefined : await ports.passwords.readNow({ namespace, ...ref }, signal);
    const others = await ports.memberPasswords.others(`${namespace}/${scope.node.metadata.name}`, source, signal);
    const before = others.flatMap(({ password }) => (password === undefined || password === next ? [] : [password]));
    await ports.members.setPassword({ ip: pod.ip, nodeId: scope.record.id }, { next, before }, signal);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return STALE;
  }
  ports.sampler.poke(`${namespace}/${scope.node.spec.clusterName}`);
  return DONE;
}

function addFinalizer(context: NodeExecuteContext): Promise<StepOutcome> {
  const { finalizers = [] } = context.scope.node.metadata;
  return patchNode({ metadata: { finalizers: [...finalizers, FINALIZERS.memberSafeRemoval] } }, context);
}

async function patchNode(patch: MergePatch, { scope, ports, signal }: NodeExecuteContext): Promise<StepOutcome> {
  const { metadata } = scope.node;
  ports.caches.nodes.observe(await ports.client.patch(MAREKVS_NODE, metadata, patch, metadata, { signal }));
  return DONE;
}

/** Reads live whether the cluster is gone. */
async function confirmParent(context: NodeExecuteContext): Promise<StepOutcome> {
  const { scope, goneParents } = context;
  if (await isParentGone(context)) goneParents.note(parentRef(scope));
  return DONE;
}

async function releaseNode({ scope, ports, signal }: NodeExecuteContext): Promise<StepOutcome> {
  const { metadata } = scope.node;
  const finalizers = (metadata.finalizers ?? []).filter((name) => name !== FINALIZERS.memberSafeRemoval);
  const patch = { metadata: { finalizers } };
  const answer = await ifFound(ports.client.patch(MAREKVS_NODE, metadata, patch, metadata, { signal }));
  // Without finalizers a deleted object is gone, whatever the answer shows.
  ports.caches.nodes.observeDelete(metadata, finalizers.length > 0 ? answer : undefined);
  return DONE;
}
