// The part of Kubernetes object metadata this suite reads. Not a schema: the API server owns it.

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  /** RFC 3339. */
  readonly creationTimestamp: string;
  /** RFC 3339; present = deletion was asked for and finalizers hold the object. */
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

/** The owner that controls the object, if any. Of which cluster a node is: ownership.ts. */
export function controllerOf(metadata: Pick<ObjectMeta, 'ownerReferences'>): OwnerReference | undefined {
  return metadata.ownerReferences?.find((owner) => owner.controller === true);
}
