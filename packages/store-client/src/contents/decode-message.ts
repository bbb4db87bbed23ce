// Decodes one message of a member from the bytes of its frame. Any message not meant for an observer becomes `other`.

import type { RecordMark, StoredRecord } from '@marekvs/api';
import { CONNECTION_KINDS, type MemberMessage } from './mesh-messages.ts';
import { MessageFields } from './message-fields.ts';

/** Minimum sizes: an entry is three numbers, each of at least one byte; a record has two lengths. */
const ENTRY_BYTES = 3;
const RECORD_BYTES = 2;

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
  const records: RecordMark[] = [];
  for (let left = fields.count(ENTRY_BYTES); left > 0; left -= 1) {
    records.push({ hash: fields.large(), version: fields.large(), content: fields.large() });
  }
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
