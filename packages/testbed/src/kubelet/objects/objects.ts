// The objects of the local kubelet: the runtime's types with what a stored object always has.
import type {
  Identified,
  KubeObject,
  Node as NodeObject,
  PersistentVolumeClaim,
  Pod as PodObject,
  Service as ServiceObject,
} from '@marekvs/runtime';
import type { IContainer, IPodSpec } from 'kubernetes-models/v1';

export type Container = IContainer;

interface Identity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

export type Stored<T extends KubeObject> = T & { readonly metadata: Identity };
export type Pod = Stored<PodObject> & { readonly spec: IPodSpec };
export type Claim = Stored<PersistentVolumeClaim>;
export type Service = Stored<ServiceObject>;
export type Node = Stored<NodeObject>;

/** A cached object, whole: the kubelet needs nearly all of it and runs few. */
export interface Cached<T> extends Identified {
  readonly object: T;
}

/** For a reflector's `project`. Cluster-scoped objects get the namespace ''. */
export function keepWhole<T extends KubeObject>(object: T): Cached<Stored<T>> {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = object.metadata;
  return {
    name,
    namespace,
    uid,
    resourceVersion,
    object: { ...object, metadata: { ...object.metadata, name, namespace, uid, resourceVersion } },
  };
}

/** A Pod without a spec does not exist in an API server; the type of the models allows it. */
export function keepPod(object: PodObject): Cached<Pod> {
  const { object: stored, ...identity } = keepWhole(object);
  return { ...identity, object: { ...stored, spec: object.spec ?? { containers: [] } } };
}

export function objectsOf<T>(cached: Iterable<Cached<T>>): T[] {
  return Array.from(cached, (one) => one.object);
}

/** `namespace/name`. */
export function keyOf(object: { readonly metadata: { readonly namespace: string; readonly name: string } }): string {
  return `${object.metadata.namespace}/${object.metadata.name}`;
}

export function mainContainer(pod: Pod): Container | undefined {
  return pod.spec.containers[0];
}
