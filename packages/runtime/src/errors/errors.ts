// What can go wrong between us and the API server, as types: an answer that says no (ApiError), no answer at all
// (TransportError), and no way to start (ConfigError). Whether to wait, retry or report is the caller's decision.

import { EXIT_CODE, ExitError } from './exit-codes.ts';

/** What was tried, as the API server names it (the verbs of RBAC and of the audit log). */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** A cause inside `status.details.causes`: which field, and what is wrong with it. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** The body of every negative answer (`kind: Status`), as far as we read it. */
export interface Status {
  readonly kind?: 'Status';
  readonly apiVersion?: 'v1';
  readonly metadata?: { readonly resourceVersion?: string };
  readonly status?: 'Success' | 'Failure';
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly name?: string;
    readonly uid?: string;
    readonly kind?: string;
    readonly group?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly StatusCause[];
  };
}

interface ApiErrorFields {
  readonly verb: Verb;
  /** What the request was about: `pods default/demo-0`. */
  readonly subject: string;
  readonly path: string;
  readonly status: number;
  readonly reason: string;
  readonly detail?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly causes?: readonly StatusCause[] | undefined;
}

/** The API server answered, and the answer is no. Message: `create pods default/demo-0: 409 AlreadyExists: …`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status, or the `code` of an in-band ERROR event of a watch. */
  readonly status: number;
  /** Machine-readable reason such as `NotFound`; the empty string when the answer was no Status object. */
  readonly reason: string;
  /** How long the server asks us to stay away. Undefined when it did not say. */
  readonly retryAfterSeconds: number | undefined;
  readonly verb: Verb;
  readonly path: string;
  readonly causes: readonly StatusCause[];

  constructor(fields: ApiErrorFields) {
    const detail = fields.detail === undefined ? '' : `: ${fields.detail}`;
    super(`${fields.verb} ${fields.subject}: ${fields.status} ${fields.reason}`.trimEnd() + detail);
    this.status = fields.status;
    this.reason = fields.reason;
    this.retryAfterSeconds = fields.retryAfterSeconds;
    this.verb = fields.verb;
    this.path = fields.path;
    this.causes = fields.causes ?? [];
  }
}

/** How far a request got before the answer was lost. */
export type TransportPhase = 'connect' | 'reset' | 'timeout' | 'truncated' | 'too-large' | 'credentials' | 'closed';

/** No (complete) answer: connection refused or reset, time limit, an answer cut short. Keeps the `cause`. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly phase: TransportPhase;
  readonly verb: Verb;
  readonly path: string;
  /** False only when the request provably never reached the server. A write with `true` must be read back
   *  before it is repeated (F13). */
  readonly mayHaveBeenApplied: boolean;

  constructor(
    what: string,
    fields: { readonly verb: Verb; readonly path: string; readonly phase: TransportPhase; readonly cause?: unknown },
  ) {
    super(what, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.phase = fields.phase;
    this.verb = fields.verb;
    this.path = fields.path;
    this.mayHaveBeenApplied = fields.phase !== 'connect' && fields.phase !== 'credentials';
  }
}

/** There is no usable way to an API server: no kubeconfig, an unknown context, an unreadable certificate. The
 *  message is one clear line. */
export class ConfigError extends ExitError {
  override readonly name = 'ConfigError';
  constructor(message: string, options?: ErrorOptions) {
    super(EXIT_CODE.usage, message, options);
  }
}

function hasStatus(status: number): (e: unknown) => boolean {
  return (e) => e instanceof ApiError && e.status === status;
}

/** HTTP 404: no such object, or (for a whole kind) no such resource: its CRD is not installed. */
export const isNotFound = hasStatus(404);
/** HTTP 401: the credentials were refused even after they were loaded again. */
export const isUnauthorized = hasStatus(401);
/** HTTP 403: RBAC, admission or quota refused it. */
export const isForbidden = hasStatus(403);

/** The message of whatever was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** True for an error that may go away by itself: the API server cannot be reached, is overloaded, or has failed. */
export function isPassing(error: unknown): boolean {
  return (
    error instanceof TransportError || (error instanceof ApiError && (error.status >= 500 || error.status === 429))
  );
}

/** The object that was asked for, or undefined after a 404. Any other error is thrown. */
export async function ifFound<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** A precondition (uid, resourceVersion) or a field owner disagrees. Not AlreadyExists. HTTP 409; or the 422 about
 *  `metadata.uid` that answers a patch or apply of an object that was replaced by another of its name. */
export function isConflict(e: unknown): boolean {
  if (!(e instanceof ApiError)) return false;
  if (e.status === 422) return e.causes.some((cause) => cause.field === 'metadata.uid');
  return e.status === 409 && e.reason !== 'AlreadyExists';
}

/** HTTP 409 on a create: the name is taken. Read it and verify the owner. */
export function isAlreadyExists(e: unknown): boolean {
  return e instanceof ApiError && e.status === 409 && e.reason === 'AlreadyExists';
}

/** The resourceVersion or continue token is too old: HTTP 410, or the reason of an in-band event. */
export function isGone(e: unknown): boolean {
  return e instanceof ApiError && (e.status === 410 || e.reason === 'Expired' || e.reason === 'Gone');
}

/** The server says our resourceVersion lies in its future: its store was restored, or this replica lags behind. */
export function isResourceVersionTooLarge(e: unknown): boolean {
  return e instanceof ApiError && e.causes.some((c) => c.reason === 'ResourceVersionTooLarge');
}
