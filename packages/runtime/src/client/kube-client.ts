// Reads and writes of single objects, as the rest of the product sees them. Every write helper requires its
// precondition in its type, so that a late write is refused (W1 to W3 of docs/design/runtime.md#write-fences). Lists
// and watches that feed a cache are in reflector.ts.
import type { Status } from '../errors/errors.ts';
import type { Kind, KubeObject, ObjectMeta, Pod, Stored } from '../objects/kinds.ts';
import type { Selection } from './list-watch.ts';

export interface ObjectRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** The version a decision was made on. The server answers 409 when the object has moved on. */
export interface Precondition {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** A delete may leave the resourceVersion out when only the identity matters (a Pod, whose version
 *  its kubelet keeps changing). */
export interface DeletePrecondition {
  readonly uid: string;
  readonly resourceVersion?: string | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Limit for one attempt, default 30,000. */
  readonly timeoutMs?: number | undefined;
}

export interface WriteOptions extends CallOptions {
  /** The server validates the write, admission included, and stores nothing. */
  readonly dryRun?: boolean | undefined;
}

export interface ListOptions extends CallOptions, Selection {}

export interface DeleteOptions extends WriteOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan' | undefined;
}

/** `uid` makes it update-only: the server refuses instead of creating a successor by accident. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  /** Creates the object or fails with a 409; an existing object is never changed. Replaces uid and resourceVersion. */
  readonly onlyCreate?: boolean | undefined;
  /** Default false: a field of another manager is a 409. */
  readonly force?: boolean | undefined;
  /** `status` for the status subresource. */
  readonly subresource?: 'status' | undefined;
}

/** A name we chose: a lost answer is then harmless (409 AlreadyExists, read and verify the owner). */
export type NewObject<T extends KubeObject> = Omit<T, 'metadata'> & {
  readonly metadata: Omit<ObjectMeta, 'generateName'> & { readonly name: string; readonly generateName?: never };
};

/** An object that carries the identity and version it was read with. */
export type Versioned<T extends KubeObject> = T & { readonly metadata: { readonly name: string } & Precondition };

/** RFC 7386 merge patch: the fields to change; null removes a field. */
export type MergePatch = { readonly [key: string]: unknown };

/** New resources of one container; resources not named stay as they are. */
export interface ContainerResources {
  readonly name: string;
  readonly resources: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
}

/** All reads are live (never from a cache). All calls throw ApiError or TransportError (errors.ts), or the signal's
 *  reason. */
export interface KubeClient {
  get<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, opts?: CallOptions): Promise<Stored<T>>;
  /** Consistent, read in pages of 500. */
  list<T extends KubeObject>(
    kind: Kind<T>,
    opts?: ListOptions,
  ): Promise<{ items: Stored<T>[]; resourceVersion: string }>;
  create<T extends KubeObject>(kind: Kind<T>, object: NewObject<T>, opts?: WriteOptions): Promise<Stored<T>>;
  update<T extends KubeObject>(kind: Kind<T>, object: Versioned<T>, opts?: WriteOptions): Promise<Stored<T>>;
  updateStatus<T extends KubeObject>(kind: Kind<T>, object: Versioned<T>, opts?: WriteOptions): Promise<Stored<T>>;
  patch<T extends KubeObject>(
    kind: Kind<T>,
    ref: ObjectRef,
    patch: MergePatch,
    precondition: Precondition,
    opts?: WriteOptions,
  ): Promise<Stored<T>>;
  patchStatus<T extends KubeObject>(
    kind: Kind<T>,
    ref: ObjectRef,
    patch: MergePatch,
    precondition: Precondition,
    opts?: WriteOptions,
  ): Promise<Stored<T>>;
  /** Changes the resources of the named containers of a running Pod, and nothing else. */
  resizePod(
    ref: ObjectRef,
    containers: readonly ContainerResources[],
    precondition: Precondition,
    opts?: WriteOptions,
  ): Promise<Stored<Pod>>;
  /** Names of all resources of one group and version, subresources such as `pods/resize` included. */
  offered(of: { readonly group: string; readonly version: string }, opts?: CallOptions): Promise<readonly string[]>;
  /** Server-side apply. */
  apply<T extends KubeObject>(kind: Kind<T>, object: NewObject<T>, opts: ApplyOptions): Promise<Stored<T>>;
  /** Returns the object when it is only marked (finalizers, grace period), a Status when it is gone; see `isStatus`. */
  delete<T extends KubeObject>(
    kind: Kind<T>,
    ref: ObjectRef,
    precondition: DeletePrecondition,
    opts?: DeleteOptions,
  ): Promise<Stored<T> | Status>;
}

/** True when a delete's answer says that the object is gone. */
export function isStatus(answer: KubeObject | Status): answer is Status {
  return answer.kind === 'Status';
}
