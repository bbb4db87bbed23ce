// One small HTTPS client for the testbed's own requests, with the request half of the runtime's transport as its port.
// It stands on nothing that is under test: what measures the operator must not share its faults.
import { Agent, request } from 'node:https';
import { ApiError, type ApiRequest, type ClusterAccess, type Transport, TransportError } from '@marekvs/runtime';

export interface ApiCredentials {
  /** https://host:port */
  readonly server: string;
  readonly caPem: string;
  readonly certPem: string;
  readonly keyPem: string;
}

export interface ApiClient extends Pick<Transport, 'request'> {
  close(): void;
}

const METHODS: Readonly<Record<ApiRequest['verb'], string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
};
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const DEFAULT_TIMEOUT_MS = 10_000;

export function createApiClient(credentials: ApiCredentials, maxSockets = 16): ApiClient {
  const agent = new Agent({ keepAlive: true, maxSockets, scheduling: 'lifo' });
  const tls = { ca: credentials.caPem, cert: credentials.certPem, key: credentials.keyPem };

  function send(what: ApiRequest): Promise<{ readonly status: number; readonly text: string }> {
    const payload = what.body === undefined ? undefined : Buffer.from(JSON.stringify(what.body));
    const headers: Record<string, string> = { accept: 'application/json' };
    if (payload !== undefined) {
      headers['content-type'] = what.contentType ?? 'application/json';
      headers['content-length'] = String(payload.length);
    }
    const timeout = AbortSignal.timeout(what.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    const signal = what.signal === undefined ? timeout : AbortSignal.any([what.signal, timeout]);
    return new Promise((resolve, reject) => {
      const fail = (cause: unknown): void => {
        const message = `${what.verb} ${what.subject}: ${cause instanceof Error ? cause.message : String(cause)}`;
        reject(new TransportError(message, { verb: what.verb, path: what.path, phase: 'reset', cause }));
      };
      const options = { agent, ...tls, method: METHODS[what.verb], signal, headers };
      const outgoing = request(new URL(what.path, credentials.server), options, (incoming) => {
        const chunks: Buffer[] = [];
        let size = 0;
        incoming.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > MAX_ANSWER_BYTES) incoming.destroy(new Error(`answer larger than ${MAX_ANSWER_BYTES} bytes`));
          else chunks.push(chunk);
        });
        incoming.once('error', fail);
        incoming.once('end', () =>
          resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
      });
      outgoing.once('error', fail);
      outgoing.end(payload);
    });
  }

  return {
    async request<T>(what: ApiRequest): Promise<T> {
      const { status, text } = await send(what);
      if (status >= 200 && status <= 299) return JSON.parse(text);
      throw toApiError(what, status, text);
    },
    close: () => agent.destroy(),
  };
}

/** The same credentials for the runtime's transport and reflectors. */
export function toClusterAccess(credentials: ApiCredentials): ClusterAccess {
  const clientCertificate = { cert: credentials.certPem, key: credentials.keyPem };
  return {
    server: new URL(credentials.server),
    ca: credentials.caPem,
    credentials: {
      get: () => Promise.resolve({ authorization: undefined, clientCertificate }),
      refresh: () => Promise.resolve(),
    },
    namespace: 'default',
    describe: `testbed at ${credentials.server}`,
  };
}

function toApiError(what: ApiRequest, status: number, text: string): ApiError {
  const { reason = '', message = text.slice(0, 300) } = parseStatus(text);
  return new ApiError({ verb: what.verb, subject: what.subject, path: what.path, status, reason, detail: message });
}

function parseStatus(text: string): { readonly reason?: string; readonly message?: string } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
