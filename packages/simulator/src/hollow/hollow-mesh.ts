// The mesh port of a hollow member: it has no peers, and to observers it is a member without records.

import { once } from 'node:events';
import net from 'node:net';
import { BUCKETS, bucketDigests, EMPTY_BUCKET, EMPTY_DIGEST } from '@marekvs/api';
import { observerNode } from '../member/basics/constants.ts';
import type { ContentAnswer, ContentQuestion } from '../member/basics/messages.ts';
import {
  createObserverDecoder,
  encodeAnswer,
  encodeHello,
  encodePong,
  encodeResumeFrom,
} from '../process/observer-frames.ts';

export interface HollowMesh {
  /** Whether an observer is connected: `mesh_peers` counts all observers as one. */
  readonly isObserved: boolean;
  close(): void;
}

/** A connection without input for this long is closed. */
const idleMs = 3_000;

/** Resolves once it listens.
 *  @throws the error of the bind */
export async function openHollowMesh(host: string, port: number, nodeId: number): Promise<HollowMesh> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    serve(socket, nodeId);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    get isObserved() {
      return sockets.size > 0;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function serve(socket: net.Socket, nodeId: number): void {
  const decode = createObserverDecoder();
  const write = (text: string) => socket.write(text, 'latin1');
  socket.setNoDelay(true);
  socket.setTimeout(idleMs, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  write(encodeHello(nodeId) + encodeResumeFrom());
  socket.on('data', (bytes) => {
    try {
      for (const frame of decode(Buffer.from(bytes))) {
        if (frame.kind === 'hello' && frame.id !== observerNode) socket.destroy();
        if (frame.kind === 'ping') write(encodePong(frame.nonce));
        if (frame.kind === 'question') write(answersTo(frame.question).map(encodeAnswer).join(''));
      }
    } catch {
      socket.destroy();
    }
  });
}

function answersTo(question: ContentQuestion): readonly ContentAnswer[] {
  if (question.kind === 'roots')
    return question.partitions.map((partition) => ({ kind: 'digest', partition, digest: EMPTY_DIGEST }));
  const { kind, partition } = question;
  if (kind === 'root') return [{ kind: 'digest', partition, digest: EMPTY_DIGEST }];
  if (kind === 'records') return [];
  if (kind === 'stream') return [{ kind: 'done', partition }];
  const theirs = bucketDigests(question.digest);
  return Array.from({ length: BUCKETS }, (_, bucket) => bucket)
    .filter((bucket) => theirs?.[bucket] !== EMPTY_BUCKET)
    .map((bucket) => ({ kind: 'entries', partition, bucket, entries: [] }));
}
