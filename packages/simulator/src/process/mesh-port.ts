// Mesh connections over TCP: one JSON frame per line. A frame that cannot be read closes the connection, as on the
// real server.

import net from 'node:net';
import type { MeshMessage } from '../member/messages.ts';
import { hostOf, portOf } from '../member/settings.ts';
import type { MeshLink } from '../member/world.ts';

export interface MeshEvents {
  opened(link: MeshLink): void;
  received(link: MeshLink, message: MeshMessage): void;
  closed(link: MeshLink): void;
}

const maxFrameChars = 32 * 1024 * 1024;
/** Unsent bytes beyond this mean a full writer queue: frames are dropped. */
const maxQueuedBytes = 64 * 1024 * 1024;
const dialTimeoutMs = 3_000;

export function openMeshPort(address: string, events: MeshEvents, onError: (error: Error) => void): net.Server {
  const server = net.createServer((socket) => {
    const link = attach(socket, socket.remoteAddress ?? '', events);
    events.opened(link);
  });
  server.on('error', onError);
  server.listen(portOf(address), hostOf(address));
  return server;
}

/** `localHost` makes the connection come from the member's own IP, so that peers can tell who dialled. */
export function dialMesh(
  to: string,
  localHost: string,
  events: MeshEvents,
  opened: (link: MeshLink | undefined) => void,
): void {
  const socket = net.connect({ host: hostOf(to), port: portOf(to), localAddress: localHost });
  let isSettled = false;
  const fail = () => {
    socket.destroy();
    if (!isSettled) opened(undefined);
    isSettled = true;
  };
  socket.setTimeout(dialTimeoutMs, fail);
  socket.once('error', fail);
  socket.once('connect', () => {
    isSettled = true;
    socket.setTimeout(0);
    socket.off('error', fail);
    opened(attach(socket, hostOf(to), events));
  });
}

function attach(socket: net.Socket, remoteHost: string, events: MeshEvents): MeshLink {
  const link: MeshLink = {
    remoteHost,
    send(message) {
      if (socket.destroyed || socket.writableLength > maxQueuedBytes) return false;
      socket.write(`${JSON.stringify(message)}\n`);
      return true;
    },
    close: () => socket.destroy(),
  };
  socket.setNoDelay(true);
  socket.setEncoding('utf8');
  let rest = '';
  socket.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxFrameChars) socket.destroy();
    for (const line of lines) {
      const message = parseFrame(line);
      if (message === undefined) socket.destroy();
      else if (!socket.destroyed) events.received(link, message);
    }
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => events.closed(link));
  return link;
}

function parseFrame(line: string): MeshMessage | undefined {
  try {
    const frame: unknown = JSON.parse(line);
    return isFrame(frame) ? frame : undefined;
  } catch {
    return undefined;
  }
}

/** Peers are simulators of this version; only the outer shape is checked. */
function isFrame(value: unknown): value is MeshMessage {
  return typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string';
}
