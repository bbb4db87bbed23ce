// Brings a cluster's Services, disruption budget and network policy to what is wanted, without a request when they are.
// The only file that writes them.

import { ANNOTATIONS, LABELS, type MarekvsCluster } from '@marekvs/api';
import { type Hold, hold } from '@marekvs/planner';
import {
  isConflict,
  isNotFound,
  type Kind,
  type KubeObject,
  keyOf,
  networkPolicies,
  podDisruptionBudgets,
  type Reflector,
  services,
} from '@marekvs/runtime';
import { slotLabel } from '../observation/share.ts';
import { type ChildView, toChildView } from '../observation/views.ts';
import type { Ports } from '../ports.ts';
import { refusalOf } from '../write-refusal.ts';
import type { ClusterChild } from './children.ts';
import { contains, correction, type DriftCounter, intentHash } from './drift.ts';

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

/** Stable across versions: another manager's name would leave our own old fields behind. For the same reason
 *  children are created by an apply: what came with a POST is its sender's, and no later apply takes it away
 *  again. */
const FIELD_MANAGER = 'marekvs-operator-cluster';

/** Applies every child that is missing or differs. A refusal is a hold; anything unexpected is thrown after all
 *  were tried. */
export async function applyChildren(wanted: readonly ClusterChild[], context: ApplyContext): Promise<ChildrenResult> {
  const outcomes = await Promise.allSettled(wanted.map((child) => applyChild(child, context)));
  const holds: Hold[] = [];
  let requeueAfterMs: number | undefined;
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') {
      const refusal = refusalOf(outcome.reason);
      if (refusal === undefined) throw outcome.reason;
      holds.push(refusal);
      requeueAfterMs = Math.min(requeueAfterMs ?? RETRY_MS, RETRY_MS);
      continue;
    }
    if (outcome.value === undefined) continue;
    holds.push(outcome.value.hold);
    requeueAfterMs = Math.min(
      requeueAfterMs ?? Number.POSITIVE_INFINITY,
      outcome.value.afterMs ?? Number.POSITIVE_INFINITY,
    );
  }
  return { holds, requeueAfterMs: requeueAfterMs === Number.POSITIVE_INFINITY ? undefined : requeueAfterMs };
}

/** What is refused or taken is tried again after this time: nothing of ours tells when a quota is raised or a
 *  stranger is gone. */
const RETRY_MS = 15_000;

type ChildHold = { readonly hold: Hold; readonly afterMs: number | undefined } | undefined;

async function applyChild(child: ClusterChild, context: ApplyContext): Promise<ChildHold> {
  const { kind, cache } = placeOf(child, context.ports);
  const { metadata } = child.object;
  if (metadata?.name === undefined) return undefined;
  const key = keyOf({ namespace: context.cluster.metadata.namespace, name: metadata.name });
  const live = cache.store.get(key);
  if (live !== undefined && foundSame.get(child) === live) return undefined;
  const wanted = { ...child.object, metadata: { ...metadata, name: metadata.name } };
  const hash = intentHash(wanted);
  const stamped = stampedWith(wanted, hash, context.cluster);
  if (live === undefined) return create(kind, cache, stamped, context);
  if (live.isTerminating) return undefined;
  if (live.ownerUid !== context.cluster.metadata.uid)
    return taken(kind, live.name, isFromEarlierCluster(live, context.cluster));
  if (live.appliedHash === undefined) return takeOver(kind, cache, stamped, live, context);
  const isSame = contains(live.spec, child.object.spec) && contains(live.labels, wanted.metadata.labels);
  if (isSame && live.appliedHash === hash) {
    foundSame.set(child, live);
    return undefined;
  }
  return live.appliedHash === hash
    ? changeBack(kind, cache, stamped, live, hash, context)
    : change(kind, cache, stamped, live, context);
}

/** Its slot is in no comparison: of before there were slots it has none, and gets it with the next change. */
function stampedWith<T extends { readonly metadata: object & { readonly labels?: object | undefined } }>(
  wanted: T,
  hash: string,
  { metadata: { namespace, name } }: MarekvsCluster,
) {
  const labels = { ...wanted.metadata.labels, ...slotLabel(namespace, name) };
  return { ...wanted, metadata: { ...wanted.metadata, labels, annotations: { [ANNOTATIONS.appliedHash]: hash } } };
}

/** What is wanted and what is there were compared when both were these very objects: most passes meet them again. */
const foundSame = new WeakMap<ClusterChild, ChildView>();

async function create<T extends KubeObject>(
  kind: Kind<T>,
  cache: Reflector<ChildView>,
  object: T & { readonly metadata: { readonly name: string } },
  context: ApplyContext,
): Promise<ChildHold> {
  const { cluster, ports, signal } = context;
  try {
    const options = { fieldManager: FIELD_MANAGER, force: true, onlyCreate: true, signal };
    cache.observe(await ports.client.apply(kind, object, options));
    return undefined;
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
  const live = await ports.client.get(
    kind,
    { namespace: cluster.metadata.namespace, name: object.metadata.name },
    { signal },
  );
  const isOurs = live.metadata.ownerReferences?.some((owner) => owner.uid === cluster.metadata.uid) === true;
  // Ours, and somebody took the label by which we watch it (F55): applied again it comes back.
  if (isOurs) await change(kind, cache, object, toChildView(live), context);
  return isOurs ? undefined : taken(kind, object.metadata.name, false);
}

/** Our intent is new: what we sent before and do not want any more goes with it. */
async function change<T extends KubeObject>(
  kind: Kind<T>,
  cache: Reflector<ChildView>,
  object: T & { readonly metadata: { readonly name: string } },
  { uid, resourceVersion }: ChildView,
  { ports, signal }: ApplyContext,
): Promise<undefined> {
  const options = { fieldManager: FIELD_MANAGER, uid, resourceVersion, force: true, signal };
  await unlessGone(async () => cache.observe(await ports.client.apply(kind, object, options)));
}

/** Ours by its owner and never applied by us: the existing operator made it (decision 0015). An apply would leave
 *  its key in the selector beside ours, and the Service without a Pod until the next pass: one write puts the
 *  whole of it right first. */
async function takeOver<T extends KubeObject>(
  kind: Kind<T>,
  cache: Reflector<ChildView>,
  object: ClusterChild['object'] & T & { readonly metadata: { readonly name: string } },
  live: ChildView,
  context: ApplyContext,
): Promise<undefined> {
  const { cluster, ports, signal } = context;
  const ref = { namespace: cluster.metadata.namespace, name: object.metadata.name };
  await unlessGone(async () => {
    const isSame = contains(live.spec, object.spec);
    const patch = { spec: correction(live.spec, object.spec) };
    const right = isSame ? live : toChildView(await ports.client.patch(kind, ref, patch, live, { signal }));
    await change(kind, cache, object, right, context);
  });
}

/** Somebody else changed it although our intent is the same. By a patch: an apply would leave alone what they added
 *  to a list of ours. */
async function changeBack<T extends KubeObject>(
  kind: Kind<T>,
  cache: Reflector<ChildView>,
  { metadata, spec }: ClusterChild['object'] & { readonly metadata: { readonly name: string } },
  live: ChildView,
  hash: string,
  { cluster, ports, drift, signal }: ApplyContext,
): Promise<ChildHold> {
  const nowMs = ports.clock.monotonicMs();
  const holdMs = drift.holdMs(live.uid, hash, nowMs);
  if (holdMs > 0) return { hold: driftLoop(kind, live.name), afterMs: holdMs };
  drift.note(live.uid, hash, nowMs);
  const ref = { namespace: cluster.metadata.namespace, name: metadata.name };
  const patch = { metadata: { labels: metadata.labels }, spec: correction(live.spec, spec) };
  await unlessGone(async () => cache.observe(await ports.client.patch(kind, ref, patch, live, { signal })));
  return undefined;
}

async function unlessGone(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function placeOf(child: ClusterChild, ports: Ports): { kind: Kind<KubeObject>; cache: Reflector<ChildView> } {
  if (child.kind === 'Service') return { kind: services, cache: ports.caches.services };
  if (child.kind === 'NetworkPolicy') return { kind: networkPolicies, cache: ports.caches.policies };
  return { kind: podDisruptionBudgets, cache: ports.caches.budgets };
}

/** Left by an earlier cluster of the same name: the garbage collector takes it away, nobody has to act (F43). */
function isFromEarlierCluster(live: ChildView, cluster: MarekvsCluster): boolean {
  return live.ownerUid !== '' && live.labels[LABELS.cluster] === cluster.metadata.name;
}

function taken(kind: Kind<KubeObject>, name: string, isTemporary: boolean): ChildHold {
  const whose = isTemporary
    ? 'an earlier cluster of this name: waiting until it is gone'
    : 'somebody else: rename or remove it';
  const message = `${kind.kind} ${name} belongs to ${whose}`;
  return { hold: hold('NameTaken', message, !isTemporary), afterMs: RETRY_MS };
}

function driftLoop(kind: Kind<KubeObject>, name: string): Hold {
  return hold('DriftLoop', `${kind.kind} ${name} is changed back by somebody else again and again`, true);
}
