// The only place that encodes messages for the mesh. Only an ObserverMessage has an encoding.

import { BUCKETS, bucketDigests, PARTITIONS } from '@marekvs/api';
import { OBSERVER_NODE } from './content-reader.ts';
import { writeNumber } from './leb128.ts';
import { CONNECTION_KINDS, OBSERVER_VARIANTS, type ObserverMessage } from './mesh-messages.ts';

/** One frame: its length in four bytes, then the message.
 *  @throws RangeError for a number that does not fit, or an invalid digest */
export function encodeMessage(message: ObserverMessage): Uint8Array {
  if (!Object.hasOwn(OBSERVER_VARIANTS, message.kind)) throw new RangeError('not a message of an observer');
  const body: number[] = [OBSERVER_VARIANTS[message.kind]];
  writeFields(body, message);
  const frame = new Uint8Array(4 + body.length);
  new DataView(frame.buffer).setUint32(0, body.length, true);
  frame.set(body, 4);
  return frame;
}

function writeFields(body: number[], message: ObserverMessage): void {
  switch (message.kind) {
    case 'hello':
      writeNumber(body, BigInt(OBSERVER_NODE));
      body.push(CONNECTION_KINDS[message.connection]);
      return;
    case 'merkleRoot':
      writePartition(body, message.partition);
      writeNumber(body, message.root);
      return;
    case 'merkleBuckets':
      writePartition(body, message.partition);
      writeDigests(body, message.digests);
      return;
    case 'requestKeys':
      writePartition(body, message.partition);
      body.push(within('bucket', message.bucket, BUCKETS));
      writeNumber(body, BigInt(message.hashes.length));
      for (const hash of message.hashes) writeNumber(body, hash);
      return;
    case 'bootstrapReq':
      writePartition(body, message.partition);
      return;
    case 'ping':
    case 'pong':
      writeNumber(body, message.nonce);
      return;
    default:
      message satisfies never;
  }
}

function writePartition(body: number[], partition: number): void {
  writeNumber(body, BigInt(within('partition', partition, PARTITIONS)));
}

/** Digests are a list on the wire, so their count comes first. */
function writeDigests(body: number[], digests: string): void {
  if (bucketDigests(digests) === undefined) throw new RangeError('not the digest of a partition');
  writeNumber(body, BigInt(BUCKETS));
  for (let at = 0; at < digests.length; at += 1) body.push(digests.charCodeAt(at));
}

function within(name: string, value: number, limit: number): number {
  if (!(Number.isInteger(value) && value >= 0 && value < limit))
    throw new RangeError(`${name} ${value}: not in 0..${limit - 1}`);
  return value;
}
