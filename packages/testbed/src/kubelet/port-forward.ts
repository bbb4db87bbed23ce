// What a kubelet does for `kubectl port-forward`: for each connection there are two streams, one for its
// bytes and one for why it failed.
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type SpdyStream, serveSpdy } from './spdy.ts';

const PROTOCOL = 'portforward.k8s.io';
/** Answer of an HTTP server that goes on in another protocol. */
const SWITCHED = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${PROTOCOL}\r\n\r\n`;

/** Forwards connections to an address until the client goes. */
export async function servePortForward(connection: Duplex, address: string): Promise<void> {
  const halves = new Map<string, { error?: SpdyStream; data?: SpdyStream }>();
  const sockets = new Set<Socket>();
  connection.write(SWITCHED);
  try {
    await serveSpdy(connection, (stream) => {
      const { streamtype, port = '', requestid = '' } = stream.headers;
      const pair = halves.get(requestid) ?? {};
      halves.set(requestid, pair);
      if (streamtype === 'error') pair.error = stream;
      else pair.data = stream;
      if (pair.error === undefined || pair.data === undefined) return;
      halves.delete(requestid);
      const socket = connect({ host: address, port: Number(port), allowHalfOpen: true });
      sockets.add(socket);
      void forward(socket, pair.data, pair.error).finally(() => sockets.delete(socket));
    });
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** Resolves when both directions have ended. */
async function forward(socket: Socket, data: SpdyStream, error: SpdyStream): Promise<void> {
  try {
    await Promise.all([copyIn(data, socket), copyOut(socket, data)]);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    await error.send(Buffer.from(`error forwarding port: ${why}`));
    await data.end();
  } finally {
    await error.end();
    socket.destroy();
  }
}

async function copyIn(data: SpdyStream, socket: Socket): Promise<void> {
  for await (const chunk of data.input)
    await new Promise<void>((resolve, reject) => socket.write(chunk, (error) => (error ? reject(error) : resolve())));
  socket.end();
}

async function copyOut(socket: Socket, data: SpdyStream): Promise<void> {
  for await (const chunk of socket) await data.send(chunk);
  await data.end();
}
