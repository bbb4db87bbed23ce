// Reads and writes of single objects. Every write helper requires its precondition in its type, so that a late write bounces (F1-F3 of the write fences).
// Lists and watches that feed a cache are in reflector.ts.
import type { Status } from './errors.ts';
import type { Kind, KubeObject, ObjectMeta, Stored } from './kinds.ts';
import type { Transport } from './transport.ts';

export interface ObjectRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** The version a decision was made on. The server answers 409 when the object has moved on. */
export interface Precondition {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** A delete may leave the resourceVersion out when only the identity matters (a Pod, whose version its kubelet keeps changing). */
export interface DeletePrecondition {
  readonly uid: string;
  readonly resourceVersion?: string | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Limit for one attempt, default 30,000. */
  readonly timeoutMs?: number | undefined;
}

export interface ListOptions extends CallOptions {
  /** Undefined = all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan' | undefined;
}

/** `uid` makes it update-only: the server refuses instead of creating a successor by accident. */
export interface ApplyOptions extends CallOptions {
  readonly fieldManager: string;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
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

/** RFC 7386 merge patch: what is to change; null removes. */
export type MergePatch = { readonly [key: string]: unknown };

/** All reads are live (never from a cache). All calls throw ApiError or TransportError (errors.ts), or the signal's reason. */
export interface KubeClient {
  get<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef, opts?: CallOptions): Promise<Stored<T>>;
  /** Consistent, read in pages of 500. */
  list<T extends KubeObject>(
    kind: Kind<T>,
    opts?: ListOptions,
  ): Promise<{ items: Stored<T>[]; resourceVersion: string }>;
  create<T extends KubeObject>(kind: Kind<T>, object: NewObject<T>, opts?: CallOptions): Promise<Stored<T>>;
  update<T extends KubeObject>(kind: Kind<T>, object: Versioned<T>, opts?: CallOptions): Promise<Stored<T>>;
  updateStatus<T extends KubeObject>(kind: Kind<T>, object: Versioned<T>, opts?: CallOptions): Promise<Stored<T>>;
  patch<T extends KubeObject>(
    kind: Kind<T>,
    ref: ObjectRef,
    patch: MergePatch,
    precondition: Precondition,
    opts?: CallOptions,
  ): Promise<Stored<T>>;
  patchStatus<T extends KubeObject>(
    kind: Kind<T>,
    ref: ObjectRef,
    patch: MergePatch,
    precondition: Precondition,
    opts?: CallOptions,
  ): Promise<Stored<T>>;
  /** Server-side apply. */
  apply<T extends KubeObject>(kind: Kind<T>, object: NewObject<T>, opts: ApplyOptions): Promise<Stored<T>>;
  /** The object when it is only marked (finalizers, grace period), a Status when it is gone. Tell them apart with `isStatus`. */
  delete<T extends KubeObject>(
    kind: Kind<T>,
    ref: ObjectRef,
    precondition: DeletePrecondition,
    opts?: DeleteOptions,
  ): Promise<Stored<T> | Status>;
}

export interface ClientOptions {
  /** Default: the server's (`Warn`). */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore' | undefined;
}

export function createClient(_transport: Transport, _opts?: ClientOptions): KubeClient {
  throw new Error('not yet');
}

/** True when a delete's answer says that the object is gone. */
export function isStatus(answer: KubeObject | Status): answer is Status {
  return answer.kind === 'Status';
}
