// Counts the requests of one user from the API server's audit log: the ground truth for the API budget
// (docs/design/runtime.md#measuring-requests). Each read goes on where the last one stopped; a line that is still being
// written waits for the next read.
import { open } from 'node:fs/promises';

export interface AuditFilter {
  /** The user name exactly as authenticated. */
  readonly user: string;
}

/** One kind of request and how often it was made. */
export interface AuditCount {
  readonly verb: string;
  /** `pods`, or `pods/status` for a subresource; the path for requests that are about no resource. */
  readonly resource: string;
  readonly code: number;
  readonly count: number;
}

export interface AuditRequest {
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  /** The user agent that the program sends. */
  readonly userAgent: string;
  /** Milliseconds since 1970, when the server received it. */
  readonly receivedAtMs: number;
}

export interface AuditSummary {
  readonly requests: readonly AuditRequest[];
  /** Largest first. */
  readonly counts: readonly AuditCount[];
  /** All requests; a watch counts once, when it starts. */
  readonly total: number;
  /** create, update, patch, delete, deletecollection that reached the store or were refused. */
  readonly writes: number;
  /** Neither watches nor leases: what an idle operator must not send. */
  readonly withoutWatchesAndLeases: number;
}

const WRITE_VERBS: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const CHUNK_BYTES = 4 * 1024 * 1024;

export interface AuditReader {
  /** What the user requested since the last call (the first: since the start of the file). */
  read(): Promise<AuditSummary>;
  /** Forgets what was written so far. */
  skip(): Promise<void>;
}

/** Follows one user's requests. Several readers of one file do not disturb each other. */
export function createAuditReader(path: string, filter: AuditFilter): AuditReader {
  let offset = 0;
  let rest: Buffer = Buffer.alloc(0);

  async function readNew(onLine: (line: string) => void): Promise<void> {
    const file = await open(path, 'r');
    try {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      for (;;) {
        const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, offset);
        if (bytesRead === 0) return;
        offset += bytesRead;
        rest = takeLines(Buffer.concat([rest, chunk.subarray(0, bytesRead)]), onLine);
      }
    } finally {
      await file.close();
    }
  }

  return {
    async read() {
      const requests: AuditRequest[] = [];
      // Parsing 100,000 lines of others only to drop them would take a second; a line of the user contains the name.
      const needle = JSON.stringify(filter.user);
      await readNew((line) => {
        if (!line.includes(needle)) return;
        const request = parseAuditLine(line, filter);
        if (request !== undefined) requests.push(request);
      });
      return summarize(requests);
    },
    skip: () => readNew(() => undefined),
  };
}

/** Calls back for each complete line and returns the bytes after the last one. */
function takeLines(data: Buffer, onLine: (line: string) => void): Buffer {
  let start = 0;
  for (let end = data.indexOf(10, start); end !== -1; end = data.indexOf(10, start)) {
    if (end > start) onLine(data.toString('utf8', start, end));
    start = end + 1;
  }
  return Buffer.from(data.subarray(start));
}

interface AuditEvent {
  readonly stage?: string;
  readonly verb?: string;
  readonly requestURI?: string;
  readonly user?: { readonly username?: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly userAgent?: string;
  readonly requestReceivedTimestamp?: string;
}

/** The request in a line; undefined when it is another user's, not a request's last line, or not JSON. */
export function parseAuditLine(line: string, filter: AuditFilter): AuditRequest | undefined {
  const event = parse(line);
  if (event === undefined || event.user?.username !== filter.user) return undefined;
  const verb = event.verb ?? '';
  // A watch is logged twice: when it starts and, minutes later, when it ends.
  const isCounted =
    verb === 'watch' ? event.stage === 'ResponseStarted' || isRefusal(event) : event.stage === 'ResponseComplete';
  if (!isCounted && event.stage !== 'Panic') return undefined;
  const { resource, subresource, namespace = '', name = '' } = event.objectRef ?? {};
  const path = (event.requestURI ?? '').split('?')[0] ?? '';
  return {
    verb,
    resource: resource === undefined ? path : subresource === undefined ? resource : `${resource}/${subresource}`,
    namespace,
    name,
    code: event.responseStatus?.code ?? 0,
    userAgent: event.userAgent ?? '',
    receivedAtMs: Date.parse(event.requestReceivedTimestamp ?? ''),
  };
}

/** A watch that never started has no ResponseStarted line. */
function isRefusal(event: AuditEvent): boolean {
  return event.stage === 'ResponseComplete' && (event.responseStatus?.code ?? 0) >= 300;
}

function parse(line: string): AuditEvent | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function summarize(requests: readonly AuditRequest[]): AuditSummary {
  const counts = new Map<string, AuditCount>();
  for (const { verb, resource, code } of requests) {
    const key = `${verb} ${resource} ${code}`;
    counts.set(key, { verb, resource, code, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return {
    requests,
    counts: [...counts.values()].sort((a, b) => b.count - a.count),
    total: requests.length,
    writes: requests.filter(isWrite).length,
    withoutWatchesAndLeases: requests.filter((one) => one.verb !== 'watch' && one.resource !== 'leases').length,
  };
}

/** Leases keep leadership and change nothing; the budget of docs/design/contract.md#api-budget does not count them. */
function isWrite(request: AuditRequest): boolean {
  return WRITE_VERBS.has(request.verb) && request.resource !== 'leases';
}
