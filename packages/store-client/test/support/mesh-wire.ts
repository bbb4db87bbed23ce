// The mesh as a member writes and reads it, made from the description of the wire without any of our code, to check the
// codec.

/** Seven bits a byte, the lowest first. */
export function leb(value: number | bigint): number[] {
  const bits = BigInt(value).toString(2);
  const groups = (bits.padStart(Math.ceil(bits.length / 7) * 7, '0').match(/.{7}/g) ?? []).reverse();
  return groups.map((group, i) => Number.parseInt(group, 2) + (i < groups.length - 1 ? 128 : 0));
}

export function frame(body: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 + body.length);
  bytes.writeUInt32LE(body.length);
  Buffer.from(body).copy(bytes, 4);
  return bytes;
}

export type Entry = readonly [hash: bigint, version: bigint, content: bigint];

const bytesOf = (bytes: Uint8Array): number[] => [...leb(bytes.length), ...bytes];

/** The messages of a member; each gives a frame. */
export const say = {
  hello: (node: number, kind = 0) => frame([0, ...leb(node), ...leb(kind)]),
  resumeFrom: (origin: number, seq: bigint) => frame([3, ...leb(origin), ...leb(seq)]),
  match: (partition: number) => frame([12, ...leb(partition)]),
  buckets: (partition: number, digests: readonly bigint[]) =>
    frame([13, ...leb(partition), ...leb(digests.length), ...digests.flatMap(leb)]),
  bucketKeys: (partition: number, bucket: number, entries: readonly Entry[], flag = false) =>
    frame([14, ...leb(partition), bucket, ...leb(entries.length), ...entries.flat().flatMap(leb), flag ? 1 : 0]),
  repairOps: (partition: number, records: readonly (readonly [key: Uint8Array, value: Uint8Array])[]) =>
    frame([15, ...leb(partition), ...leb(records.length), ...records.flat().flatMap(bytesOf)]),
  chunk: (partition: number, records: readonly (readonly [key: Uint8Array, value: Uint8Array])[]) =>
    frame([18, ...leb(partition), ...leb(records.length), ...records.flat().flatMap(bytesOf)]),
  done: (partition: number, seq = 7n) => frame([19, ...leb(partition), ...leb(seq)]),
  publish: (channel: Uint8Array, payload: Uint8Array) => frame([20, ...bytesOf(channel), ...bytesOf(payload)]),
  ping: (nonce: bigint) => frame([21, ...leb(nonce)]),
  pong: (nonce: bigint) => frame([22, ...leb(nonce)]),
};

/** The text that carries digests: one character per byte. */
export function digestText(digests: readonly bigint[]): string {
  return String.fromCharCode(...digests.flatMap(leb));
}

/** A record's stored value: envelope and payload. */
export function storedValue(flags: number, version: bigint, payload: Uint8Array = new Uint8Array(0)): Buffer {
  const envelope = Buffer.alloc(19);
  envelope.writeUInt8(flags);
  envelope.writeBigUInt64BE(version, 1);
  envelope.writeUInt16BE(3, 9);
  return Buffer.concat([envelope, payload]);
}

/** A message to a member. */
export type Heard =
  | { readonly kind: 'hello'; readonly node: bigint; readonly connection: bigint }
  | { readonly kind: 'merkleRoot'; readonly partition: number; readonly root: bigint }
  | { readonly kind: 'merkleBuckets'; readonly partition: number; readonly digests: readonly bigint[] }
  | {
      readonly kind: 'requestKeys';
      readonly partition: number;
      readonly bucket: number;
      readonly hashes: readonly bigint[];
    }
  | { readonly kind: 'bootstrapReq'; readonly partition: number }
  | { readonly kind: 'ping' | 'pong'; readonly nonce: bigint };

/** Takes complete frames off the front of `bytes`; `rest` is what remains. Fails for anything a member should never
 *  hear. */
export function hear(bytes: Buffer): { readonly heard: readonly Heard[]; readonly rest: Buffer } {
  const heard: Heard[] = [];
  let rest = bytes;
  while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32LE()) {
    const end = 4 + rest.readUInt32LE();
    heard.push(hearOne([...rest.subarray(4, end)]));
    rest = rest.subarray(end);
  }
  return { heard, rest };
}

function hearOne(body: number[]): Heard {
  const number = (): bigint => {
    const length = body.findIndex((byte) => byte < 128) + 1;
    const groups = body.splice(0, length).map((byte) => (byte & 127).toString(2).padStart(7, '0'));
    return BigInt(`0b${groups.reverse().join('')}`);
  };
  const list = (): bigint[] => Array.from({ length: Number(number()) }, number);
  const message = ((): Heard => {
    const variant = body.shift();
    if (variant === 0) return { kind: 'hello', node: number(), connection: number() };
    if (variant === 11) return { kind: 'merkleRoot', partition: Number(number()), root: number() };
    if (variant === 13) return { kind: 'merkleBuckets', partition: Number(number()), digests: list() };
    if (variant === 16)
      return { kind: 'requestKeys', partition: Number(number()), bucket: body.shift() ?? -1, hashes: list() };
    if (variant === 17) return { kind: 'bootstrapReq', partition: Number(number()) };
    if (variant === 21 || variant === 22) return { kind: variant === 21 ? 'ping' : 'pong', nonce: number() };
    throw new Error(`message ${variant} was written, which is not an observer's`);
  })();
  if (body.length > 0) throw new Error(`${body.length} bytes behind a ${message.kind}`);
  return message;
}
