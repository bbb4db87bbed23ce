// The kinds in use: where they live in the API, and the TypeScript type of their objects.
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

/** A kind of our own, or one this file does not list.
 *  @param apiVersion `v1`, `apps/v1`
 *  @param plural by default the kind in lower case, with an s */
export function defineKind<T extends KubeObject>(
  apiVersion: string,
  kind: string,
  { plural = `${kind.toLowerCase()}s`, namespaced = true }: Partial<Pick<Kind<T>, 'plural' | 'namespaced'>> = {},
): Kind<T> {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return Object.freeze({ group, version, kind, plural, namespaced });
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

export const pods = defineKind<Pod>('v1', 'Pod');
export const persistentVolumeClaims = defineKind<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim');
export const persistentVolumes = defineKind<PersistentVolume>('v1', 'PersistentVolume', { namespaced: false });
export const services = defineKind<Service>('v1', 'Service');
export const secrets = defineKind<Secret>('v1', 'Secret');
export const configMaps = defineKind<ConfigMap>('v1', 'ConfigMap');
export const namespaces = defineKind<Namespace>('v1', 'Namespace', { namespaced: false });
export const nodes = defineKind<Node>('v1', 'Node', { namespaced: false });
export const controllerRevisions = defineKind<ControllerRevision>('apps/v1', 'ControllerRevision');
export const statefulSets = defineKind<StatefulSet>('apps/v1', 'StatefulSet');
export const horizontalPodAutoscalers = defineKind<HorizontalPodAutoscaler>(
  'autoscaling/v2',
  'HorizontalPodAutoscaler',
);
export const podDisruptionBudgets = defineKind<PodDisruptionBudget>('policy/v1', 'PodDisruptionBudget');
export const networkPolicies = defineKind<NetworkPolicy>('networking.k8s.io/v1', 'NetworkPolicy', {
  plural: 'networkpolicies',
});
export const leases = defineKind<Lease>('coordination.k8s.io/v1', 'Lease');
export const events = defineKind<Event>('events.k8s.io/v1', 'Event');

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
