// Every label, annotation and finalizer key, and the sets of them. Selectors are minimal and never change:
// ownership is decided by the controller's owner UID, a selector only narrows what is listed.

export const GROUP = 'marekvs.io';
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}`;
export const MANAGED_BY = 'marekvs-operator';

export const LABELS = {
  name: 'app.kubernetes.io/name',
  instance: 'app.kubernetes.io/instance',
  component: 'app.kubernetes.io/component',
  partOf: 'app.kubernetes.io/part-of',
  managedBy: 'app.kubernetes.io/managed-by',
  cluster: `${GROUP}/cluster`,
  clusterUid: `${GROUP}/cluster-uid`,
  nodeId: `${GROUP}/node-id`,
  serving: `${GROUP}/serving`,
  /** On every object of a cluster: the slot of the cluster, by which replicas of the operator share the work. Objects
   *  made before there were slots have none. */
  slot: `${GROUP}/slot`,
  /** On a MarekvsNode and its volume claim: `true` while the cluster has deletionProtection; the shipped
   *  admission policy selects by it. */
  protected: `${GROUP}/protected`,
  /** On a ControllerRevision without a template: UID of the Secret it goes with. */
  secretUid: `${GROUP}/secret-uid`,
  /** On a Namespace: `allowed` when its Pods may read the figures of members and operator. */
  scrapers: `${GROUP}/scrapers`,
} as const;

export const ANNOTATIONS = {
  /** On a MarekvsNode: prefer this one as the next to be removed. */
  removeFirst: `${GROUP}/remove-first`,
  /** On a MarekvsNode: `<its uid>/<reason>`; skips the proof, never the order. */
  forceRemove: `${GROUP}/force-remove`,
  /** On a MarekvsNode: `<its uid>/<reason>`; its removal does not wait for HyperLogLog registers that no other home
   *  has. */
  acceptDiverging: `${GROUP}/accept-diverging-registers`,
  /** On a MarekvsNode: who wants its Pod off its volume for a while, and why, as free text. The Pod runs again when the
   *  annotation is removed. A text that begins with `only-copy/` accepts that keys with one home are unavailable
   *  meanwhile. `kubectl mkv suspend` writes it. */
  suspend: `${GROUP}/suspend`,
  /** On a MarekvsNode: id of the operation that removes it. An id that its cluster does not know is deleted, never
   *  obeyed. */
  removal: `${GROUP}/removal`,
  /** On a MarekvsNode: UID of its Pod that was told to leave, runs, and may be restarted to stay, since what it has was
   *  compared. Any other one that was told to leave is compared first. */
  mayRestart: `${GROUP}/may-restart`,
  /** On a Pod: `true` from just before its member is told to leave; only a restart takes that back
   *  (docs/design/server.md#leaving). */
  leaving: `${GROUP}/leaving`,
  /** On a MarekvsNode: `<its uid>/<host>`, its volume is on that host alone and the host is lost: a new node takes its
   *  place. On a volume claim without a node: the same host, and no new node uses the volume while this is set. */
  hostLost: `${GROUP}/host-lost`,
  /** On a MarekvsNode: `<its uid>/<host>`, its volume is on that host alone and the host is being drained: a new node
   *  takes its place, and it is removed by proof. On a volume claim without a node: the same host, and no new node uses
   *  the volume while this is set. */
  hostDrained: `${GROUP}/host-drained`,
  /** On the Lease of a replica of the operator: in which mode it shares the clusters with the others, and which
   *  generation of the register it has acknowledged. */
  share: `${GROUP}/share`,
  /** On the Lease of a replica of the operator: what it waits for before it takes its slots; empty when it has them. */
  shareWaiting: `${GROUP}/share-waiting`,
  /** On the Lease of a replica of the operator, and on that of the leader: the format of what it says about how
   *  clusters are shared. Replicas of another format take no part beside it. */
  shareFormat: `${GROUP}/share-format`,
  /** On the Lease of a replica of the operator: its load, as of its last renewal. */
  load: `${GROUP}/load`,
  /** On the Lease of a replica of the operator: the state of the namespaces it manages, if their list can change. */
  namespaces: `${GROUP}/namespaces`,
  /** On the Lease of the leader: which of the replicas that share holds it. */
  sharedBy: `${GROUP}/shared-by`,
  /** On the Lease of the leader: which replica has which slots. */
  shares: `${GROUP}/shares`,
  /** On a volume claim without a node: when it was detached, RFC 3339. */
  detachedAt: `${GROUP}/detached-at`,
  /** On a volume claim without a node: when its member was last known to be Active, RFC 3339. */
  lastActiveAt: `${GROUP}/last-active-at`,
  /** On one volume claim of a cluster: the highest node id ever used, once the claim of that id is gone. */
  highestNodeId: `${GROUP}/highest-node-id`,
  /** On a MarekvsCluster: a reason, as free text; members start one by one although all were away for gcGraceSeconds.
   *  To be removed afterwards, because it applies to the next outage as well. */
  startAfterOutage: `${GROUP}/start-after-outage`,
  /** On a MarekvsCluster: the revision whose update may go on after its canaries. `kubectl mkv rollout approve` writes
   *  it. */
  rolloutApproved: `${GROUP}/rollout-approved`,
  /** On a MarekvsCluster: `true` keeps the next member from being restarted; the turn under way is finished. */
  rolloutPaused: `${GROUP}/rollout-paused`,
  /** On a MarekvsCluster: a new value lets a stopped update try again. `kubectl mkv rollout retry` writes it. */
  rolloutRetry: `${GROUP}/rollout-retry`,
  /** On a MarekvsCluster: the value of `spec.nodes` that is wanted although it was set before `spec.autoscale` was
   *  taken out, and the decision that it replaces (`acceptedSize`). `kubectl mkv scale` writes it. */
  acceptedNodes: `${GROUP}/accepted-nodes`,
  /** On a MarekvsNode: `<uid of its Pod>/<revision>/<operation>`, written with its template: this Pod may get the
   *  resources of this revision without being restarted. Whatever the result, the Pod may from then on differ from the
   *  template it was made from. */
  resize: `${GROUP}/resize`,
  /** On a MarekvsNode: `<secret>/<key>`, separated by commas: Secrets whose password its member may require by now,
   *  besides that of its template. Written before the member is given the password. */
  passwordSecrets: `${GROUP}/password-secrets`,
  /** On a MarekvsNode: `<uid of its Pod>/<revision on that Pod>/<revision>`, written with another Secret in its
   *  template: this Pod counts as one of the last revision, since its running member has that password already. */
  restampedPod: `${GROUP}/restamped-pod`,
  /** On a MarekvsNode: when spec.storage.autoGrow last raised the size of its volume, RFC 3339, written with that
   *  size. */
  volumeGrownAt: `${GROUP}/volume-grown-at`,
  /** On a Pod: the operation that has resized it, once its host reports that it has the resources asked for. */
  resized: `${GROUP}/resized`,
  /** On a Pod: hash of the template it was made from, or of the one it was resized to. */
  templateHash: `${GROUP}/template-hash`,
  /** On a Pod: the explicit gossip seeds it was started with, separated by commas. */
  seeds: `${GROUP}/seeds`,
  /** On one of the two CustomResourceDefinitions: `true` lets it be deleted, and with it all its objects, protected or
   *  not. */
  deleteKind: `${GROUP}/delete-kind`,
  /** On a MarekvsCluster: which StatefulSet's members it takes over. `kubectl mkv adopt` writes it. Without effect once
   *  the cluster is formed. */
  adopt: `${GROUP}/adopt`,
  /** On a MarekvsCluster: `<its uid>/<status.formed.at>`, its members are to be handed to a StatefulSet. `kubectl mkv
   *  release` writes it. Without effect once that is done, and for a cluster that was formed at another time. */
  release: `${GROUP}/release`,
  /** On a MarekvsNode that was made for a volume that was kept: the UID of its claim. The member starts on no other
   *  (docs/design/server.md#h2). */
  keptVolume: `${GROUP}/kept-volume`,
  /** On a MarekvsNode that was taken over from a StatefulSet: uid of the volume claim it came with. */
  adoptedVolume: `${GROUP}/adopted-volume`,
  /** On a MarekvsNode and a volume claim that were taken over: where a Pod of ours finds the data on the volume. */
  dataDir: `${GROUP}/data-dir`,
  /** On a MarekvsCluster: asks for a comparison of the members' contents; a new value asks again.
   *  `kubectl mkv verify` writes it. */
  verify: `${GROUP}/verify`,
  /** On a MarekvsCluster: `<time of the loss>/<when>/<who>`, the acknowledgement that data is lost. `kubectl mkv
   *  acknowledge` writes it. */
  acknowledgedLoss: `${GROUP}/acknowledged-loss`,
  /** On a Service, disruption budget or network policy: hash of what was last applied, to notice fields that are no
   *  longer wanted. */
  appliedHash: `${GROUP}/applied-hash`,
} as const;

export const FINALIZERS = {
  /** On a MarekvsNode: holds the object until its member has left safely. */
  memberSafeRemoval: `${GROUP}/member-safe-removal`,
} as const;

/** Label and annotation keys a user may not set through `podMetadata`: ours by prefix, and these. */
export const OWNED_LABEL_PREFIX = `${GROUP}/`;
export const OWNED_LABELS: readonly string[] = [
  LABELS.name,
  LABELS.instance,
  LABELS.component,
  LABELS.partOf,
  LABELS.managedBy,
];

export type Component = 'cluster' | 'member';
export type Labels = Readonly<Record<string, string>>;

/** Labels of the objects a cluster has once: Services, disruption budget, network policy. */
export function clusterLabels(cluster: string, clusterUid: string): Labels {
  return commonLabels(cluster, clusterUid, 'cluster');
}

/** Labels of a MarekvsNode, its Pod and its PVC. `serving` puts the Pod behind the client Service; give it for the
 *  Pod only (a label that is absent, not `false`, takes the Pod out). */
export function nodeLabels(cluster: string, clusterUid: string, nodeId: number, serving = false): Labels {
  return {
    ...commonLabels(cluster, clusterUid, 'member'),
    [LABELS.nodeId]: String(nodeId),
    ...(serving ? { [LABELS.serving]: 'true' } : {}),
  };
}

/** Matches everything of the cluster; the value of `status.selector` and the base of all its selectors. */
export function clusterSelector(cluster: string): Labels {
  return { [LABELS.managedBy]: MANAGED_BY, [LABELS.cluster]: cluster };
}

/** Matches the Pods clients may talk to. */
export function servingSelector(cluster: string): Labels {
  return { ...clusterSelector(cluster), [LABELS.serving]: 'true' };
}

/** A selector as `a=b,c=d`, keys in a fixed order: what the scale subresource and list calls take. */
export function selectorString(selector: Labels): string {
  return Object.keys(selector)
    .sort()
    .map((key) => `${key}=${selector[key]}`)
    .join(',');
}

function commonLabels(cluster: string, clusterUid: string, component: Component): Labels {
  return {
    [LABELS.name]: 'marekvs',
    [LABELS.instance]: cluster,
    [LABELS.component]: component,
    [LABELS.partOf]: 'marekvs',
    [LABELS.managedBy]: MANAGED_BY,
    [LABELS.cluster]: cluster,
    [LABELS.clusterUid]: clusterUid,
  };
}

/** Value of the annotation `marekvs.io/accepted-nodes`: `3/2026-01-01T00:00:00Z`. It applies only to the size that was
 *  decided at that time, so that a leftover annotation has no effect later. */
export function acceptedSize(nodes: number, since: string | undefined): string {
  return `${nodes}/${since ?? ''}`;
}
