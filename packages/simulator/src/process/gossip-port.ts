// Gossip digests as JSON datagrams.

import dgram from 'node:dgram';
import type { GossipMessage } from '../member/basics/messages.ts';
import { hostOf, portOf } from '../member/settings/settings.ts';
import type { OpenPort } from './listener.ts';

export interface GossipPort extends OpenPort {
  send(to: string, message: GossipMessage): void;
}

export function openGossipPort(
  address: string,
  received: (message: GossipMessage, fromHost: string) => void,
  onError: (error: Error) => void,
): GossipPort {
  const socket = dgram.createSocket('udp4');
  let isBound = false;
  socket.on('listening', () => {
    isBound = true;
  });
  socket.on('error', (error) => {
    // After the bind, errors concern single datagrams, which may get lost anyway.
    if (!isBound) onError(error);
  });
  socket.on('message', (bytes, from) => {
    const message = parseDigest(bytes);
    if (message !== undefined) received(message, from.address);
  });
  socket.bind(portOf(address), hostOf(address));
  return {
    // A callback keeps a failed send from becoming an 'error' event.
    send: (to, message) => socket.send(JSON.stringify(message), portOf(to), hostOf(to), () => undefined),
    close: () => socket.close(),
  };
}

function parseDigest(bytes: Buffer): GossipMessage | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isDigest(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isDigest(value: unknown): value is GossipMessage {
  return (
    typeof value === 'object' &&
    value !== null &&
    'cluster' in value &&
    typeof value.cluster === 'string' &&
    'from' in value &&
    typeof value.from === 'string' &&
    'entries' in value &&
    Array.isArray(value.entries)
  );
}
