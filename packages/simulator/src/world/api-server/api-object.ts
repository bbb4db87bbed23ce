// What the API server in memory stores, and its refusals. Stored objects are immutable: a write makes a new one.

export interface ApiOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

export interface ApiMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  /** A whole number as text, from one sequence for all kinds. */
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly ApiOwner[];
}

export type Json = Readonly<Record<string, unknown>>;

export interface ApiObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ApiMeta;
  readonly spec?: Json;
  readonly status?: Json;
  /** Of a ControllerRevision. */
  readonly data?: object;
}

/** What a client sends: everything may be missing or wrong. */
export interface ApiInput {
  readonly metadata?: Partial<ApiMeta>;
  readonly spec?: Json;
  readonly status?: Json;
}

export interface ApiStatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** A refusal of the API server; a Status object on the wire. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  /** HTTP status. */
  readonly code: number;
  readonly reason: string;
  readonly causes: readonly ApiStatusCause[];

  constructor(code: number, reason: string, message: string, causes: readonly ApiStatusCause[] = []) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.causes = causes;
  }
}

export interface ApiRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** `default/demo-0`, or the name alone for cluster scope. */
export function apiKey(ref: ApiRef): string {
  return ref.namespace === undefined || ref.namespace === '' ? ref.name : `${ref.namespace}/${ref.name}`;
}
