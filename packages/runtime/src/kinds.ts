// The kinds we talk about: where they live in the API, and the TypeScript type their objects have.
// Types come from kubernetes-models (types only: nothing of it is loaded). Custom resources are defined
// by their owners with defineKind.

import type { ICustomResourceDefinition } from 'kubernetes-models/apiextensions.k8s.io/v1/CustomResourceDefinition';
import type { IControllerRevision } from 'kubernetes-models/apps/v1/ControllerRevision';
import type { IStatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import type { ILease } from 'kubernetes-models/coordination.k8s.io/v1/Lease';
import type { IEvent } from 'kubernetes-models/events.k8s.io/v1/Event';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import type { INamespace } from 'kubernetes-models/v1/Namespace';
import type { INode } from 'kubernetes-models/v1/Node';
import type { IPersistentVolume } from 'kubernetes-models/v1/PersistentVolume';
import type { IPersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import type { IPod } from 'kubernetes-models/v1/Pod';
import type { ISecret } from 'kubernetes-models/v1/Secret';
import type { IService } from 'kubernetes-models/v1/Service';

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  name?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  generateName?: string;
  labels?: { readonly [key: string]: string };
  annotations?: { readonly [key: string]: string };
  finalizers?: readonly string[];
  ownerReferences?: readonly OwnerReference[];
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
}

export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

/** An object as the API server returns it: it has an identity and a version. */
export type Stored<T extends KubeObject> = T & {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
};

/** Where objects of type T live in the API. `group` is empty for the core group. */
export interface Kind<T extends KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Never present at run time; it makes T inferable from a Kind value. */
  readonly objectType?: T;
}

/** A kind of our own, or one this file does not list. */
export function defineKind<T extends KubeObject>(k: {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}): Kind<T> {
  return Object.freeze({ ...k });
}

/** A kubernetes-models interface as a KubeObject: metadata is always there, apiVersion and kind may be left to the
 *  Kind. */
type Model<I> = Omit<I, 'metadata' | 'apiVersion' | 'kind'> & KubeObject;

export type Pod = Model<IPod>;
export type PersistentVolume = Model<IPersistentVolume>;
export type PersistentVolumeClaim = Model<IPersistentVolumeClaim>;
export type Service = Model<IService>;
export type Secret = Model<ISecret>;
export type ConfigMap = Model<IConfigMap>;
export type Namespace = Model<INamespace>;
export type Node = Model<INode>;
export type ControllerRevision = Model<IControllerRevision>;
export type StatefulSet = Model<IStatefulSet>;
export type HorizontalPodAutoscaler = Model<IHorizontalPodAutoscaler>;
export type PodDisruptionBudget = Model<IPodDisruptionBudget>;
export type NetworkPolicy = Model<INetworkPolicy>;
export type Lease = Model<ILease>;
export type Event = Model<IEvent>;
export type CustomResourceDefinition = Model<ICustomResourceDefinition>;

const builtin = <T extends KubeObject>(group: string, kind: string, plural: string, namespaced = true): Kind<T> =>
  defineKind<T>({ group, version: 'v1', kind, plural, namespaced });

export const pods: Kind<Pod> = builtin('', 'Pod', 'pods');
export const persistentVolumeClaims: Kind<PersistentVolumeClaim> = builtin(
  '',
  'PersistentVolumeClaim',
  'persistentvolumeclaims',
);
export const persistentVolumes: Kind<PersistentVolume> = builtin('', 'PersistentVolume', 'persistentvolumes', false);
export const services: Kind<Service> = builtin('', 'Service', 'services');
export const secrets: Kind<Secret> = builtin('', 'Secret', 'secrets');
export const configMaps: Kind<ConfigMap> = builtin('', 'ConfigMap', 'configmaps');
export const namespaces: Kind<Namespace> = builtin('', 'Namespace', 'namespaces', false);
export const nodes: Kind<Node> = builtin('', 'Node', 'nodes', false);
export const controllerRevisions: Kind<ControllerRevision> = builtin(
  'apps',
  'ControllerRevision',
  'controllerrevisions',
);
export const statefulSets: Kind<StatefulSet> = builtin('apps', 'StatefulSet', 'statefulsets');
export const horizontalPodAutoscalers: Kind<HorizontalPodAutoscaler> = defineKind({
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  namespaced: true,
});
export const podDisruptionBudgets: Kind<PodDisruptionBudget> = builtin(
  'policy',
  'PodDisruptionBudget',
  'poddisruptionbudgets',
);
export const networkPolicies: Kind<NetworkPolicy> = builtin('networking.k8s.io', 'NetworkPolicy', 'networkpolicies');
export const leases: Kind<Lease> = builtin('coordination.k8s.io', 'Lease', 'leases');
export const events: Kind<Event> = builtin('events.k8s.io', 'Event', 'events');

/** `v1`, `marekvs.io/v1alpha1`. */
export function apiVersionOf(kind: Kind<KubeObject>): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
}

/** `pods`, `marekvsnodes.marekvs.io`: how kubectl and metrics name it. */
export function resourceOf(kind: Kind<KubeObject>): string {
  return kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;
}

/** The key of an object in a store and in a queue: `namespace/name`, or `name` for cluster scope. */
export function keyOf(o: { readonly namespace?: string | undefined; readonly name: string }): string {
  return o.namespace === undefined || o.namespace === '' ? o.name : `${o.namespace}/${o.name}`;
}

/** The namespace in such a key; empty for cluster scope. */
export function namespaceOf(key: string): string {
  const slash = key.indexOf('/');
  return slash < 0 ? '' : key.slice(0, slash);
}
