// Bytes that were received and are not consumed yet. Appending is amortised linear however small the chunks are, and
// memory that was handed out as a view is never overwritten: what does not fit goes to a new, larger buffer.

const EMPTY = new Uint8Array(0);
const LF = 0x0a;
const CR = 0x0d;

export class ByteQueue {
  /** Unused bytes are `bytes[start..end)`. Read directly by the decoders' inner loops. */
  bytes: Uint8Array = EMPTY;
  start = 0;
  end = 0;
  /** The bytes are those of a chunk that its owner will overwrite. */
  #isLent = false;
  /** How far the search for a line end has come, so that bytes that trickle in are searched only once. */
  #searched = 0;

  get length(): number {
    return this.end - this.start;
  }

  /** Takes a chunk. The first chunk is kept as it is, without copying: the caller must not change it afterwards, or
   *  before `keep` when it is only lent. */
  push(chunk: Uint8Array, isLent = false): void {
    if (chunk.length === 0) return;
    if (this.start === this.end) {
      this.#isLent = isLent;
      this.bytes = chunk;
      this.start = 0;
      this.end = chunk.length;
      this.#searched = 0;
      return;
    }
    // An adopted chunk has no room behind its end, so only buffers of our own are ever appended to.
    if (this.bytes.length - this.end < chunk.length) this.#grow(chunk.length);
    this.bytes.set(chunk, this.end);
    this.end += chunk.length;
  }

  /** The end (exclusive, without CRLF or LF) of the line at `start`, or -1 while it is not complete. */
  lineEnd(): number {
    const from = Math.max(this.#searched, this.start);
    for (let at = from; at < this.end; at += 1) {
      if (this.bytes[at] === LF) {
        this.#searched = at;
        return at > this.start && this.bytes[at - 1] === CR ? at - 1 : at;
      }
    }
    this.#searched = this.end;
    return -1;
  }

  /** Consumes the line that `lineEnd` has found. */
  skipLine(): void {
    this.start = this.#searched + 1;
  }

  /** Consumes the next `length` bytes and returns a view; the caller has checked that there are as many. */
  take(length: number): Uint8Array {
    const view = this.bytes.subarray(this.start, this.start + length);
    this.start += length;
    return view;
  }

  /** As `take`, in memory of its own. */
  takeOwn(length: number): Uint8Array {
    const view = this.take(length);
    // Not `slice`: that of a Buffer is a view.
    return this.#isLent ? new Uint8Array(view) : view;
  }

  /** Copies what is left of a lent chunk. */
  keep(): void {
    if (this.#isLent && this.start < this.end) this.#grow(0);
  }

  #grow(more: number): void {
    const live = this.length;
    const larger = new Uint8Array(Math.max(4096, 2 * (live + more)));
    larger.set(this.bytes.subarray(this.start, this.end));
    this.#searched = Math.max(0, this.#searched - this.start);
    this.bytes = larger;
    this.#isLent = false;
    this.start = 0;
    this.end = live;
  }
}
