// A RESP2 reply as a value. Bulk strings stay bytes, because they may contain anything.

/** An error reply, as a value: inside a pipeline one failed command must not hide the answers of the others. */
export class RespErrorReply {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }

  /** The error code: `ERR`, `WRONGPASS`, `MISCONF`. */
  get code(): string {
    return this.message.split(' ', 1)[0] ?? '';
  }
}

/** Simple strings are strings, bulk strings are bytes, integers are numbers (at most ±2^53), null
 *  bulk and null array are null. */
export type RespValue = string | number | null | Uint8Array | RespErrorReply | readonly RespValue[];
