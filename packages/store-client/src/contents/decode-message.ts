// Decodes one message of a member from the bytes of its frame. Its head, the first bytes, tells what it is and how
// much: only what was asked for, and is no larger than an answer may be, is kept and decoded. Any message not meant for
// an observer is `other`.

import { BUCKETS, STREAM_PAGE, type StoredRecord } from '@marekvs/api';
import { StoreProtocolError, StoreTooLargeError } from '../errors.ts';
import { MAX_BUCKET_ENTRIES, MAX_RECORDS } from './content-reader.ts';
import { CONNECTION_KINDS, type MemberMessage, type MessageHead } from './mesh-messages.ts';
import { MessageFields } from './message-fields.ts';
import { PackedMarks } from './packed-marks.ts';

/** Minimum sizes: an entry is three numbers, each of at least one byte; a record has two lengths. */
const ENTRY_BYTES = 3;
const RECORD_BYTES = 2;

/** Bytes of a number, and of everything before the items of a message, at most. */
const NUMBER_BYTES = 10;
const HEAD_BYTES = 16;

const KINDS: ReadonlyMap<number, MemberMessage['kind']> = new Map([
  [0, 'hello'],
  [12, 'merkleRootMatch'],
  [13, 'merkleBuckets'],
  [14, 'bucketKeys'],
  [15, 'repairOps'],
  [18, 'bootstrapChunk'],
  [19, 'bootstrapDone'],
  [21, 'ping'],
  [22, 'pong'],
] as const);

/** What the first bytes of a frame tell.
 *  @throws StoreProtocolError when they are no beginning of a message */
export function readHead(head: Uint8Array): MessageHead {
  const fields = new MessageFields(head);
  const kind = KINDS.get(fields.small(0xffff_ffff)) ?? 'other';
  switch (kind) {
    case 'merkleRootMatch':
    case 'merkleBuckets':
    case 'bootstrapDone':
      return { kind, partition: fields.partition() };
    case 'bucketKeys':
      return { kind, partition: fields.partition(), bucket: fields.byte(), count: fields.small(0xffff_ffff) };
    case 'repairOps':
    case 'bootstrapChunk':
      return { kind, partition: fields.partition(), count: fields.small(0xffff_ffff) };
    default:
      return { kind };
  }
}

/** Checks a message that is wanted before any more of it is kept.
 *  @throws StoreTooLargeError with the figure; StoreProtocolError for one that is longer than its fields */
export function checkSize(head: MessageHead, length: number): void {
  switch (head.kind) {
    case 'bucketKeys':
      checkCount(head.count, MAX_BUCKET_ENTRIES, `records in bucket ${head.bucket} of partition ${head.partition}`);
      checkLength(length, head.count * 3 * NUMBER_BYTES);
      break;
    case 'repairOps':
      checkCount(head.count, MAX_RECORDS, 'records in one answer');
      break;
    case 'bootstrapChunk':
      checkCount(head.count, STREAM_PAGE, 'records in one page');
      break;
    case 'merkleBuckets':
      checkLength(length, BUCKETS * NUMBER_BYTES);
      break;
    default:
      checkLength(length, NUMBER_BYTES);
  }
}

function checkCount(count: number, most: number, what: string): void {
  if (count > most) throw new StoreTooLargeError(most, `${count} ${what}, limit ${most}`);
}

function checkLength(length: number, itemBytes: number): void {
  if (length > HEAD_BYTES + itemBytes) throw new StoreProtocolError('a message that is longer than its fields');
}

/** @throws StoreProtocolError for a known message that is cut off, too long, or has a number out of range */
export function decodeMessage(body: Uint8Array): MemberMessage {
  const fields = new MessageFields(body);
  const variant = fields.small(0xffff_ffff);
  const message = knownMessage(variant, fields);
  if (message === undefined) return { kind: 'other', variant };
  fields.end();
  return message;
}

function knownMessage(variant: number, fields: MessageFields): MemberMessage | undefined {
  switch (variant) {
    case 0:
      return hello(fields);
    case 12:
      return { kind: 'merkleRootMatch', partition: fields.partition() };
    case 13:
      return { kind: 'merkleBuckets', partition: fields.partition(), digests: fields.digests() };
    case 14:
      return bucketKeys(fields);
    case 15:
      return storedRecords('repairOps', fields);
    case 18:
      return storedRecords('bootstrapChunk', fields);
    case 19:
      return bootstrapDone(fields);
    case 21:
      return { kind: 'ping', nonce: fields.large() };
    case 22:
      return { kind: 'pong', nonce: fields.large() };
    default:
      return undefined;
  }
}

function hello(fields: MessageFields): MemberMessage {
  const node = fields.small(0xffff);
  fields.small(Object.keys(CONNECTION_KINDS).length - 1);
  return { kind: 'hello', node };
}

function bucketKeys(fields: MessageFields): MemberMessage {
  const partition = fields.partition();
  const bucket = fields.byte();
  const records = new PackedMarks(fields.count(ENTRY_BYTES), () => fields.large());
  // Whether a home may send back what the member lacks: irrelevant to an observer.
  fields.bool();
  return { kind: 'bucketKeys', partition, bucket, records };
}

function storedRecords(kind: 'repairOps' | 'bootstrapChunk', fields: MessageFields): MemberMessage {
  const partition = fields.partition();
  const records: StoredRecord[] = [];
  for (let left = fields.count(RECORD_BYTES); left > 0; left -= 1) {
    const key = fields.view(fields.count(1));
    records.push({ key, value: fields.view(fields.count(1)) });
  }
  return { kind, partition, records };
}

function bootstrapDone(fields: MessageFields): MemberMessage {
  const partition = fields.partition();
  // How far the member had replicated by then: irrelevant to an observer.
  fields.large();
  return { kind: 'bootstrapDone', partition };
}
