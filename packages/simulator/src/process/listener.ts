// A listener and its connections, closed together as when a process ends.

import net from 'node:net';

export interface OpenPort {
  /** Connections are cut as well. */
  close(): void;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly onError: (error: Error) => void;
  readonly onListening?: () => void;
}

/** Listens at once; `onError` gets a failed bind. */
export function listen(options: ListenOptions, accept: (socket: net.Socket) => void): OpenPort {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    accept(socket);
  });
  server.on('error', options.onError);
  if (options.onListening !== undefined) server.on('listening', options.onListening);
  server.listen(options.port, options.host);
  return {
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
