// An observer that encodes the six messages itself and sees every answer in order, also those that the reader of
// store-client drops because nobody asked for them. It is a third codec, so that the contract depends on neither of the
// other two.

import { once } from 'node:events';
import net from 'node:net';
import type { MemberNetwork } from '../src/index.ts';

/** The digests of a partition, byte by byte. */
export type RawAnswer =
  | { readonly kind: 'match'; readonly partition: number }
  | { readonly kind: 'digest'; readonly partition: number; readonly digest: string }
  | { readonly kind: 'entries'; readonly partition: number; readonly bucket: number; readonly count: number };

export interface RawObserver {
  askRoot(partition: number, root: bigint): void;
  /** Sends these digests as if they were ours. */
  askBuckets(partition: number, digest: string): void;
  /** Every answer from now on, up to and including the first that `isLast`. */
  answersUntil(isLast: (answer: RawAnswer) => boolean): Promise<readonly RawAnswer[]>;
  close(): void;
}

class Answers {
  #heard: RawAnswer[] = [];
  #look = (): void => undefined;

  add(answer: RawAnswer): void {
    this.#heard.push(answer);
    this.#look();
  }

  until(isLast: (answer: RawAnswer) => boolean): Promise<readonly RawAnswer[]> {
    return new Promise((resolve) => {
      this.#look = () => {
        const last = this.#heard.findIndex(isLast);
        if (last < 0) return;
        this.#look = () => undefined;
        resolve(this.#heard.splice(0, last + 1));
      };
      this.#look();
    });
  }
}

export async function rawObserverOverNetwork(net: MemberNetwork, host: string): Promise<RawObserver> {
  const answers = new Answers();
  let link: ReturnType<MemberNetwork['observe']>;
  await new Promise<void>((resolve, reject) => {
    link = net.observe(host, {
      greeted: () => resolve(),
      closed: () => reject(new Error(`observe ${host}: closed`)),
      answered: (list) => {
        for (const one of list) {
          if (one.kind === 'entries') answers.add({ ...one, count: one.entries.length });
          else if (one.kind === 'match' || one.kind === 'digest') answers.add(one);
        }
      },
    });
    if (link === undefined) reject(new Error(`observe ${host}: refused`));
  });
  return {
    askRoot: (partition, root) => link?.ask([{ kind: 'root', partition, root }]),
    askBuckets: (partition, digest) => link?.ask([{ kind: 'buckets', partition, digest, changed: [] }]),
    answersUntil: (isLast) => answers.until(isLast),
    close: () => link?.close(),
  };
}

const OBSERVER = 65_535n;
const PING_MS = 1_000;

export async function rawObserverOverTcp(host: string): Promise<RawObserver> {
  const answers = new Answers();
  const socket = net.connect(7_373, host);
  const send = (variant: number, ...fields: readonly (readonly number[])[]) => {
    const body = [variant, ...fields.flat()];
    const head = Buffer.alloc(4);
    head.writeUInt32LE(body.length);
    socket.write(Buffer.concat([head, Buffer.from(body)]));
  };
  const greeted = new Promise<void>((resolve) => {
    let rest = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      rest = Buffer.concat([rest, Buffer.from(bytes)]);
      while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32LE(0)) {
        const length = rest.readUInt32LE(0);
        const [variant = -1, ...body] = rest.subarray(4, 4 + length);
        rest = rest.subarray(4 + length);
        if (variant === 22) resolve();
        if (variant === 21) send(22, body);
        const answer = answerOf(variant, body);
        if (answer !== undefined) answers.add(answer);
      }
    });
  });
  await once(socket, 'connect');
  const pings = setInterval(() => send(21, leb128(7n)), PING_MS);
  socket.on('close', () => clearInterval(pings));
  send(0, leb128(OBSERVER), [0]);
  send(21, leb128(7n));
  await greeted;
  return {
    askRoot: (partition, root) => send(11, leb128(BigInt(partition)), leb128(root)),
    askBuckets: (partition, digest) =>
      send(13, leb128(BigInt(partition)), leb128(256n), [...Buffer.from(digest, 'latin1')]),
    answersUntil: (isLast) => answers.until(isLast),
    close: () => socket.destroy(),
  };
}

function answerOf(variant: number, body: readonly number[]): RawAnswer | undefined {
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = body[at] ?? 0;
      at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  if (variant < 12 || variant > 14) return undefined;
  const partition = number();
  if (variant === 12) return { kind: 'match', partition };
  if (variant === 13) {
    number();
    return { kind: 'digest', partition, digest: Buffer.from(body.slice(at)).toString('latin1') };
  }
  const bucket = body[at] ?? 0;
  at += 1;
  return { kind: 'entries', partition, bucket, count: number() };
}

function leb128(value: bigint): readonly number[] {
  const bytes: number[] = [];
  for (let left = value; ; left >>= 7n) {
    if (left < 0x80n) return [...bytes, Number(left)];
    bytes.push(Number(left & 0x7fn) | 0x80);
  }
}
