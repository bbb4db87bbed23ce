// Requests and streams to one API server over two pools of HTTP/1.1 connections. Knows HTTP, time limits, credentials and 429;
// knows nothing of kinds (client.ts) or of watch events (reflector.ts).
import type { Clock } from './clock.ts';
import type { Verb } from './errors.ts';
import type { ClusterAccess } from './kube-config.ts';

export interface ApiRequest {
  readonly verb: Verb;
  /** With the query: `/api/v1/namespaces/default/pods?limit=500`. */
  readonly path: string;
  /** For metrics, bounded: `pods`, `marekvsnodes.marekvs.io/status`. */
  readonly resource: string;
  /** For messages: `pods default/demo-0`. */
  readonly subject: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string | undefined;
  /** Limit for one attempt, default 30,000. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface StreamRequest {
  readonly path: string;
  readonly resource: string;
  readonly subject: string;
  /** One line without its line feed, valid only during the call. What it throws ends the stream and is rethrown. */
  readonly onLine: (line: Buffer) => void;
  /** The server accepted the stream (2xx). */
  readonly onOpen?: (() => void) | undefined;
  /** No byte for so long ends the stream; default 90,000 (the server sends a bookmark about once a minute). */
  readonly idleTimeoutMs?: number | undefined;
  readonly signal: AbortSignal;
}

export interface Transport {
  /** Parsed JSON of a 2xx answer. A 429 (for reads also 503) with Retry-After is waited out and repeated a bounded number of times; a 401 reloads the
   *  credentials once; a read whose connection was reset is repeated once. A write whose answer was lost is never repeated.
   *  @throws ApiError the server said no; TransportError no answer; the signal's reason when aborted */
  request<T>(req: ApiRequest): Promise<T>;
  /** Resolves at a clean end. Yields to the event loop after about 5 ms of lines.
   *  @throws ApiError, TransportError, what onLine threw, the signal's reason when aborted */
  stream(req: StreamRequest): Promise<void>;
  /** Ends everything under way. Idempotent. */
  close(): Promise<void>;
}

export interface RequestInfo {
  readonly verb: Verb;
  readonly resource: string;
  /** HTTP status, or `error` when there was no answer. */
  readonly code: string;
  /** Until the answer was read; for a stream until it was accepted. */
  readonly seconds: number;
}

export interface TransportOptions {
  readonly userAgent: string;
  readonly onRequest?: ((info: RequestInfo) => void) | undefined;
  readonly clock?: Clock | undefined;
  /** 0 <= random() < 1. */
  readonly random?: (() => number) | undefined;
  /** Connections for requests, default 12. */
  readonly connections?: number | undefined;
  /** Default for `ApiRequest.timeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /** Default for `StreamRequest.idleTimeoutMs`. */
  readonly idleTimeoutMs?: number | undefined;
  /** How often one request waits out a Retry-After, default 3; 0 for lease traffic. */
  readonly throttleRetries?: number | undefined;
  /** A longer Retry-After is the caller's to wait for, default 10. */
  readonly maxRetryAfterSeconds?: number | undefined;
  /** Default 64 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** Default 8 MiB. */
  readonly maxLineBytes?: number | undefined;
}

export function createTransport(_access: ClusterAccess, _opts: TransportOptions): Transport {
  throw new Error('not yet');
}
