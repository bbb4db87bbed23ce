// One small HTTPS client for the testbed's own requests: a path in, JSON out, over kept connections.
// Watching is the runtime's reflector; the operator under test never uses this file.
import { Agent, request } from 'node:https';
import { TestbedError } from '../errors.ts';

export interface ApiCredentials {
  /** https://host:port */
  readonly server: string;
  readonly caPem: string;
  readonly certPem: string;
  readonly keyPem: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** Default application/json; a PATCH must say which kind. */
  readonly contentType?: string;
  /** Default 10 s. */
  readonly timeoutMs?: number;
}

export interface ApiClient {
  /** The answer whatever its status. @throws TestbedError without an answer in time */
  send(request: ApiRequest): Promise<ApiAnswer>;
  /** The body of a 2xx answer. @throws ApiStatusError for any other */
  call(request: ApiRequest): Promise<unknown>;
  close(): void;
}

/** The API server refused. */
export class ApiStatusError extends TestbedError {
  readonly status: number;
  readonly reason: string;

  constructor(what: ApiRequest, answer: ApiAnswer) {
    super(`${what.method} ${what.path}: ${answer.status} ${field(answer.body, 'message')}`);
    this.status = answer.status;
    this.reason = field(answer.body, 'reason');
  }
}

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export function createApiClient(credentials: ApiCredentials, maxSockets = 16): ApiClient {
  const agent = new Agent({ keepAlive: true, maxSockets, scheduling: 'lifo' });
  const tls = { ca: credentials.caPem, cert: credentials.certPem, key: credentials.keyPem };

  function send(what: ApiRequest): Promise<ApiAnswer> {
    const payload = what.body === undefined ? undefined : Buffer.from(JSON.stringify(what.body));
    return new Promise((resolve, reject) => {
      const fail = (cause: unknown): void => {
        reject(new TestbedError(`${what.method} ${what.path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause }));
      };
      const outgoing = request(
        new URL(what.path, credentials.server),
        {
          agent,
          ...tls,
          method: what.method,
          signal: AbortSignal.timeout(what.timeoutMs ?? 10_000),
          headers: {
            accept: 'application/json',
            ...(payload === undefined
              ? {}
              : { 'content-type': what.contentType ?? 'application/json', 'content-length': String(payload.length) }),
          },
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          let size = 0;
          incoming.on('data', (chunk: Buffer) => {
            size += chunk.length;
            if (size > MAX_ANSWER_BYTES) incoming.destroy(new Error(`answer larger than ${MAX_ANSWER_BYTES} bytes`));
            else chunks.push(chunk);
          });
          incoming.once('error', fail);
          incoming.once('end', () => resolve({ status: incoming.statusCode ?? 0, body: parse(Buffer.concat(chunks).toString('utf8')) }));
        },
      );
      outgoing.once('error', fail);
      outgoing.end(payload);
    });
  }

  return {
    send,
    async call(what) {
      const answer = await send(what);
      if (answer.status < 200 || answer.status > 299) throw new ApiStatusError(what, answer);
      return answer.body;
    },
    close: () => agent.destroy(),
  };
}

/** /readyz and refusals before authentication answer with plain text: kept as a string. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function field(body: unknown, name: string): string {
  if (typeof body === 'string') return name === 'message' ? body.slice(0, 300) : '';
  if (typeof body !== 'object' || body === null) return '';
  const value: unknown = Object.entries(body).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : '';
}
