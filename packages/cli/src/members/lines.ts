// Reads what is not JSON: logs, and metrics through the API server's Pod proxy. Line by line, bounded.

import { ApiError, type Transport, TransportError } from '@marekvs/runtime';
import type { Run } from '../connection/cli.ts';

export interface LineRequest {
  readonly path: string;
  readonly resource: string;
  readonly subject: string;
  readonly onLine: (line: string) => void;
  /** Ends the read after this time without a byte. */
  readonly idleMs: number;
  readonly signal?: AbortSignal;
}

export async function readLines(run: Run, request: LineRequest): Promise<void> {
  const { transport } = await run.connect();
  try {
    await stream(transport, run, request);
  } catch (error) {
    // What was read may be cut in the middle of a line.
    if (error instanceof TransportError && error.phase === 'truncated') return;
    throw error instanceof ApiError ? asGet(error, request) : error;
  }
}

function stream(transport: Transport, run: Run, request: LineRequest): Promise<void> {
  return transport.stream({
    path: request.path,
    resource: request.resource,
    subject: request.subject,
    idleTimeoutMs: request.idleMs,
    keepsEmptyLines: true,
    onLine: (line) => request.onLine(line.toString('utf8')),
    signal: request.signal ?? run.ports.signal,
  });
}

/** The transport reports every stream as a watch, but the permission that is missing here is `get`. */
function asGet({ status, reason, message, path }: ApiError, { subject }: LineRequest): ApiError {
  const detail = message.slice(
    message.indexOf(`${status} ${reason}`.trimEnd()) + `${status} ${reason}`.trimEnd().length + 2,
  );
  return new ApiError({ verb: 'get', subject, path, status, reason, detail: detail === '' ? undefined : detail });
}
