// Commands in, RESP bytes out; no I/O.

const encoder = new TextEncoder();

/** Collects one or many commands into one growing buffer. */
export class RespWriter {
  #bytes: Uint8Array;
  #length = 0;

  constructor(initialBytes = 256) {
    this.#bytes = new Uint8Array(initialBytes);
  }

  /** The bytes so far as a view; further writes do not change it. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** One command: an array of bulk strings. */
  command(parts: readonly (string | Uint8Array)[]): this {
    this.#number(0x2a, parts.length);
    for (const part of parts) this.#bulk(part);
    return this;
  }

  #bulk(value: string | Uint8Array): void {
    const bytes = typeof value === 'string' ? encoder.encode(value) : value;
    this.#number(0x24, bytes.length);
    this.#reserve(bytes.length + 2);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    this.#crlf();
  }

  #number(type: number, value: number): void {
    this.#reserve(24);
    this.#bytes[this.#length] = type;
    this.#length += 1;
    const digits = String(value);
    for (let i = 0; i < digits.length; i += 1) this.#bytes[this.#length + i] = digits.charCodeAt(i);
    this.#length += digits.length;
    this.#crlf();
  }

  #crlf(): void {
    this.#reserve(2);
    this.#bytes[this.#length] = 0x0d;
    this.#bytes[this.#length + 1] = 0x0a;
    this.#length += 2;
  }

  #reserve(more: number): void {
    if (this.#bytes.length - this.#length >= more) return;
    const larger = new Uint8Array(2 * (this.#length + more));
    larger.set(this.bytes());
    this.#bytes = larger;
  }
}
