// The Kubernetes objects of the local kubelet: the types of kubernetes-models with what a stored object always has.
import type { IObjectMeta } from 'kubernetes-models/apimachinery/pkg/apis/meta/v1';
import type { IContainer, INode, IPersistentVolumeClaim, IPod, IPodSpec, IService } from 'kubernetes-models/v1';

export type { IContainer as Container } from 'kubernetes-models/v1';

export interface StoredMeta extends IObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

export type Stored<T> = T & { readonly metadata: StoredMeta };
export type Pod = Stored<IPod> & { readonly spec: IPodSpec };
export type Claim = Stored<IPersistentVolumeClaim>;
export type Service = Stored<IService>;
export type Node = Stored<INode>;

/** `namespace/name`. */
export function keyOf(object: { readonly metadata: { readonly namespace: string; readonly name: string } }): string {
  return `${object.metadata.namespace}/${object.metadata.name}`;
}

export function mainContainer(pod: Pod): IContainer | undefined {
  return pod.spec.containers[0];
}
