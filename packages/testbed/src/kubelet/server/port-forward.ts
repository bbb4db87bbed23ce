// What a kubelet does for `kubectl port-forward`: for each connection there are two streams, one for its
// bytes and one for why it failed.
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type SpdyStream, serveSpdy } from './spdy.ts';

const PROTOCOL = 'portforward.k8s.io';
/** Answer of an HTTP server that goes on in another protocol. */
const SWITCHED = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${PROTOCOL}\r\n\r\n`;

/** Forwards connections until the client goes, each to the first of the addresses where something listens. */
export async function servePortForward(connection: Duplex, addresses: readonly string[]): Promise<void> {
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
      const socket = dial(addresses, Number(port));
      sockets.add(socket);
      void forward(socket, pair.data, pair.error).finally(() => sockets.delete(socket));
    });
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** Tries one address after the other, as for a name that has several. */
function dial(addresses: readonly string[], port: number): Socket {
  return connect({
    host: 'pod',
    port,
    allowHalfOpen: true,
    autoSelectFamily: true,
    lookup: (_host, _options, found) =>
      found(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      ),
  });
}

/** Resolves when both directions have ended. */
async function forward(socket: Socket, data: SpdyStream, error: SpdyStream): Promise<void> {
  try {
    await Promise.all([copyIn(data, socket), copyOut(socket, data)]);
  } catch (cause) {
    await error.send(Buffer.from(`error forwarding port: ${reasonOf(cause)}`));
    await data.end();
  } finally {
    await error.end();
    socket.destroy();
  }
}

function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', ');
  return cause instanceof Error ? cause.message : String(cause);
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
