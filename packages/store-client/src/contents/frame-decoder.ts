// Bytes of a mesh connection in, frames out; no I/O. Chunks may be split anywhere. Bounded: a frame announced larger
// than the server itself allows is an error before any of it is buffered.

import { ByteQueue } from '../byte-queue.ts';
import { StoreProtocolError, StoreTooLargeError } from '../errors.ts';

/** Fixed in the server, which silently drops anything larger. */
export const MAX_FRAME_BYTES = 8 * 1024 * 1024;

const HEAD_BYTES = 4;

export class FrameDecoder {
  readonly #queue = new ByteQueue();
  /** Length of the current frame, undefined between frames. */
  #length: number | undefined;
  #failure: unknown;

  /** Takes a chunk; it must not be changed afterwards, frames are views into it. */
  push(chunk: Uint8Array): void {
    if (this.#failure === undefined) this.#queue.push(chunk);
  }

  /** The next complete frame without its length, or undefined while it is incomplete. Call until undefined.
   *  @throws StoreTooLargeError, StoreProtocolError; the same again on every later call */
  next(): Uint8Array | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      return this.#next();
    } catch (failure) {
      this.#failure = failure;
      throw failure;
    }
  }

  #next(): Uint8Array | undefined {
    if (this.#length === undefined && this.#queue.length >= HEAD_BYTES)
      this.#length = lengthOf(this.#queue.take(HEAD_BYTES));
    if (this.#length === undefined || this.#queue.length < this.#length) return undefined;
    const frame = this.#queue.take(this.#length);
    this.#length = undefined;
    return frame;
  }
}

function lengthOf(head: Uint8Array): number {
  const length = new DataView(head.buffer, head.byteOffset).getUint32(0, true);
  if (length > MAX_FRAME_BYTES)
    throw new StoreTooLargeError(MAX_FRAME_BYTES, `a frame of ${length} bytes, limit ${MAX_FRAME_BYTES}`);
  if (length === 0) throw new StoreProtocolError('a frame without a message');
  return length;
}
