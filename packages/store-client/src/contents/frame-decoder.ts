// Bytes of a mesh connection in, frames out; no I/O. Chunks may be split anywhere. Bounded: a frame announced larger
// than the server itself allows is an error before any of it is buffered, and a frame that nobody wants is skipped by
// its length as its bytes come, so that it costs nothing but reading.

import { ByteQueue } from '../byte-queue.ts';
import { StoreProtocolError, StoreTooLargeError } from '../errors.ts';

/** Fixed in the server, which silently drops anything larger. */
export const MAX_FRAME_BYTES = 8 * 1024 * 1024;

const LENGTH_BYTES = 4;
/** Enough for the number of a message, its partition, its bucket and how many items it has. */
const HEAD_BYTES = 16;

/** @param head the first bytes of a frame, or all of a shorter one */
export type IsWanted = (head: Uint8Array, length: number) => boolean;

export class FrameDecoder {
  readonly #queue = new ByteQueue();
  /** Length of the current frame, undefined between frames. */
  #length: number | undefined;
  /** The current frame was looked at and is wanted. */
  #isWanted = false;
  /** Bytes of a frame nobody wants that have not come yet. */
  #toSkip = 0;
  #failure: unknown;

  /** Takes a chunk, which may be overwritten after the next time that `next` gives undefined. */
  push(chunk: Uint8Array): void {
    if (this.#failure !== undefined) return;
    const skipped = Math.min(this.#toSkip, chunk.length);
    this.#toSkip -= skipped;
    this.#queue.push(chunk.subarray(skipped), true);
  }

  /** The next complete frame that is wanted, without its length; undefined while there is none. Call until undefined.
   *  @throws StoreTooLargeError, StoreProtocolError, and what `isWanted` throws; the same again on every later call */
  next(isWanted: IsWanted): Uint8Array | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      const frame = this.#next(isWanted);
      if (frame === undefined) this.#queue.keep();
      return frame;
    } catch (failure) {
      this.#failure = failure;
      throw failure;
    }
  }

  #next(isWanted: IsWanted): Uint8Array | undefined {
    const queue = this.#queue;
    for (;;) {
      if (this.#length === undefined) {
        if (queue.length < LENGTH_BYTES) return undefined;
        this.#length = lengthOf(queue.take(LENGTH_BYTES));
      }
      const length = this.#length;
      if (!this.#isWanted) {
        const headBytes = Math.min(length, HEAD_BYTES);
        if (queue.length < headBytes) return undefined;
        this.#isWanted = isWanted(queue.bytes.subarray(queue.start, queue.start + headBytes), length);
        if (!this.#isWanted) {
          this.#skip(length);
          continue;
        }
      }
      if (queue.length < length) return undefined;
      this.#length = undefined;
      this.#isWanted = false;
      return queue.takeOwn(length);
    }
  }

  #skip(length: number): void {
    const there = Math.min(length, this.#queue.length);
    this.#queue.take(there);
    this.#toSkip = length - there;
    this.#length = undefined;
  }
}

function lengthOf(head: Uint8Array): number {
  const length = new DataView(head.buffer, head.byteOffset).getUint32(0, true);
  if (length > MAX_FRAME_BYTES)
    throw new StoreTooLargeError(MAX_FRAME_BYTES, `a frame of ${length} bytes, limit ${MAX_FRAME_BYTES}`);
  if (length === 0) throw new StoreProtocolError('a frame without a message');
  return length;
}
