// The server's side of RESP: bytes of a client in, commands out; no I/O. Takes arrays of bulk strings and inline commands
// (`PING\r\n`, as telnet and health checks send them). Bounded like the reply decoder; after an error it is finished.

import { ByteQueue } from './byte-queue.ts';
import { StoreProtocolError, StoreTooLargeError } from './errors.ts';
import { parseInteger } from './resp-decoder.ts';

export interface CommandLimits {
  /** Longest inline command or length line; default 64 KiB, as in Redis. */
  readonly maxLineBytes?: number | undefined;
  /** Longest argument; default 16 MiB. */
  readonly maxBulkBytes?: number | undefined;
  /** Most arguments of one command; default 100,000. */
  readonly maxArguments?: number | undefined;
}

const ARRAY = 0x2a;
const BULK = 0x24;

export class CommandDecoder {
  readonly #queue = new ByteQueue();
  readonly #maxLineBytes: number;
  readonly #maxBulkBytes: number;
  readonly #maxArguments: number;
  #parts: Uint8Array[] = [];
  /** Arguments still to come of the command that has been opened; 0 between commands. */
  #remaining = 0;
  #bulk = -1;
  #failure: unknown;

  constructor(limits: CommandLimits = {}) {
    this.#maxLineBytes = limits.maxLineBytes ?? 65_536;
    this.#maxBulkBytes = limits.maxBulkBytes ?? 16 * 1024 * 1024;
    this.#maxArguments = limits.maxArguments ?? 100_000;
  }

  /** Takes a chunk; it must not be changed afterwards, arguments are views into it. */
  push(chunk: Uint8Array): void {
    this.#queue.push(chunk);
  }

  /** The next complete command, never empty, or undefined while it is not all there. Call until undefined.
   *  @throws StoreProtocolError not RESP; StoreTooLargeError beyond a limit; the same again on every later call */
  next(): readonly Uint8Array[] | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      return this.#next();
    } catch (failure) {
      this.#failure = failure;
      throw failure;
    }
  }

  #next(): readonly Uint8Array[] | undefined {
    while (this.#remaining === 0) {
      const end = this.#line();
      if (end < 0) return undefined;
      const { bytes, start } = this.#queue;
      if (bytes[start] === ARRAY) {
        const length = this.#header(end);
        if (length > this.#maxArguments) throw new StoreTooLargeError(this.#maxArguments, `${length} arguments`);
        this.#remaining = Math.max(0, length);
      } else {
        const inline = splitInline(bytes.subarray(start, end));
        this.#queue.skipLine();
        if (inline.length > 0) return inline;
      }
    }
    return this.#arguments();
  }

  #arguments(): readonly Uint8Array[] | undefined {
    const queue = this.#queue;
    while (this.#remaining > 0) {
      if (this.#bulk < 0) {
        const end = this.#line();
        if (end < 0) return undefined;
        if (queue.bytes[queue.start] !== BULK)
          throw new StoreProtocolError("a command whose argument does not start with '$'");
        const length = this.#header(end);
        if (length < 0) throw new StoreProtocolError('a command with a null argument');
        if (length > this.#maxBulkBytes)
          throw new StoreTooLargeError(this.#maxBulkBytes, `an argument of ${length} bytes`);
        this.#bulk = length;
      }
      if (queue.length < this.#bulk + 2) return undefined;
      this.#parts.push(queue.take(this.#bulk));
      this.#bulk = -1;
      this.#remaining -= 1;
      if (queue.bytes[queue.start] !== 0x0d || queue.bytes[queue.start + 1] !== 0x0a) {
        throw new StoreProtocolError('an argument that is longer than announced');
      }
      queue.start += 2;
    }
    const command = this.#parts;
    this.#parts = [];
    return command;
  }

  #header(end: number): number {
    const value = parseInteger(this.#queue.bytes, this.#queue.start + 1, end);
    this.#queue.skipLine();
    return value;
  }

  #line(): number {
    const queue = this.#queue;
    const end = queue.lineEnd();
    if ((end < 0 ? queue.end : end) - queue.start > this.#maxLineBytes) {
      throw new StoreTooLargeError(this.#maxLineBytes, `a line of more than ${this.#maxLineBytes} bytes`);
    }
    return end;
  }
}

/** Words between blanks; quotes are taken literally, as no health check uses them. */
function splitInline(line: Uint8Array): Uint8Array[] {
  const words: Uint8Array[] = [];
  let from = 0;
  for (let at = 0; at <= line.length; at += 1) {
    if (at < line.length && line[at] !== 0x20 && line[at] !== 0x09) continue;
    if (at > from) words.push(line.subarray(from, at));
    from = at + 1;
  }
  return words;
}
