// What any settled member answers about its contents on the mesh port. It writes only keys of its own.

import {
  BUCKETS,
  bucketDigests,
  EMPTY_BUCKET,
  EMPTY_DIGEST,
  type PartitionDigest,
  partitionOfKey,
  type RecordMark,
} from '@marekvs/api';
import type { ContentReader, StoreCommand } from '@marekvs/store-client';
import { expect } from 'chai';
import { after, before, it } from 'mocha';
import type { Version } from '../src/index.ts';
import { hlcOf } from '../src/member/records/hlc.ts';
import { splitKey } from '../src/member/records/keys.ts';
import type { Subject } from './member-contract-subject.ts';
import type { RawAnswer } from './raw-observer.ts';
import { versionOf } from './stored-version.ts';

/** Writes on the first member, with new keys in every run, so that old contents make no difference. */
const run = process.hrtime.bigint().toString(36);
const keyOf = (name: string) => `contract:${name}:${run}`;
const UNLIKELY_ROOT = 0x0123_4567_89ab_cdefn;

export function contentsContract(of: () => Subject): void {
  let reader: ContentReader;
  const pass = <T>(work: () => Promise<T>) => of().pass(work);
  const digestOf = async (partition: number): Promise<PartitionDigest> =>
    (await pass(() => reader.digests([partition])))[0] ?? '';
  // The operator's own type has only the messages that the operator sends.
  const command = async (...words: readonly string[]) => {
    const session = await pass(() => of().client.session(of().address(1)));
    const [reply] = await pass(() => session.commands([words as unknown as StoreCommand]));
    session.close();
    return reply;
  };
  /** The digests of the key's partition that a command has changed. */
  const changedBy = async (key: string, ...words: readonly string[]) => {
    const before = await digestOf(partitionOfKey(key));
    await command(...words);
    const after = await digestOf(partitionOfKey(key));
    return { after, changed: differing(before, after) };
  };
  const entriesOf = async (key: string, bucket: number, own: PartitionDigest) =>
    (await pass(() => reader.entries(partitionOfKey(key), [bucket], own))).get(bucket) ?? [];

  before(async () => {
    reader = await of().pass(() => of().contents.open(of().address(1), { nodeId: 1 }));
  });
  after(() => reader?.close());

  it('answer for a partition without a record with 256 zeros', async () => {
    const all = Array.from({ length: 64 }, (_, partition) => partition);
    expect(await pass(() => reader.digests(all))).to.include(EMPTY_DIGEST);
  });

  it('move one digest with a SET and none without, and list the record in that bucket', async () => {
    const key = keyOf('set');
    const { after, changed } = await changedBy(key, 'SET', key, 'v');
    expect(changed).to.have.length(1);
    const [bucket = -1] = changed;
    const [mark] = await entriesOf(key, bucket, after);
    expect(mark).to.have.all.keys('hash', 'version', 'content');
    expect(await digestOf(partitionOfKey(key))).to.equal(after);
  });

  it('replace a record by a newer one under the same hash, by SET and by DEL', async () => {
    const key = keyOf('again');
    const marks: (RecordMark | undefined)[] = [];
    for (const words of [
      ['SET', key, '1'],
      ['SET', key, '2'],
      ['DEL', key],
    ] as const) {
      const { after, changed } = await changedBy(key, ...words);
      marks.push(await theOne(key, after, changed, marks.at(-1)?.hash));
    }
    expect(new Set(marks.map((mark) => mark?.hash)).size).to.equal(1);
    const versions = marks.map((mark) => mark?.version ?? 0n);
    expect(versions).to.deep.equal([...versions].sort((a, b) => Number(a - b)));
    expect(new Set(versions).size).to.equal(3);
  });

  it('give records as they are stored: a string, and what a counter has counted', async () => {
    const [text, counter] = [keyOf('text'), keyOf('counter')];
    expect(await recordAfter(text, 'SET', text, 'v')).to.deep.include({ key: text, value: 'v', isDead: false });
    const { merged } = await recordAfter(counter, 'INCRBY', counter, '5');
    expect(merged).to.deep.equal({
      kind: 'counter',
      base: { clock: 0, origin: 0, value: 0 },
      slots: [{ id: 1, increments: 5, decrements: 0 }],
    });
  });

  it('are a head and one record for every field of a hash, which a deletion of the field covers', async () => {
    const key = keyOf('hash');
    const records = async () => {
      const own = await digestOf(partitionOfKey(key));
      const buckets = differing(own, EMPTY_DIGEST);
      const found: Version[] = [];
      for (const bucket of buckets) {
        const hashes = [...(await entriesOf(key, bucket, own))].map(({ hash }) => hash);
        const stored = await pass(() => reader.records(partitionOfKey(key), bucket, hashes));
        found.push(...stored.map(versionOf).filter((version) => splitKey(version.key).key === key));
      }
      return found.map(({ key: record, merged, isDead }) => {
        const element = merged?.kind === 'element' ? merged : undefined;
        return [splitKey(record).letter, splitKey(record).part, isDead, element?.live.length, element?.covered.length];
      });
    };
    await command('HSET', key, 'f', 'v', 'g', 'w');
    await command('HDEL', key, 'g');
    await command('HSET', key, 'f', 'x');
    expect(await records()).to.have.deep.members([
      ['M', '', false, undefined, undefined],
      ['h', 'f', false, 2, 0],
      ['h', 'g', true, 0, 1],
    ]);
  });

  it('stream a partition of this member with all its records, and not again at once', async () => {
    const key = keyOf('streamed');
    const partition = partitionOfKey(key);
    await command('SET', key, 'v');
    const stream = await pass(() => reader.stream(partition, { timeoutMs: 2_000 }));
    const owned = stream === undefined ? undefined : stream.pages.flat().map((record) => versionOf(record).key);
    // A member that is no home of the partition is silent.
    if (owned !== undefined) expect(owned).to.include(key);
    expect(await pass(() => reader.stream(partition, { timeoutMs: 500 }))).to.equal(undefined);
  });

  it('answer a wrong root with their digests, and do not answer about equal buckets', async () => {
    const key = keyOf('silence');
    await command('SET', key, 'v');
    const partition = partitionOfKey(key);
    const raw = await pass(() => of().observe(1));
    const until = (isLast: (answer: RawAnswer) => boolean) => pass(() => raw.answersUntil(isLast));
    raw.askRoot(partition, UNLIKELY_ROOT);
    const digest = ownOf(await until(isDigest));
    raw.askBuckets(partition, digest);
    raw.askRoot(partition, UNLIKELY_ROOT);
    expect(await until(isDigest)).to.deep.equal([{ kind: 'digest', partition, digest }]);
    const pieces = bucketDigests(digest) ?? [];
    const bucket = pieces.findIndex((piece) => piece !== EMPTY_BUCKET);
    raw.askBuckets(partition, pieces.map((piece, at) => (at === bucket ? EMPTY_BUCKET : piece)).join(''));
    raw.askRoot(partition, UNLIKELY_ROOT);
    expect(
      (await until(isDigest)).map((answer) => [answer.kind, 'bucket' in answer ? answer.bucket : -1]),
    ).to.deep.equal([
      ['entries', bucket],
      ['digest', -1],
    ]);
    raw.close();
  });

  it('send their answers to the observer that said Hello last', async () => {
    const [first, second] = [await pass(() => of().observe(1)), await pass(() => of().observe(1))];
    first.askRoot(17, UNLIKELY_ROOT);
    const answers = await pass(() => second.answersUntil((answer) => answer.partition === 17));
    expect(answers.map(({ kind }) => kind)).to.deep.equal(['digest']);
    first.close();
    second.close();
    reader = await pass(() => of().contents.open(of().address(1), { nodeId: 1 }));
  });

  async function theOne(key: string, own: PartitionDigest, changed: readonly number[], hash: bigint | undefined) {
    expect(changed).to.have.length(1);
    const marks = [...(await entriesOf(key, changed[0] ?? -1, own))];
    return hash === undefined ? marks.at(-1) : marks.find((mark) => mark.hash === hash);
  }

  async function recordAfter(key: string, ...words: readonly string[]) {
    const { after, changed } = await changedBy(key, ...words);
    const mark = await theOne(key, after, changed, undefined);
    const asked = () => reader.records(partitionOfKey(key), changed[0] ?? -1, [mark?.hash ?? 0n]);
    const [record] = await pass(asked);
    if (record === undefined) throw new Error(`no record of ${key}`);
    const version = versionOf(record);
    expect(hlcOf(version.clock)).to.equal(mark?.version);
    return version;
  }
}

function isDigest({ kind }: RawAnswer): boolean {
  return kind === 'digest';
}

function ownOf(answers: readonly RawAnswer[]): PartitionDigest {
  const [answer] = answers;
  if (answer?.kind !== 'digest') throw new Error(`want digests, got ${answer?.kind}`);
  return answer.digest;
}

function differing(before: PartitionDigest, after: PartitionDigest): readonly number[] {
  const [left, right] = [bucketDigests(before), bucketDigests(after)];
  return Array.from({ length: BUCKETS }, (_, bucket) => bucket).filter((bucket) => left?.[bucket] !== right?.[bucket]);
}
