// Brings a cluster's Services, disruption budget and network policies to the wanted state, without a request when they
// match already. The only file that writes them.

import { ANNOTATIONS, LABELS, type MarekvsCluster } from '@marekvs/api';
import { type Hold, hold, soonest } from '@marekvs/planner';
import {
  ifFound,
  isConflict,
  type Kind,
  type KubeObject,
  keyOf,
  type MergePatch,
  networkPolicies,
  podDisruptionBudgets,
  type Reflector,
  type Stored,
  services,
} from '@marekvs/runtime';
import { refusalIn } from '../api-server/write-refusal.ts';
import { type ChildView, toChildView } from '../caches/views.ts';
import { REFUSED_RETRY_MS } from '../pacing/paces.ts';
import { contains, correction, type DriftCounter, driftHold, intentHash } from '../pass/drift.ts';
import type { Ports } from '../pass/ports.ts';
import { slotLabel } from '../sharing/share.ts';
import type { ClusterChild } from './wanted-children.ts';

export interface ChildrenResult {
  readonly holds: readonly Hold[];
  readonly requeueAfterMs: number | undefined;
}

export interface ApplyContext {
  readonly cluster: MarekvsCluster;
  readonly ports: Ports;
  readonly drift: DriftCounter;
  readonly signal: AbortSignal;
}

/** Stable across versions: under another manager's name, our own old fields would stay behind. For the same reason
 *  children are created by an apply: fields sent with a POST belong to that request, and no later apply would remove
 *  them. */
const FIELD_MANAGER = 'marekvs-operator-cluster';

/** Applies every child that is missing or differs. A refusal is a hold; anything unexpected is thrown after all
 *  were tried. */
export async function applyChildren(wanted: readonly ClusterChild[], context: ApplyContext): Promise<ChildrenResult> {
  const outcomes = await Promise.allSettled(wanted.map((child) => applyChild(child, context)));
  const held = outcomes.map(heldBy).filter((outcome) => outcome !== undefined);
  return { holds: held.map(({ hold }) => hold), requeueAfterMs: soonest(...held.map(({ afterMs }) => afterMs)) };
}

type ChildHold = { readonly hold: Hold; readonly afterMs: number } | undefined;

function heldBy(outcome: PromiseSettledResult<ChildHold>): ChildHold {
  if (outcome.status === 'fulfilled') return outcome.value;
  return { hold: refusalIn(outcome.reason), afterMs: REFUSED_RETRY_MS };
}

/** One wanted child, with its kind, its cache and its cluster. */
interface Child extends ApplyContext {
  readonly kind: Kind<KubeObject>;
  readonly cache: Reflector<ChildView>;
  readonly object: ClusterChild['object'];
  readonly ref: { readonly namespace: string; readonly name: string };
}

async function applyChild(child: ClusterChild, context: ApplyContext): Promise<ChildHold> {
  const { kind, cache } = placeOf(child, context.ports);
  const wanted = child.object;
  const ref = { namespace: context.cluster.metadata.namespace, name: wanted.metadata.name };
  const live = cache.store.get(keyOf(ref));
  if (live !== undefined && foundSame.get(child) === live) return undefined;
  const hash = intentHash(wanted);
  const stamped: Child = { ...context, kind, cache, ref, object: stampedWith(wanted, hash, context.cluster) };
  if (live === undefined) return create(stamped);
  if (live.isTerminating) return undefined;
  if (live.ownerUid !== context.cluster.metadata.uid)
    return taken(kind, live.name, isFromEarlierCluster(live, context.cluster));
  if (isTooEarly(child, context)) return undefined;
  if (live.appliedHash === undefined) return takeOver(stamped, live);
  const isSame = contains(live.spec, wanted.spec) && contains(live.labels, wanted.metadata.labels);
  if (isSame && live.appliedHash === hash) {
    foundSame.set(child, live);
    return undefined;
  }
  return live.appliedHash === hash ? changeBack(stamped, live, hash) : change(stamped, live);
}

/** Until the other policy is there, this one as it is admits those that the other will. The watch that shows the other
 *  one causes another pass. */
function isTooEarly(child: ClusterChild, { cluster: { metadata }, ports: { caches } }: ApplyContext): boolean {
  if (child.kind !== 'NetworkPolicy' || child.after === undefined) return false;
  const other = caches.policies.store.get(keyOf({ namespace: metadata.namespace, name: child.after }));
  return other?.ownerUid !== metadata.uid || other.isTerminating;
}

/** The slot label is not compared: children made before there were slots lack it, and get it with their next change. */
function stampedWith<T extends { readonly metadata: object & { readonly labels?: object | undefined } }>(
  wanted: T,
  hash: string,
  { metadata: { namespace, name } }: MarekvsCluster,
) {
  const labels = { ...wanted.metadata.labels, ...slotLabel(namespace, name) };
  return { ...wanted, metadata: { ...wanted.metadata, labels, annotations: { [ANNOTATIONS.appliedHash]: hash } } };
}

/** Pairs of objects that were found equal, by identity: most passes meet the same pair again. */
const foundSame = new WeakMap<ClusterChild, ChildView>();

async function create(child: Child): Promise<ChildHold> {
  const { kind, cache, object, ref, cluster, ports, signal } = child;
  try {
    const options = { fieldManager: FIELD_MANAGER, force: true, onlyCreate: true, signal };
    cache.observe(await ports.client.apply(kind, object, options));
    return undefined;
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
  const live = await ports.client.get(kind, ref, { signal });
  const isOurs = live.metadata.ownerReferences?.some((owner) => owner.uid === cluster.metadata.uid) === true;
  // The child is ours, but somebody removed the label by which we watch it (F55): applying it restores the label.
  return isOurs ? change(child, toChildView(live)) : taken(kind, ref.name, false);
}

/** Our intent has changed. The apply also removes fields that we sent before and no longer want. */
async function change(
  { kind, cache, object, ports, signal }: Child,
  { uid, resourceVersion }: ChildView,
): Promise<undefined> {
  const options = { fieldManager: FIELD_MANAGER, uid, resourceVersion, force: true, signal };
  const applied = await ifFound(ports.client.apply(kind, object, options));
  if (applied !== undefined) cache.observe(applied);
}

/** Owned by the cluster but never applied by us: the existing operator made it
 *  (docs/decisions/adopting-and-releasing.md). An apply would leave its selector key beside ours, and the Service
 *  without a Pod until the next pass, so one patch corrects the whole spec first. */
async function takeOver(child: Child, live: ChildView): Promise<undefined> {
  const { spec } = child.object;
  if (contains(live.spec, spec)) return change(child, live);
  const right = await patch(child, live, { spec: correction(live.spec, spec) });
  if (right !== undefined) await change(child, toChildView(right));
}

/** Somebody else changed the child although our intent is the same. Uses a patch, because an apply would keep what they
 *  added to a list of ours. */
async function changeBack(child: Child, live: ChildView, hash: string): Promise<ChildHold> {
  const { kind, cache, object, ports, drift } = child;
  const nowMs = ports.clock.monotonicMs();
  const holdMs = drift.holdMs(live.uid, hash, nowMs);
  if (holdMs > 0) return { hold: driftHold(kind.kind, live.name), afterMs: holdMs };
  drift.note(live.uid, hash, nowMs);
  const { labels } = object.metadata;
  const right = await patch(child, live, { metadata: { labels }, spec: correction(live.spec, object.spec) });
  if (right !== undefined) cache.observe(right);
  return undefined;
}

/** Undefined when the child no longer exists. */
function patch(
  { kind, ref, ports, signal }: Child,
  live: ChildView,
  change: MergePatch,
): Promise<Stored<KubeObject> | undefined> {
  return ifFound(ports.client.patch(kind, ref, change, live, { signal }));
}

function placeOf(child: ClusterChild, ports: Ports): { kind: Kind<KubeObject>; cache: Reflector<ChildView> } {
  if (child.kind === 'Service') return { kind: services, cache: ports.caches.services };
  if (child.kind === 'NetworkPolicy') return { kind: networkPolicies, cache: ports.caches.policies };
  return { kind: podDisruptionBudgets, cache: ports.caches.budgets };
}

/** Left by an earlier cluster of the same name: the garbage collector deletes it, nobody has to act (F43). */
function isFromEarlierCluster(live: ChildView, cluster: MarekvsCluster): boolean {
  return live.ownerUid !== '' && live.labels[LABELS.cluster] === cluster.metadata.name;
}

function taken(kind: Kind<KubeObject>, name: string, isTemporary: boolean): ChildHold {
  const whose = isTemporary
    ? 'an earlier cluster of this name: waiting until it is gone'
    : 'somebody else: rename or remove it';
  const message = `${kind.kind} ${name} belongs to ${whose}`;
  return { hold: hold('NameTaken', message, !isTemporary), afterMs: REFUSED_RETRY_MS };
}
