// The server's half of RESP: commands in, replies out. Strings are bytes as latin1. Deliberately not shared with
// store-client: a common encoder would hide a mistake from both sides' tests.

export type Reply =
  | { readonly kind: 'simple'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'integer'; readonly value: number }
  | { readonly kind: 'bulk'; readonly text: string }
  | { readonly kind: 'null' }
  | { readonly kind: 'array'; readonly items: readonly Reply[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [Reply, Reply])[] }
  /** Already encoded, and the same in both protocols: for texts that are asked for often and rarely change. */
  | { readonly kind: 'wire'; readonly text: string };

/** Encoded once, since it is the most frequent answer. */
export const ok: Reply = { kind: 'wire', text: '+OK\r\n' };
export const nil: Reply = { kind: 'null' };
export const bulk = (text: string): Reply => ({ kind: 'bulk', text });
export const integer = (value: number): Reply => ({ kind: 'integer', value });
export const failure = (text: string): Reply => ({ kind: 'error', text });
export const notANumber = failure('ERR value is not an integer or out of range');
export const array = (items: readonly Reply[]): Reply => ({ kind: 'array', items });

/** Reply as latin1 text; `protocol` 3 changes only null and map. */
export function encodeReply(reply: Reply, protocol: 2 | 3 = 2): string {
  switch (reply.kind) {
    case 'simple':
      return `+${reply.text}\r\n`;
    case 'error':
      return `-${reply.text}\r\n`;
    case 'integer':
      return `:${reply.value}\r\n`;
    case 'bulk':
      return `$${reply.text.length}\r\n${reply.text}\r\n`;
    case 'wire':
      return reply.text;
    case 'null':
      return protocol === 3 ? '_\r\n' : '$-1\r\n';
    case 'array':
      return `*${reply.items.length}\r\n${reply.items.map((item) => encodeReply(item, protocol)).join('')}`;
    case 'map': {
      const flat = reply.entries.flat();
      const head = protocol === 3 ? `%${reply.entries.length}` : `*${flat.length}`;
      return `${head}\r\n${flat.map((item) => encodeReply(item, protocol)).join('')}`;
    }
  }
}

/** Bytes of a command on the wire: an array of bulk strings. */
export function encodedLength(words: readonly string[]): number {
  let length = 3 + digitsOf(words.length);
  for (const word of words) length += 5 + digitsOf(word.length) + word.length;
  return length;
}

function digitsOf(count: number): number {
  return count < 10 ? 1 : String(count).length;
}

const maxArguments = 1_048_576;
/** RESP accepts 512 MiB on the real server; a simulator has less memory to give. */
const maxBytes = 64 * 1024 * 1024;

/** Cuts a byte stream into commands: arrays of bulk strings, or inline lines. */
export class CommandDecoder {
  #buffer = '';

  /** Commands completed by these bytes (latin1), or the protocol error that ends the connection. */
  push(bytes: string): { readonly commands: readonly (readonly string[])[]; readonly error?: string } {
    this.#buffer = this.#buffer === '' ? bytes : this.#buffer + bytes;
    const commands: (readonly string[])[] = [];
    let at = 0;
    for (;;) {
      const parsed = this.#parse(at);
      if (parsed === undefined) break;
      if (typeof parsed === 'string') return { commands, error: parsed };
      at = parsed.next;
      if (parsed.words.length > 0) commands.push(parsed.words);
    }
    this.#buffer = this.#buffer.slice(at);
    return this.#buffer.length > maxBytes ? { commands, error: 'ERR Protocol error: too big' } : { commands };
  }

  #parse(start: number): { words: readonly string[]; next: number } | string | undefined {
    const lineEnd = this.#buffer.indexOf('\n', start);
    if (lineEnd < 0) return undefined;
    const line = this.#buffer.slice(start, lineEnd).replace(/\r$/, '');
    if (!line.startsWith('*')) return { words: line.split(' ').filter((word) => word !== ''), next: lineEnd + 1 };
    const count = Number(line.slice(1));
    if (!Number.isInteger(count) || count > maxArguments) return 'ERR Protocol error: invalid multibulk length';
    const words: string[] = [];
    let at = lineEnd + 1;
    for (let n = 0; n < count; n += 1) {
      const headEnd = this.#buffer.indexOf('\r\n', at);
      if (headEnd < 0) return undefined;
      if (this.#buffer[at] !== '$') return "ERR Protocol error: expected '$'";
      const length = Number(this.#buffer.slice(at + 1, headEnd));
      if (!Number.isInteger(length) || length < 0 || length > maxBytes)
        return 'ERR Protocol error: invalid bulk length';
      const from = headEnd + 2;
      if (this.#buffer.length < from + length + 2) return undefined;
      words.push(this.#buffer.slice(from, from + length));
      at = from + length + 2;
    }
    return { words, next: at };
  }
}
