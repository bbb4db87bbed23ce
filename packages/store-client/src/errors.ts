// What can go wrong between us and a member. Everything this package throws on purpose is a StoreError, except
// RangeError for invalid arguments from our own code and the reason of an aborted signal.

/** Where and what was tried. Both are absent when pure parsing failed, which does not know who sent the bytes. */
export interface StoreErrorContext {
  /** `host:port` */
  readonly address?: string;
  /** What was tried, in a few words: `GET /ready`, `CLUSTER NODES`. Never a key, a value or a password. */
  readonly tried?: string;
  readonly cause?: unknown;
}

/** Base of all failures of this package. `message` is lower case: what was tried, on whom, what happened. */
export class StoreError extends Error {
  readonly address: string | undefined;
  readonly tried: string | undefined;
  /** What happened, without address and attempt. */
  readonly detail: string;

  constructor(detail: string, context: StoreErrorContext = {}) {
    const place = [context.tried, context.address && `on ${context.address}`].filter(Boolean).join(' ');
    super(place ? `${place}: ${detail}` : detail, context.cause === undefined ? {} : { cause: context.cause });
    this.name = new.target.name;
    this.detail = detail;
    this.address = context.address;
    this.tried = context.tried;
  }
}

export type UnreachableReason = 'refused' | 'timeout' | 'reset' | 'closed' | 'failed';

/** No complete answer in time: nothing listens or answers, or the connection broke. Says nothing about the member's
 *  data. */
export class StoreUnreachableError extends StoreError {
  readonly reason: UnreachableReason;

  constructor(reason: UnreachableReason, detail: string, context: StoreErrorContext = {}) {
    super(detail, context);
    this.reason = reason;
  }
}

/** The answer is not one a marekvs member gives: garbage, truncation, contradiction, an unexpected status or error
 *  reply. */
export class StoreProtocolError extends StoreError {}

/** The answer is larger than the caller allowed. Nothing of it is used. */
export class StoreTooLargeError extends StoreError {
  /** The limit that was passed, in bytes or, for collections, elements. */
  readonly limit: number;

  constructor(limit: number, detail: string, context: StoreErrorContext = {}) {
    super(detail, context);
    this.limit = limit;
  }
}

export type AuthProblem = 'wrongPassword' | 'passwordRequired';

/** The member refused our password, or wants one and none was given. Never contains the password. */
export class StoreAuthError extends StoreError {
  readonly problem: AuthProblem;

  constructor(problem: AuthProblem, context: StoreErrorContext = {}) {
    super(problem === 'wrongPassword' ? 'the member refused the password' : 'the member wants a password', context);
    this.problem = problem;
  }
}

/** The same failure with address and attempt filled in, for a transport that caught a parser's error. */
export function withContext(error: StoreError, context: StoreErrorContext): StoreError {
  if (error.address !== undefined) return error;
  const full = { ...context, cause: error };
  if (error instanceof StoreTooLargeError) return new StoreTooLargeError(error.limit, error.detail, full);
  if (error instanceof StoreUnreachableError) return new StoreUnreachableError(error.reason, error.detail, full);
  if (error instanceof StoreAuthError) return new StoreAuthError(error.problem, full);
  return new StoreProtocolError(error.detail, full);
}
