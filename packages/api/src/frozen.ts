// Types of data nobody may change in place.

/** Every property is readonly at every depth. Lists keep their mutable type, so that a part of a spec can be handed to
 *  the Kubernetes types as it is; nobody writes to them either. */
export type Frozen<T> = T extends readonly (infer E)[]
  ? Frozen<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T;

/** As Frozen, and lists are readonly too. */
export type DeepReadonly<T> = T extends readonly (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;
