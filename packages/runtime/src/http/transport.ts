// Requests and streams to one API server over two pools of HTTP/1.1 connections. Knows HTTP, time limits, credentials
// and 429; knows nothing of kinds (client.ts) or of watch events (reflector.ts).

import type { Credentials } from '../access/credentials.ts';
import type { ClusterAccess } from '../access/kube-config.ts';
import { ApiError, isUnauthorized, TransportError, type Verb } from '../errors/errors.ts';
import { unlessAborted } from '../time/aborted.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { callReader, ReaderError, readLines, readText } from './body.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import {
  type Attempted,
  credentialsError,
  timeoutError,
  toApiError,
  toTransportError,
  truncatedError,
} from './failures.ts';
import { METHODS } from './methods.ts';
import { createPoolHolder } from './pools.ts';

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
  /** One line without its line feed, valid only during the call. What it throws ends the stream and is rethrown. A
   *  stream that ends within a line counts as cut short. */
  readonly onLine: (line: Buffer) => void;
  /** @default empty lines are skipped: a server may send them to keep a watch alive */
  readonly keepsEmptyLines?: boolean | undefined;
  /** The server accepted the stream (2xx). */
  readonly onOpen?: (() => void) | undefined;
  /** Ends the stream after this time without data; default 90,000 (the server sends a bookmark about once a minute). */
  readonly idleTimeoutMs?: number | undefined;
  readonly signal: AbortSignal;
}

export interface Transport {
  /** Parsed JSON of a 2xx answer. A 429 (for reads also 503) with Retry-After is waited out and repeated a bounded
   *  number of times; a 401 reloads the credentials once; a read whose connection was reset is repeated once. A write
   *  whose answer was lost is never repeated.
   *  @throws ApiError the server refused; TransportError no answer; the signal's reason when aborted */
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
}

export interface TransportOptions {
  readonly userAgent: string;
  readonly onRequest?: ((info: RequestInfo) => void) | undefined;
  /** The server refused. Called synchronously for every attempt, must not throw. */
  readonly onRefused?: ((info: Pick<RequestInfo, 'verb' | 'resource'>, error: ApiError) => void) | undefined;
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
  /** Default 64 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** Default 8 MiB. */
  readonly maxLineBytes?: number | undefined;
}

/** Only the beginning of a refusal is read. */
const MAX_REFUSAL_BYTES = 1 << 20;

/** A longer Retry-After is left to the caller. */
const MAX_RETRY_AFTER_SECONDS = 10;

export function createTransport(access: ClusterAccess, opts: TransportOptions): Transport {
  const { clock = systemClock, random = Math.random, throttleRetries = 3 } = opts;
  const pools = createPoolHolder(access, {
    connections: opts.connections ?? 12,
    maxResponseBytes: opts.maxResponseBytes ?? 64 << 20,
  });
  const basePath = access.server.pathname.replace(/\/$/, '');

  /** One exchange from credentials to the last byte, with its time limit, its metric and its error types. */
  async function exchange<T>(
    what: Attempted & { readonly resource: string },
    limitMs: number,
    signal: AbortSignal | undefined,
    run: (credentials: Credentials, deadline: Deadline, answered: (code: number) => void) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const credentials = await loaded(what, access.credentials.get(), signal);
    const deadline = startDeadline(clock, limitMs, signal);
    let reported = false;
    const report = (code: string): void => {
      if (reported) return;
      reported = true;
      opts.onRequest?.({ verb: what.verb, resource: what.resource, code });
    };
    try {
      return await run(credentials, deadline, (code) => report(String(code)));
    } catch (error) {
      report('error');
      if (error instanceof ApiError) opts.onRefused?.({ verb: what.verb, resource: what.resource }, error);
      if (error instanceof ApiError || error instanceof TransportError || error instanceof ReaderError) throw error;
      if (deadline.expired) throw timeoutError(what, limitMs);
      if (signal?.aborted) throw signal.reason;
      throw toTransportError(what, error);
    } finally {
      deadline.end();
    }
  }

  function headersOf(credentials: Credentials, contentType: string | undefined): Record<string, string> {
    const headers: Record<string, string> = { accept: 'application/json', 'user-agent': opts.userAgent };
    if (credentials.authorization !== undefined) headers.authorization = credentials.authorization;
    if (contentType !== undefined) headers['content-type'] = contentType;
    return headers;
  }

  function attempt<T>(req: ApiRequest): Promise<T> {
    const limitMs = req.timeoutMs ?? opts.timeoutMs ?? 30_000;
    return exchange(req, limitMs, req.signal, async (credentials, deadline, answered) => {
      const hasBody = req.body !== undefined;
      const answer = await pools.of(credentials).requests.request({
        method: METHODS[req.verb],
        path: basePath + req.path,
        headers: headersOf(credentials, hasBody ? (req.contentType ?? 'application/json') : undefined),
        body: hasBody ? JSON.stringify(req.body) : undefined,
        signal: deadline.signal,
      });
      const text = await answer.body.text();
      answered(answer.statusCode);
      if (answer.statusCode >= 300) throw toApiError(req, answer.statusCode, answer.headers, text);
      try {
        return JSON.parse(text) as T;
      } catch (cause) {
        throw truncatedError(req, cause);
      }
    });
  }

  /** Milliseconds to wait before the request is repeated; undefined = it is not repeated. A 429 means that nothing was
   *  done, so a write may be repeated too. */
  function throttleWaitMs(req: ApiRequest, error: unknown, before: number): number | undefined {
    if (!(error instanceof ApiError) || error.retryAfterSeconds === undefined) return undefined;
    if (before >= throttleRetries || error.retryAfterSeconds > MAX_RETRY_AFTER_SECONDS) return undefined;
    const isRefused = error.status === 429 || (error.status === 503 && METHODS[req.verb] === 'GET');
    return isRefused ? retryAfterMs(error.retryAfterSeconds, random) : undefined;
  }

  return {
    async request<T>(req: ApiRequest): Promise<T> {
      let throttled = 0;
      let hasReloaded = false;
      let hasReconnected = false;
      for (;;) {
        try {
          return await attempt<T>(req);
        } catch (error) {
          const waitMs = throttleWaitMs(req, error, throttled);
          if (waitMs !== undefined) {
            throttled++;
            await clock.delay(waitMs, req.signal);
          } else if (isUnauthorized(error) && !hasReloaded) {
            hasReloaded = true;
            await loaded(req, access.credentials.refresh(), req.signal);
          } else if (isLostRead(req, error) && !hasReconnected) {
            hasReconnected = true;
          } else throw error;
        }
      }
    },

    async stream(req) {
      const what = { ...req, verb: 'watch' as const };
      const limitMs = req.idleTimeoutMs ?? opts.idleTimeoutMs ?? 90_000;
      const open = (): Promise<void> =>
        exchange(what, limitMs, req.signal, async (credentials, deadline, answered) => {
          const answer = await pools.of(credentials).watches.request({
            method: 'GET',
            path: basePath + req.path,
            headers: headersOf(credentials, undefined),
            signal: deadline.signal,
          });
          answered(answer.statusCode);
          if (answer.statusCode >= 300) {
            const refusal = await readText(answer.body, MAX_REFUSAL_BYTES);
            throw toApiError(what, answer.statusCode, answer.headers, refusal);
          }
          deadline.touch();
          callReader(req.onOpen);
          const { keepsEmptyLines = false } = req;
          const maxLineBytes = opts.maxLineBytes ?? 8 << 20;
          const limits = { clock, deadline, maxLineBytes, keepsEmptyLines };
          await readLines(answer.body, what, req.onLine, limits);
        });
      try {
        await open().catch(async (error: unknown) => {
          if (!isUnauthorized(error)) throw error;
          await loaded(what, access.credentials.refresh(), req.signal);
          await open();
        });
      } catch (error) {
        throw error instanceof ReaderError ? error.cause : error;
      }
    },

    async close() {
      pools.destroy();
    },
  };
}

/** Waits for credentials. @throws TransportError when they could not be loaded; the signal's reason after an abort */
async function loaded<T>(what: Attempted, loading: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await (signal === undefined ? loading : unlessAborted(loading, signal));
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason;
    throw credentialsError(what, cause);
  }
}

/** A read whose connection was reset, usually because it was idle and the server closed it: safe to repeat. */
function isLostRead(req: ApiRequest, error: unknown): boolean {
  return METHODS[req.verb] === 'GET' && error instanceof TransportError && error.phase === 'reset';
}

/** The time the server asks for plus up to a quarter, so that throttled clients do not all return at once. */
export function retryAfterMs(seconds: number, random: () => number): number {
  return Math.max(100, seconds * 1000) * (1 + 0.25 * random());
}
