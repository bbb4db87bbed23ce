// Bytes in, lines out. Splits on byte 10 without decoding: that byte never occurs inside a multi-byte character.
// Readers interpret the lines.

export interface LineSplitter {
  /** Calls the reader for every line that `chunk` completes. @throws LineTooLongError, and what the reader throws */
  push(chunk: Uint8Array): void;
  /** Bytes of an unfinished line. Not 0 at the end of a stream: it was cut short. */
  readonly pendingBytes: number;
}

/** A line is longer than the limit. */
export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError';
}

const LINE_FEED = 10;

/** @param onLine gets each line without its line feed; the Buffer is only valid during the call
 *  @param maxLineBytes bounds what one unfinished line may hold */
export function createLineSplitter(maxLineBytes: number, onLine: (line: Buffer) => void): LineSplitter {
  let parts: Uint8Array[] = [];
  let pendingBytes = 0;

  function keep(rest: Uint8Array): void {
    if (rest.length === 0) return;
    pendingBytes += rest.length;
    if (pendingBytes > maxLineBytes) throw new LineTooLongError(`line longer than ${maxLineBytes} bytes`);
    parts.push(rest);
  }

  function complete(end: Uint8Array): Buffer {
    if (pendingBytes + end.length > maxLineBytes) throw new LineTooLongError(`line longer than ${maxLineBytes} bytes`);
    if (parts.length === 0) return asBuffer(end);
    parts.push(end);
    const line = Buffer.concat(parts, pendingBytes + end.length);
    parts = [];
    pendingBytes = 0;
    return line;
  }

  return {
    push(chunk) {
      let from = 0;
      for (;;) {
        const at = chunk.indexOf(LINE_FEED, from);
        if (at === -1) break;
        const line = complete(chunk.subarray(from, at));
        from = at + 1;
        onLine(line);
      }
      keep(chunk.subarray(from));
    },
    get pendingBytes() {
      return pendingBytes;
    },
  };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
