// What a cluster consists of, as plain values that are equal for equal clusters: without identities, times, addresses
// and places, which differ between any two clusters. By object, and in each by field.

import { ANNOTATIONS } from '@marekvs/api';
import type { ApiObject } from '@marekvs/simulator';
import { CLAIMS, NODES, type WorldView } from '../world/cluster/world-view.ts';

/** `Pod 0` → `spec.containers[0].image` → `"marekvs:one"`. */
export type Snapshot = ReadonlyMap<string, ReadonlyMap<string, string>>;

const CHILDREN = ['services', 'networkpolicies.networking.k8s.io', 'poddisruptionbudgets.policy'];
/** Fields set by the API server, the scheduler or the operator's caches, or that carry an identity by design. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'spec.nodeName',
  'metadata.labels.topology.kubernetes.io/zone',
  'spec.volumeName',
  'spec.clusterIP',
  `metadata.annotations.${ANNOTATIONS.seeds}`,
  // Hashes over values that contain the cluster's UID.
  `metadata.annotations.${ANNOTATIONS.templateHash}`,
  `metadata.annotations.${ANNOTATIONS.appliedHash}`,
  // On a node that was made again for the volume it had.
  `metadata.annotations.${ANNOTATIONS.keptVolume}`,
  // The history of the password's earlier Secrets.
  `metadata.annotations.${ANNOTATIONS.passwordSecrets}`,
  `metadata.annotations.${ANNOTATIONS.restampedPod}`,
]);
const SEEDS = 'MAREKVS_SEEDS';

export function snapshotOf(world: WorldView): Snapshot {
  const { server } = world.kube;
  const objects = new Map<string, ReadonlyMap<string, string>>();
  const uids = new Map([...server.everything()].map(([, { metadata }]) => [metadata.uid, 'uid']));
  const clusterUid = world.cluster()?.metadata.uid ?? '';
  const note = (key: string, object: ApiObject | undefined): void => {
    if (object !== undefined)
      objects.set(
        key,
        flat(object, (text) => withoutIdentity(text, uids, clusterUid)),
      );
  };
  // The process may have been started with another password.
  const noteWanted = (id: number): void => {
    const fields = objects.get(`Pod ${id}`);
    const password = world.member(id)?.requirepass;
    if (fields !== undefined && password !== undefined)
      objects.set(`Pod ${id}`, new Map([...fields, ['password of the member', password]]));
  };
  for (const { spec, metadata } of world.nodes()) {
    note(`MarekvsNode ${spec.nodeId}`, server.find(NODES, metadata));
    note(`Pod ${spec.nodeId}`, world.pod(spec.nodeId));
    noteWanted(spec.nodeId);
    note(`Claim ${spec.nodeId}`, server.find(CLAIMS, { namespace: 'default', name: `data-demo-${spec.nodeId}` }));
  }
  for (const resource of CHILDREN)
    for (const object of server.list(resource)) note(`${resource.split('.')[0]} ${object.metadata.name}`, object);
  objects.set('status', statusOf(world));
  return objects;
}

/** The part of a status that a person reads: figures, and each condition with its reason. */
function statusOf(world: WorldView): ReadonlyMap<string, string> {
  const { phase, desiredNodes, readyNodes, replicas, instanceNames, conditions = [] } = world.cluster()?.status ?? {};
  const figures = Object.entries({ phase, desiredNodes, readyNodes, replicas, instanceNames: instanceNames?.join() });
  const shown = conditions.map(({ type, status, reason, message }) => [
    type,
    `${status} ${reason}${type === 'PendingChange' ? ` ${message}` : ''}`,
  ]);
  return new Map([...figures, ...shown].map(([key, value]) => [String(key), String(value)]));
}

function flat({ metadata, spec }: ApiObject, text: (given: string) => string): ReadonlyMap<string, string> {
  const { labels, annotations, ownerReferences, finalizers } = metadata;
  const fields = new Map<string, string>();
  walk({ metadata: { labels, annotations, ownerReferences, finalizers }, spec }, '', (path, value) => {
    if (!LEFT_OUT.has(path)) fields.set(path, text(JSON.stringify(value)));
  });
  return fields;
}

function walk(value: unknown, path: string, leaf: (path: string, value: unknown) => void): void {
  if (typeof value !== 'object' || value === null) {
    if (value !== undefined) leaf(path, value);
    return;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) leaf(path, value);
  for (const [key, child] of entries) {
    const at = Array.isArray(value) ? `${path}[${keyOf(child, key)}]` : path === '' ? key : `${path}.${key}`;
    if (!at.endsWith(`[${SEEDS}]`) && at !== 'spec.seeds') walk(child, at, leaf);
  }
}

/** Items with names (variables, ports) are identified by name instead of index. Owner references are not: their name is
 *  that of another object. */
function keyOf(item: unknown, index: string): string {
  const isNamed = typeof item === 'object' && item !== null && 'name' in item && !('uid' in item);
  const name = isNamed ? item.name : undefined;
  return typeof name === 'string' ? name : index;
}

function withoutIdentity(text: string, uids: ReadonlyMap<string, string>, clusterUid: string): string {
  const plain = text.replace(
    /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
    (uid) => uids.get(uid) ?? 'a uid that is gone',
  );
  return clusterUid === '' ? plain : plain.replaceAll(clusterUid.slice(0, 8), 'identity');
}

/** One difference: the object, the path (`Pod 0`, `spec.containers[0].image`) and both values; undefined where a side
 *  lacks it. */
export interface Difference {
  readonly object: string;
  readonly path: string;
  readonly a: string | undefined;
  readonly b: string | undefined;
}

export function differencesOf(a: Snapshot, b: Snapshot): readonly Difference[] {
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((object) => {
    const [one, other] = [a.get(object), b.get(object)];
    if (one === undefined || other === undefined)
      return [
        { object, path: '', a: one === undefined ? undefined : 'there', b: other === undefined ? undefined : 'there' },
      ];
    return [...new Set([...one.keys(), ...other.keys()])]
      .filter((path) => one.get(path) !== other.get(path))
      .map((path) => ({ object, path, a: one.get(path), b: other.get(path) }));
  });
}

export function differenceText({ object, path, a, b }: Difference): string {
  return `${object} ${path}: ${a ?? 'absent'} | ${b ?? 'absent'}`;
}
