// HTTP like the real server: one request per connection, method ignored, Connection: close
// (docs/design/server.md#http). Written on top of net, because node:http alone would cost a tenth of a member's memory.

import type net from 'node:net';
import type { HttpAnswer } from '../member/http/http-answers.ts';
import { drip } from './hostile-port.ts';
import { type ListenOptions, listen, type OpenPort } from './listener.ts';

export interface HttpRequest {
  readonly target: string;
  readonly body: string;
}

export interface HttpPortOptions extends ListenOptions {
  /** Runs work of the member, when it runs. */
  readonly run: (work: () => void) => void;
  /** Undefined leaves the request unanswered until the client gives up. */
  readonly answer: (request: HttpRequest) => HttpAnswer | undefined;
  /** Whether the answers come byte by byte. */
  readonly isSlow?: () => boolean;
}

const readTimeoutMs = 5_000;
const maxHeadBytes = 4_096;
const maxBodyBytes = 65_536;
const reasons = { 200: 'OK', 404: 'Not Found', 500: 'Internal Server Error', 503: 'Service Unavailable' } as const;

/** Listens at once. */
export function openHttpPort(options: HttpPortOptions): OpenPort {
  return listen(options, (socket) => {
    socket.on('error', () => socket.destroy());
    options.run(() => serve(socket, options));
  });
}

function serve(socket: net.Socket, { run, answer, isSlow = () => false }: HttpPortOptions): void {
  let text = '';
  socket.setEncoding('latin1');
  socket.setTimeout(readTimeoutMs, () => socket.destroy());
  socket.on('data', (chunk: string) => {
    text += chunk;
    if (text.length > maxHeadBytes + maxBodyBytes) {
      socket.destroy();
      return;
    }
    const request = parseRequest(text);
    if (request === undefined) return;
    socket.removeAllListeners('data');
    run(() => {
      const reply = answer(request);
      if (reply === undefined) socket.setTimeout(0);
      else if (request.target === '/metrics' && isSlow()) drip(socket, formatAnswer(reply));
      else socket.end(formatAnswer(reply), 'latin1');
    });
  });
}

export function formatAnswer({ status, contentType, body }: HttpAnswer): string {
  return (
    `HTTP/1.1 ${status} ${reasons[status]}\r\nContent-Type: ${contentType}\r\n` +
    `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
  );
}

/** Undefined until head and announced body are complete. */
function parseRequest(text: string): HttpRequest | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = text.slice(0, headEnd);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  const body = text.slice(headEnd + 4);
  if (body.length < Math.min(length, maxBodyBytes)) return undefined;
  return { target: head.split(' ', 2)[1] ?? '/', body };
}
