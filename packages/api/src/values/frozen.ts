// Types of data that must not be changed in place.

/** Every property is readonly at every depth. Lists keep their mutable type, so that a part of a spec is assignable to
 *  the Kubernetes types; they must not be changed either. */
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
