// The CLI over an API server in memory: what it wrote, and how it ended. A test can refuse requests and answer streams
// by their paths.

import { ApiError, type ApiRequest, createClient, type Transport } from '@marekvs/runtime';
import { answerRequest, type MemoryApiServer } from '@marekvs/simulator';
import type { PortForward } from '../../src/connection/ports.ts';
import { type CliPorts, type ExitCode, runCli } from '../../src/index.ts';

export interface FakeOptions {
  readonly server: MemoryApiServer;
  readonly nowMs: number;
  readonly namespace?: string;
  /** The refusal of a request, or undefined if it is allowed. */
  readonly refusal?: (
    request: Pick<ApiRequest, 'verb' | 'path'>,
  ) => { readonly code: number; readonly reason: string; readonly message: string } | undefined;
  /** The lines of a stream, by its path; undefined for 404. */
  readonly lines?: (path: string) => readonly string[] | undefined;
  /** Answers for resources that the API server in memory does not have. */
  readonly extra?: (request: ApiRequest) => unknown;
  readonly isTty?: boolean;
  /** Columns of the terminal; `none` for a pipe without COLUMNS. Default: 80 */
  readonly columns?: number | 'none';
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** A port forward to `namespace/name:port`. Default: there is no kubectl. */
  readonly forward?: (to: string) => PortForward;
  /** Answers over plain HTTP; undefined if nothing answers. */
  readonly http?: (url: string) => string | undefined;
  /** What a person types, in order; undefined if nobody can be asked. */
  readonly typed?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  /** Ctrl-C. */
  readonly signal?: AbortSignal;
  /** What happens around the command while it waits. Default: nothing. */
  readonly meanwhile?: (ms: number) => Promise<void>;
}

export interface FakeResult {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
  readonly written: ReadonlyMap<string, Uint8Array>;
  /** The writes in order, such as `patch marekvsclusters default/demo`. */
  readonly writes: readonly string[];
}

export async function runFake(argv: readonly string[], options: FakeOptions): Promise<FakeResult> {
  let { nowMs } = options;
  const out: string[] = [];
  const err: string[] = [];
  const writes: string[] = [];
  const written = new Map<string, Uint8Array>();
  const typed = [...(options.typed ?? [])];
  const transport = memoryTransport(options, writes);
  const stream = (into: string[]) => ({
    write: (text: string) => void into.push(text),
    isTty: options.isTty === true,
    columns: options.columns === 'none' ? undefined : (options.columns ?? 80),
    rows: options.rows,
  });
  const ports: CliPorts = {
    out: stream(out),
    err: stream(err),
    env: options.env ?? {},
    nowMs: () => nowMs,
    delay: async (ms) => {
      await options.meanwhile?.(ms);
      nowMs += ms;
    },
    connect: async () => ({
      client: createClient(transport),
      transport,
      namespace: options.namespace ?? 'default',
      close: async () => {},
    }),
    readFile: async (path) => options.files?.[path] ?? '',
    writeFile: async (path, bytes) => void written.set(path, bytes),
    forward: async (to) => (options.forward ?? unforwarded)(`${to.namespace}/${to.name}:${to.port}`),
    readHttp: async (url) => {
      const text = options.http?.(url);
      if (text === undefined) throw new Error(`${url} does not answer`);
      return text;
    },
    ask: options.typed === undefined ? undefined : async () => typed.shift() ?? '',
    signal: options.signal ?? new AbortController().signal,
  };
  const code = await runCli(argv, ports);
  return { code, out: out.join(''), err: err.join(''), written, writes };
}

/** Like a real API server: for a delete only the body counts. */
function isDryRun({ verb, path, body }: ApiRequest): boolean {
  if (verb !== 'delete') return path.includes('dryRun=All');
  return typeof body === 'object' && body !== null && 'dryRun' in body;
}

function unforwarded(): never {
  throw new Error('there is no kubectl in PATH');
}

function memoryTransport(options: FakeOptions, writes: string[]): Transport {
  return {
    async request<T>(request: ApiRequest): Promise<T> {
      const refused = options.refusal?.(request);
      if (refused !== undefined) throw apiError(request, refused.code, { ...refused });
      const isDry = isDryRun(request);
      if (request.verb !== 'get' && request.verb !== 'list')
        writes.push(`${isDry ? 'dry-run ' : ''}${request.verb} ${request.subject}`);
      const extra = options.extra?.(request);
      if (extra !== undefined) return extra as T;
      // Only that nothing is stored matters, except for a patch.
      const isLeftOut = isDry && request.verb !== 'patch';
      const { verb, path } = isLeftOut ? { verb: 'get' as const, path: request.path.split('?')[0] ?? '' } : request;
      if (verb === 'watch') throw new TypeError('a watch is a stream');
      const { code, text } = answerRequest(options.server, { ...request, verb, path });
      const body = JSON.parse(text);
      if (code >= 300) throw apiError(request, code, body);
      return body;
    },
    async stream({ path, subject, onLine, signal }) {
      const refused = options.refusal?.({ verb: 'watch', path });
      if (refused !== undefined) throw apiError({ verb: 'watch', subject, path }, refused.code, refused);
      const lines = options.lines?.(path);
      if (lines === undefined)
        throw apiError({ verb: 'watch', subject, path }, 404, { reason: 'NotFound', message: 'not found' });
      for (const line of lines) onLine(Buffer.from(line));
      // A watch does not end by itself.
      if (path.includes('watch=true')) await aborted(signal);
    },
    close: async () => {},
  };
}

async function aborted(signal: AbortSignal | undefined): Promise<never> {
  if (signal?.aborted !== true)
    await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
  throw signal?.reason;
}

function apiError(
  { verb, subject, path }: Pick<ApiRequest, 'verb' | 'subject' | 'path'>,
  status: number,
  body: { readonly reason?: string; readonly message?: string },
): ApiError {
  return new ApiError({ verb, subject, path, status, reason: body.reason ?? '', detail: body.message });
}

/** The answer to a question for the operator's leases: one that was renewed then. Undefined for any other question. */
export function leaseAnswer(path: string, renewedMs: number): object | undefined {
  if (!/\/leases(\?|$)/.test(path)) return undefined;
  const renewTime = new Date(renewedMs).toISOString();
  const spec = { holderIdentity: 'op_1_2', leaseDurationSeconds: 15, renewTime };
  return { metadata: {}, items: [{ metadata: { name: 'marekvs-operator' }, spec }] };
}
