// A member that a test controls, on a real socket of 127.0.0.1. It knows no protocol: bytes in, script out.

import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { mock } from 'node:test';
import type { MemberAddress } from '../../src/address.ts';
import { RespDecoder } from '../../src/resp-decoder.ts';
import type { RespValue } from '../../src/resp-value.ts';

/** Called once per connection, with the socket and the first bytes of the client. */
export type Script = (socket: Socket, request: Uint8Array) => void;

export interface ScriptedMember extends AsyncDisposable {
  readonly address: MemberAddress;
  /** First bytes of every connection, in order. */
  readonly requests: readonly string[];
  /** Connections opened so far, including silent ones. */
  readonly connections: () => number;
}

/** Both ports are the same one, because a test uses only one of them. */
export async function scriptedMember(script: Script): Promise<ScriptedMember> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}); // the client closes the connection on purpose in most of these tests
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', (bytes: Uint8Array) => {
      requests.push(new TextDecoder('latin1').decode(bytes));
      script(socket, bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('no port');
  return {
    address: { host: '127.0.0.1', respPort: bound.port, metricsPort: bound.port },
    requests,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const afterTurn = setTimeout;

/** Answers as if our own event loop had been blocked meanwhile, so that every time limit is over before a byte of the
 *  answer can be read. Needs the timers of `mock`. */
export function blocked(answer: () => void): void {
  // In a turn of the loop, timers come first, then what has arrived.
  afterTurn(() => {
    answer();
    mock.timers.tick(60_000);
  }, 0);
}

/** Answers every command of a RESP connection with what `answer` gives. */
export function respScript(answer: (command: readonly string[], socket: Socket) => Uint8Array | string): Script {
  return (socket, first) => {
    const decoder = new RespDecoder();
    const take = (bytes: Uint8Array): void => {
      decoder.push(bytes);
      for (let command = decoder.next(); command !== undefined; command = decoder.next()) {
        socket.write(answer(wordsOf(command), socket));
      }
    };
    socket.on('data', take);
    take(first);
  };
}

/** A command is an array of bulk strings, like some replies, so the same decoder reads it. */
function wordsOf(command: RespValue): readonly string[] {
  if (!Array.isArray(command)) throw new Error('no command');
  return command.map((part) => Buffer.from(part).toString());
}

/** An HTTP answer as the server writes it. */
export function httpAnswer(status: number, body: string, length = new TextEncoder().encode(body).length): string {
  return `HTTP/1.1 ${status} Whatever\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`;
}

/** A port of 127.0.0.1 on which nothing listens, because it was bound and closed a moment ago. */
export async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  server.close();
  await once(server, 'close');
  if (bound === null || typeof bound === 'string') throw new Error('no port');
  return bound.port;
}

/** The error with which the promise is rejected. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it did not fail');
}
