// Maps errors of connections and answers of the API server to our own error types. Never carries headers or bodies of
// requests.
import { ApiError, errorText, type Status, TransportError, type TransportPhase, type Verb } from '../errors/errors.ts';
import { LineTooLongError } from './lines.ts';
import type { PoolErrorCode } from './pool.ts';

/** What an error message names. */
export interface Attempted {
  readonly verb: Verb;
  readonly path: string;
  readonly subject: string;
}

/** Messages of the server are cut to this length. */
const MAX_DETAIL_CHARS = 2_000;

/** The error for an answer outside 2xx. The body is a Status object, or whatever a proxy sends. */
export function toApiError(
  what: Attempted,
  code: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: string,
): ApiError {
  const status = parseStatus(body);
  return new ApiError({
    verb: what.verb,
    subject: what.subject,
    path: what.path,
    status: code,
    reason: status?.reason ?? '',
    detail: (status?.message ?? body.trim()).slice(0, MAX_DETAIL_CHARS) || undefined,
    retryAfterSeconds: parseRetryAfter(headers['retry-after']) ?? status?.details?.retryAfterSeconds,
    causes: status?.details?.causes,
  });
}

/** The error for a Status that came as the object of an in-band ERROR event. */
export function statusToApiError(what: Attempted, status: Status): ApiError {
  return new ApiError({
    verb: what.verb,
    subject: what.subject,
    path: what.path,
    status: status.code ?? 500,
    reason: status.reason ?? '',
    detail: status.message?.slice(0, MAX_DETAIL_CHARS),
    retryAfterSeconds: status.details?.retryAfterSeconds,
    causes: status.details?.causes,
  });
}

/** The error for an answer that is missing or incomplete. */
export function toTransportError(what: Attempted, cause: unknown): TransportError {
  const phase = phaseOf(cause);
  const why = errorText(cause);
  return new TransportError(`${what.verb} ${what.subject}: ${PHASE_TEXTS[phase]}: ${why}`, {
    ...pick(what),
    phase,
    cause,
  });
}

export function timeoutError(what: Attempted, limitMs: number): TransportError {
  return new TransportError(`${what.verb} ${what.subject}: no answer within ${limitMs} ms`, {
    ...pick(what),
    phase: 'timeout',
  });
}

export function truncatedError(what: Attempted, cause?: unknown): TransportError {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return new TransportError(`${what.verb} ${what.subject}: answer cut short or not JSON${why}`, {
    ...pick(what),
    phase: 'truncated',
    cause,
  });
}

export function credentialsError(what: Attempted, cause: unknown): TransportError {
  return new TransportError(`${what.verb} ${what.subject}: credentials could not be loaded`, {
    ...pick(what),
    phase: 'credentials',
    cause,
  });
}

/** Whole seconds, or an HTTP date (which a proxy may send). */
function parseRetryAfter(header: string | string[] | undefined): number | undefined {
  const value = Array.isArray(header) ? header[0] : header;
  if (value === undefined) return undefined;
  if (/^\d{1,6}$/.test(value)) return Number(value);
  const leftMs = Date.parse(value) - Date.now();
  return Number.isNaN(leftMs) ? undefined : Math.max(0, Math.ceil(leftMs / 1000));
}

function parseStatus(body: string): Status | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Status) : undefined;
  } catch {
    return undefined;
  }
}

const pick = (what: Attempted): { verb: Verb; path: string } => ({ verb: what.verb, path: what.path });

const PHASE_TEXTS: Record<TransportPhase, string> = {
  connect: 'could not connect',
  reset: 'connection lost',
  timeout: 'no answer in time',
  truncated: 'answer cut short',
  'too-large': 'answer larger than the limit',
  credentials: 'no credentials',
  closed: 'the transport is closed',
};

const PHASES: Readonly<Record<string, TransportPhase>> = {
  ECONNREFUSED: 'connect',
  ENOTFOUND: 'connect',
  EAI_AGAIN: 'connect',
  EHOSTUNREACH: 'connect',
  ENETUNREACH: 'connect',
  EADDRNOTAVAIL: 'connect',
  POOL_CONNECT_TIMEOUT: 'connect',
  POOL_CLOSED: 'closed',
  POOL_ANSWER_TOO_LARGE: 'too-large',
} satisfies Readonly<Record<PoolErrorCode, TransportPhase>> & Readonly<Record<string, TransportPhase>>;

function phaseOf(cause: unknown): TransportPhase {
  if (cause instanceof LineTooLongError) return 'too-large';
  if (cause instanceof AggregateError && cause.errors.length > 0) return phaseOf(cause.errors[0]);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  // A refused certificate: the handshake failed before anything was sent.
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|UNABLE_TO|SELF_SIGNED)/.test(code)) return 'connect';
  return PHASES[code] ?? 'reset';
}
