// The client port: passes bytes between sockets and sessions. Opened and closed by the member.

import type net from 'node:net';
import type { RespSession, SessionPort } from '../member/commands/resp-session.ts';
import { listen, type OpenPort } from './listener.ts';

export interface RespPort extends OpenPort {
  open(): void;
}

export interface RespPortOptions {
  readonly host: string;
  readonly port: number;
  /** Runs work of the member, when it runs. */
  readonly run: (work: () => void) => void;
  readonly openSession: (port: SessionPort) => Pick<RespSession, 'receive' | 'close'>;
  /** Runs before answers leave the process: what was acknowledged must be in the folder. */
  readonly beforeWrite: () => void;
  readonly onListening: () => void;
  readonly onError: (error: Error) => void;
}

export function createRespPort(options: RespPortOptions): RespPort {
  let port: OpenPort | undefined;
  return {
    open() {
      port ??= listen(options, (socket) => {
        socket.on('error', () => socket.destroy());
        options.run(() => serve(socket, options));
      });
    },
    close() {
      port?.close();
      port = undefined;
    },
  };
}

function serve(socket: net.Socket, options: RespPortOptions): void {
  const { run } = options;
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
  socket.on('data', (chunk: string) =>
    run(() => {
      isReceiving = true;
      session.receive(chunk);
      isReceiving = false;
      send();
    }),
  );
  socket.on('close', () => run(() => session.close()));
}
