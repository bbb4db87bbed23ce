// What hostile members send over real sockets: the largest frames, frames without end, one byte a second.

import type net from 'node:net';

const FRAME_BYTES = 8 * 1024 * 1024;
const ENTRY_BYTES = 3;
const PUBLISH = 20;
const FLOOD_BYTES = 64 * 1024;
const DRIP_MS = 1_000;

/** A frame of entries that is as large as frames can be: nearly three million of three bytes each. */
export function largestEntries(partition: number, bucket: number): Buffer {
  const head = [14, ...leb(partition), bucket, ...leb(Math.floor((FRAME_BYTES - 32) / ENTRY_BYTES))];
  const items = Math.floor((FRAME_BYTES - 32) / ENTRY_BYTES) * ENTRY_BYTES;
  const frame = Buffer.alloc(4 + head.length + items + 1, 1);
  frame.writeUInt32LE(frame.length - 4);
  Buffer.from(head).copy(frame, 4);
  return frame;
}

/** Sends published messages as fast as the other side reads them, until the socket is closed. */
export function floodWith(socket: net.Socket): void {
  const frame = Buffer.alloc(FLOOD_BYTES, PUBLISH);
  frame.writeUInt32LE(frame.length - 4);
  const fill = (): void => {
    if (socket.destroyed) return;
    if (socket.write(frame)) setImmediate(fill);
  };
  socket.on('drain', () => setImmediate(fill));
  fill();
}

/** Sends a text byte by byte. */
export function drip(socket: net.Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => {
    socket.write(text.charAt(at), 'latin1');
    at += 1;
    if (at === text.length) socket.end();
  }, DRIP_MS);
  socket.on('close', () => clearInterval(timer));
}

/** Seven bits a byte, the lowest first. */
function leb(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb(value >>> 7)];
}
