// The client port: bytes between sockets and sessions. Open only while the member says so.

import net from 'node:net';
import type { RespSession, SessionPort } from '../member/resp-session.ts';

export interface RespPort {
  open(): void;
  close(): void;
}

export interface RespPortOptions {
  readonly host: string;
  readonly port: number;
  readonly openSession: (port: SessionPort) => Pick<RespSession, 'receive' | 'close'>;
  /** Runs before answers leave the process: what was acknowledged must be in the folder. */
  readonly beforeWrite: () => void;
  readonly onListening: () => void;
  readonly onError: (error: Error) => void;
}

export function createRespPort(options: RespPortOptions): RespPort {
  const sockets = new Set<net.Socket>();
  let server: net.Server | undefined;
  return {
    open() {
      if (server !== undefined) return;
      server = net.createServer((socket) => serve(socket, options, sockets));
      server.on('error', options.onError);
      server.on('listening', options.onListening);
      server.listen(options.port, options.host);
    },
    close() {
      server?.close();
      server = undefined;
      for (const socket of sockets) socket.destroy();
    },
  };
}

function serve(socket: net.Socket, options: RespPortOptions, sockets: Set<net.Socket>): void {
  sockets.add(socket);
  socket.setNoDelay(true);
  socket.setEncoding('latin1');
  let answers = '';
  let isReceiving = false;
  const send = () => {
    if (answers === '') return;
    options.beforeWrite();
    socket.write(answers, 'latin1');
    answers = '';
  };
  const session = options.openSession({
    write(bytes) {
      answers += bytes;
      if (!isReceiving) send();
    },
    close() {
      send();
      socket.end();
    },
  });
  socket.on('data', (chunk: string) => {
    isReceiving = true;
    session.receive(chunk);
    isReceiving = false;
    send();
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    sockets.delete(socket);
    session.close();
  });
}
