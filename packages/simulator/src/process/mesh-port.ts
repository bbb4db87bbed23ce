// Mesh connections over TCP, from other simulated members and from observers. A frame that cannot be read closes the
// connection, as on the real server.

import net from 'node:net';
import type { ContentAnswer, MeshMessage } from '../member/basics/messages.ts';
import type { MeshLink } from '../member/basics/world.ts';
import type { Hostility } from '../member/settings/hostility.ts';
import { hostOf, portOf } from '../member/settings/settings.ts';
import { floodWith, largestEntries } from './hostile-port.ts';
import { listen, type OpenPort } from './listener.ts';
import { helloLength, peerSpeech, type Speech, speechOf } from './mesh-speech.ts';
import { encodeHello } from './observer-frames.ts';

export interface MeshEvents {
  opened(link: MeshLink): void;
  received(link: MeshLink, message: MeshMessage): void;
  closed(link: MeshLink): void;
}

/** Unsent bytes beyond this mean a full writer queue: frames are dropped. */
const maxQueuedBytes = 64 * 1024 * 1024;
const dialTimeoutMs = 3_000;

export function openMeshPort(
  address: string,
  nodeId: number,
  events: MeshEvents,
  member: {
    readonly run: (work: () => void) => void;
    readonly onError: (error: Error) => void;
    readonly hostile: () => readonly Hostility[];
  },
): OpenPort {
  const { run, onError, hostile } = member;
  return listen({ host: hostOf(address), port: portOf(address), onError }, (socket) => {
    // Registered at once, so that a frozen member handles lost connections too.
    socket.on('error', () => socket.destroy());
    run(() => {
      // Sent first, since a client may wait for it before it sends anything.
      socket.write(encodeHello(nodeId), 'latin1');
      events.opened(attach(socket, socket.remoteAddress ?? '', events, undefined, hostile));
    });
  });
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
    opened(attach(socket, hostOf(to), events, peerSpeech()));
  });
}

/** @param known the protocol, when this side dialled; otherwise the first byte tells it */
function attach(
  socket: net.Socket,
  remoteHost: string,
  events: MeshEvents,
  known: Speech | undefined,
  hostile: () => readonly Hostility[] = () => [],
): MeshLink {
  let speech = known;
  let unsent: MeshMessage[] = [];
  const write = (message: MeshMessage, { encode, encoding }: Speech) => {
    if (message.kind === 'answered' && hostile().includes('largestFrames')) sendLargest(socket, message.answers);
    const text = encode(message);
    if (text !== '') socket.write(text, encoding);
  };
  const link: MeshLink = {
    remoteHost,
    send(message) {
      if (socket.destroyed || socket.writableLength > maxQueuedBytes) return false;
      if (speech === undefined) unsent.push(message);
      else write(message, speech);
      return true;
    },
    close: () => socket.destroy(),
  };
  const receive = (bytes: Buffer) => {
    if (speech === undefined) {
      speech = speechOf(bytes[0] ?? 0);
      if (speech.encoding === 'latin1' && hostile().includes('unaskedFrames')) floodWith(socket);
      for (const message of unsent) write(message, speech);
      unsent = [];
    }
    for (const message of speech.receive(bytes)) if (!socket.destroyed) events.received(link, message);
  };
  const read = known === undefined ? receive : afterHello(receive);
  socket.setNoDelay(true);
  socket.on('data', (bytes) => {
    try {
      read(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes));
    } catch {
      socket.destroy();
    }
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => events.closed(link));
  return link;
}

/** Before the true entries, of which only the first answer counts. */
function sendLargest(socket: net.Socket, answers: readonly ContentAnswer[]): void {
  for (const answer of answers)
    if (answer.kind === 'entries') socket.write(largestEntries(answer.partition, answer.bucket));
}

/** Skips the binary Hello frame that every accepting member sends first. */
function afterHello(receive: (bytes: Buffer) => void): (bytes: Buffer) => void {
  let head: Buffer | undefined = Buffer.alloc(0);
  return (bytes) => {
    if (head === undefined) {
      receive(bytes);
      return;
    }
    head = Buffer.concat([head, bytes]);
    const length = helloLength(head);
    if (length === undefined || head.length < length) return;
    const rest = head.subarray(length);
    head = undefined;
    if (rest.length > 0) receive(rest);
  };
}
