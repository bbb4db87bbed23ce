// Answers: what is stamped on a node, and by which hash are stamps compared? Pure. The stamp is the permit
// to restart (docs/design/contract.md#resources), so its hash must not move when only the operator's version does.

import { createHash } from 'node:crypto';
import {
  adoptionOf,
  canonicalJson,
  clusterIdentity,
  type EffectiveClusterSpec,
  type NodeStorage,
  type NodeTemplate,
  oncePer,
  oncePerLast,
  oncePerText,
} from '@marekvs/api';

/** The template new nodes of the cluster get. `identity` is the latched one where there is one. */
export function nodeTemplate(spec: EffectiveClusterSpec, identity: string): NodeTemplate {
  const { auth } = spec;
  return {
    image: spec.image,
    ...(spec.imagePullPolicy === undefined ? {} : { imagePullPolicy: spec.imagePullPolicy }),
    ...(spec.imagePullSecrets.length === 0 ? {} : { imagePullSecrets: spec.imagePullSecrets }),
    resources: spec.resources,
    ...(isEmpty(spec.extraEnv) ? {} : { env: spec.extraEnv }),
    replicationFactor: spec.replicationFactor,
    gcGraceSeconds: spec.gcGraceSeconds,
    clusterIdentity: identity,
    ...(auth === undefined ? {} : { authSecretRef: auth.secretRef }),
    scheduling: scheduling(spec),
    ...podMetadata(spec),
  };
}

/** What a new node of the cluster is stamped with, and the hash its stamp is compared by. */
export interface NodeStamp {
  readonly spec: EffectiveClusterSpec;
  readonly template: NodeTemplate;
  readonly hash: string;
}

export function nodeStamp(cluster: Parameters<typeof identityOf>[0], spec: EffectiveClusterSpec): NodeStamp {
  return stampOf(spec, identityOf(cluster));
}

/** Memoized by object: the spec is the same object as long as its cluster does not change. */
const stampOf = oncePerLast((spec: EffectiveClusterSpec, identity: string): NodeStamp => {
  const template = nodeTemplate(spec, identity);
  return { spec, template, hash: templateHash(template) };
});

/** The identity of a cluster: the latched one, or the one it will have (docs/design/server.md#h5): that of the members
 *  it adopts, or its own. */
export function identityOf(cluster: {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
  readonly status?: { readonly formed?: { readonly clusterId: string } | undefined } | undefined;
}): string {
  const latched = cluster.status?.formed?.clusterId;
  if (latched !== undefined) return latched;
  const request = adoptionOf(cluster);
  if (typeof request === 'object') return request.clusterIdentity;
  const { namespace, name, uid } = cluster.metadata;
  return clusterIdentity(namespace, name, uid);
}

/** @param size of the volume, which may have grown beyond what the spec says */
export function nodeStorage({ storage }: EffectiveClusterSpec, size = storage.size): NodeStorage {
  const { autoGrow: _rule, ...rest } = storage;
  return { ...rest, size };
}

/** 16 hex digits over the template, the same for equal templates whatever the order of their keys. Remembered per
 *  object: every pass over a node asks for those of all its siblings, and a cached object never changes. */
export const templateHash = oncePer((template: NodeTemplate): string => valueHash(template));

/** Hash of everything but the resources, which alone can be changed on a running Pod. */
export function restartHash({ resources: _mutable, ...rest }: NodeTemplate): string {
  return valueHash(rest);
}

/** 16 hex digits over a plain value, the same for equal values whatever the order of their keys. Wanted objects are
 *  built anew in every pass and rarely change: a known text is not sorted and hashed again. */
export function valueHash(value: unknown): string {
  return hashOfText(JSON.stringify(value));
}

/** About 1 KB each: the children and the stamps of some fifty clusters. */
const MAX_TEXTS = 256;
const hashOfText = oncePerText(MAX_TEXTS, (text) =>
  createHash('sha256')
    .update(canonicalJson(JSON.parse(text)))
    .digest('hex')
    .slice(0, 16),
);

function scheduling(spec: EffectiveClusterSpec): NonNullable<NodeTemplate['scheduling']> {
  const affinity = withoutEmptyRules(spec.affinity);
  return {
    hostnameSpreadWhenUnsatisfiable: spec.hostnameSpreadWhenUnsatisfiable,
    ...(isEmpty(spec.nodeSelector) ? {} : { nodeSelector: spec.nodeSelector }),
    ...(spec.tolerations.length === 0 ? {} : { tolerations: spec.tolerations }),
    ...(affinity === undefined ? {} : { affinity }),
    ...(spec.topologySpreadConstraints.length === 0
      ? {}
      : { topologySpreadConstraints: spec.topologySpreadConstraints }),
    ...(spec.priorityClassName === undefined ? {} : { priorityClassName: spec.priorityClassName }),
  };
}

type Affinity = NonNullable<EffectiveClusterSpec['affinity']>;

/** The affinity without empty lists of rules: to a scheduler they are absent, so no member is restarted for them. Rules
 *  themselves stay as they are: an empty selector of Pods differs from none. */
function withoutEmptyRules(affinity: Affinity = {}): Affinity | undefined {
  const { nodeAffinity = {}, podAffinity = {}, podAntiAffinity = {} } = affinity;
  const kept = {
    nodeAffinity: withoutEmptyLists(nodeAffinity),
    podAffinity: withoutEmptyLists(podAffinity),
    podAntiAffinity: withoutEmptyLists(podAntiAffinity),
  };
  const kinds = Object.entries(kept).filter(([, rules]) => !isEmpty(rules));
  return kinds.length === 0 ? undefined : Object.fromEntries(kinds);
}

function withoutEmptyLists<T extends Readonly<Record<string, unknown>>>(rules: T): Partial<T> {
  const kept = Object.entries(rules).filter(
    ([, list]) => list !== undefined && !(Array.isArray(list) && list.length === 0),
  );
  return Object.fromEntries(kept) as Partial<T>;
}

function podMetadata(spec: EffectiveClusterSpec): Pick<NodeTemplate, 'podMetadata'> {
  const { labels, annotations } = spec.podMetadata;
  return isEmpty(labels) && isEmpty(annotations) ? {} : { podMetadata: { labels, annotations } };
}

function isEmpty(record: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(record).length === 0;
}
