import { mock } from 'node:test';
import { bucketDigests, EMPTY_DIGEST, type RecordMarks, type StoredRecord } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createContentClient } from '../src/contents/content-client.ts';
import type { ContentReader } from '../src/contents/content-reader.ts';
import { type StoreError, StoreProtocolError, StoreTooLargeError, StoreUnreachableError } from '../src/errors.ts';
import { honest, honestBut, keyOf, type MeshMember, meshMember, NODE_ID } from './support/mesh-member.ts';
import { digestText, frame, type Heard, leb, say, storedValue } from './support/mesh-wire.ts';
import { blocked, closedPort, failureOf } from './support/scripted-member.ts';

const client = createContentClient();
/** For members that never answer, when the limit itself is tested. */
const hasty = createContentClient({ timeoutMs: 40 });

const open = (member: MeshMember, by = client): Promise<ContentReader> => by.open(member.address, { nodeId: NODE_ID });
const distinct = (seed: bigint): bigint[] => Array.from({ length: 256 }, (_, i) => (seed * 2n ** 40n) ^ BigInt(i * i));
const rootsIn = (heard: readonly Heard[]): bigint[] =>
  heard.flatMap((one) => (one.kind === 'merkleRoot' ? [one.root] : []));
const isPartition = (heard: Heard): number => ('partition' in heard ? heard.partition : -1);

function expectUnreachable(failure: unknown, ...reasons: string[]): void {
  expect(failure).to.be.instanceOf(StoreUnreachableError);
  expect((failure as StoreUnreachableError).reason).to.be.oneOf(reasons);
}

/** A reader that failed is closed, and gives the reason at every later call. */
async function expectFailed(reader: ContentReader, failure: unknown): Promise<void> {
  expect(await failureOf(reader.digests([1]))).to.equal(failure);
  expect(await failureOf(reader.entries(1, [0], EMPTY_DIGEST))).to.equal(failure);
  expect(await failureOf(reader.records(1, 0, [1n]))).to.equal(failure);
}

/** Records, and not views of a frame. */
function plain(records: readonly StoredRecord[]) {
  return records.map(({ key, value }) => ({ key: Uint8Array.from(key), value: Uint8Array.from(value) }));
}

describe('ContentReader', () => {
  it('gives the digests of partitions in the order they were asked for', async () => {
    const digests = new Map([4095, 0, 17].map((partition) => [partition, distinct(BigInt(partition + 1))]));
    await using member = await meshMember(honest({ digests }));
    const reader = await open(member);
    expect(await reader.digests([17, 4095, 1, 0])).to.deep.equal([
      digestText(distinct(18n)),
      digestText(distinct(4096n)),
      EMPTY_DIGEST,
      digestText(distinct(1n)),
    ]);
    expect(await reader.digests([0])).to.deep.equal([digestText(distinct(1n))]);
    reader.close();
    await member.left();
  });

  it('asks for every partition with another root, none of them 0', async () => {
    await using member = await meshMember(honest());
    const reader = await open(member);
    await reader.digests(Array.from({ length: 64 }, (_, i) => i));
    const roots = rootsIn(member.heard);
    expect(new Set(roots)).to.have.property('size', 64);
    expect(roots).to.not.include(0n);
    reader.close();
  });

  it('never asks with the root 0, even when it is drawn', async () => {
    await using member = await meshMember(honest());
    const reader = await open(member, createContentClient({ random: () => 0n }));
    await reader.digests([5]);
    expect(rootsIn(member.heard)).to.deep.equal([1n]);
    reader.close();
  });

  it('gives the records of the buckets asked for, and makes the member answer only these', async () => {
    const own = distinct(3n);
    const entries = new Map([['9/200', [[2n ** 64n - 1n, 5n, 0n] as const, [1n, 2n ** 63n, 7n] as const]]]);
    await using member = await meshMember(honest({ digests: new Map([[9, own]]), entries }));
    const reader = await open(member);
    const found = await reader.entries(9, [200, 0, 255], digestText(own));
    expect(unpacked(found)).to.deep.equal(
      new Map([
        [0, []],
        [
          200,
          [
            { hash: 2n ** 64n - 1n, version: 5n, content: 0n },
            { hash: 1n, version: 2n ** 63n, content: 7n },
          ],
        ],
        [255, []],
      ]),
    );
    const question = member.heard.find((heard) => heard.kind === 'merkleBuckets');
    const changed = own.flatMap((digest, bucket) => (question?.digests[bucket] === digest ? [] : [bucket]));
    expect(changed).to.deep.equal([0, 200, 255]);
    reader.close();
  });

  it('changes the digest of a bucket even when its own digest is drawn', async () => {
    const own = Array<bigint>(256).fill(77n);
    await using member = await meshMember(honest({ digests: new Map([[9, own]]) }));
    const reader = await open(member, createContentClient({ random: () => 77n }));
    expect(unpacked(await reader.entries(9, [4], digestText(own)))).to.deep.equal(new Map([[4, []]]));
    reader.close();
  });

  it('ignores answers about buckets that changed since and were not asked for', async () => {
    const now = distinct(3n);
    const before = now.with(7, 1n);
    await using member = await meshMember(honest({ digests: new Map([[9, now]]) }));
    const reader = await open(member);
    expect([...(await reader.entries(9, [8], digestText(before))).keys()]).to.deep.equal([8]);
    reader.close();
  });

  const unpacked = (found: ReadonlyMap<number, RecordMarks>) =>
    new Map([...found].map(([bucket, marks]) => [bucket, [...marks]]));
  const countOf = (heard: readonly Heard[], kind: Heard['kind']) => heard.filter((one) => one.kind === kind).length;

  const record = (hash: bigint, value = storedValue(0, hash)) => ({ key: keyOf(hash), value: Uint8Array.from(value) });

  it('gives the records of a list that the member has, as they are stored', async () => {
    const odd = storedValue(0xff, 9n, Buffer.from('of a newer server'));
    const values = new Map([
      [1n, storedValue(0, 1n)],
      [2n, odd],
    ]);
    await using member = await meshMember(honest({ values }));
    const reader = await open(member);
    expect(plain(await reader.records(5, 1, [1n, 2n, 3n]))).to.deep.equal([record(1n), record(2n, odd)]);
    expect(plain(await reader.records(5, 1, [2n]))).to.deep.equal([record(2n, odd)]);
    reader.close();
  });

  it('gives no record when the member says nothing about any, and stays usable', async () => {
    await using member = await meshMember(honest());
    const reader = await open(member);
    expect(await reader.records(5, 1, [1n, 2n])).to.deep.equal([]);
    expect(await reader.digests([5])).to.deep.equal([EMPTY_DIGEST]);
    reader.close();
  });

  const one = say.repairOps(5, [[keyOf(1n), storedValue(0, 1n)]]);
  for (const [name, answer] of [
    ['answers with an empty list', say.repairOps(5, [])],
    ['answers twice, since one of the answers is for another observer', Buffer.concat([one, one])],
    ['answers about another partition', say.repairOps(6, [[keyOf(1n), storedValue(0, 1n)]])],
  ] as const) {
    it(`gives no record when the member ${name}`, async () => {
      await using member = await meshMember(honestBut('requestKeys', (_, socket) => socket.write(answer)));
      const reader = await open(member);
      expect(await reader.records(5, 1, [1n])).to.deep.equal([]);
      reader.close();
    });
  }

  it('reads answers that come byte by byte', async () => {
    const bytes: number[] = [];
    let isWriting = false;
    const script = honestBut('merkleRoot', (heard, socket) => {
      bytes.push(...say.buckets(isPartition(heard), distinct(BigInt(isPartition(heard)))));
      const next = (): void => {
        const byte = bytes.shift();
        isWriting = byte !== undefined;
        if (byte !== undefined) socket.write(Uint8Array.of(byte), next);
      };
      if (!isWriting) next();
    });
    await using member = await meshMember(script);
    const reader = await open(member);
    expect(await reader.digests([1, 2])).to.deep.equal([digestText(distinct(1n)), digestText(distinct(2n))]);
    reader.close();
  });

  it('skips any number of messages between members', async () => {
    const publish = say.publish(keyOf(1n), new Uint8Array(300_000));
    const script = honestBut('merkleRoot', (heard, socket) => {
      for (const bytes of [say.resumeFrom(3, 9n), publish, frame([...leb(70_000), 1, 2, 3]), publish])
        socket.write(bytes);
      honest()(heard, socket);
    });
    await using member = await meshMember(script);
    const reader = await open(member, createContentClient({ maxBytes: 2000 }));
    expect(await reader.digests([1])).to.deep.equal([EMPTY_DIGEST]);
    reader.close();
  });

  it('ignores answers that it did not ask for, and uses the first of two answers', async () => {
    const answers = Buffer.concat([
      say.bucketKeys(1, 0, []),
      say.buckets(9, distinct(9n)),
      say.repairOps(1, []),
      say.buckets(1, distinct(1n)),
      say.buckets(1, distinct(9n)),
      say.buckets(2, distinct(2n)),
      say.buckets(2, distinct(9n)),
      say.bucketKeys(1, 0, []),
    ]);
    const script = honestBut('merkleRoot', (heard, socket) => {
      if (isPartition(heard) === 2) socket.write(answers);
    });
    await using member = await meshMember(script);
    const reader = await open(member);
    expect(await reader.digests([1, 2])).to.deep.equal([digestText(distinct(1n)), digestText(distinct(2n))]);
    reader.close();
  });

  it('ignores an answer that was on its way before the call began', async () => {
    const old = Buffer.concat([say.buckets(1, distinct(9n)), say.match(1), say.bucketKeys(1, 0, [[1n, 1n, 1n]])]);
    const script = honestBut('ping', (heard, socket) => {
      socket.write(old);
      honest()(heard, socket);
    });
    await using member = await meshMember(script);
    const reader = await open(member);
    expect(await reader.digests([1])).to.deep.equal([EMPTY_DIGEST]);
    expect(unpacked(await reader.entries(1, [0], EMPTY_DIGEST))).to.deep.equal(new Map([[0, []]]));
    expect(rootsIn(member.heard)).to.have.length(1);
    reader.close();
  });

  const many = (count: number) => Array.from({ length: count }, (_, i) => [BigInt(i), 1n, 1n] as const);

  it('leaves out buckets beyond 65,536 records together, and gives them when they are asked for alone', async () => {
    const entries = new Map(Array.from({ length: 8 }, (_, bucket) => [`1/${bucket}`, many(10_000)]));
    await using member = await meshMember(honest({ entries }));
    const reader = await open(member);
    const found = await reader.entries(1, [0, 1, 2, 3, 4, 5, 6, 7], EMPTY_DIGEST);
    expect([...found].map(([bucket, marks]) => [bucket, marks.length])).to.deep.equal(
      [0, 1, 2, 3, 4, 5].map((bucket) => [bucket, 10_000]),
    );
    expect((await reader.entries(1, [7], EMPTY_DIGEST)).get(7)).to.have.length(10_000);
    reader.close();
  });

  it('refuses a bucket of more than 16,384 records with the figure, and takes one of as many', async () => {
    const entries = new Map([
      ['1/0', many(16_384)],
      ['1/1', many(16_385)],
    ]);
    await using member = await meshMember(honest({ entries }));
    const reader = await open(member);
    expect((await reader.entries(1, [0], EMPTY_DIGEST)).get(0)).to.have.length(16_384);
    const failure = await failureOf(reader.entries(1, [1], EMPTY_DIGEST));
    expect(failure).to.be.instanceOf(StoreTooLargeError).with.property('limit', 16_384);
    expect(String(failure)).to.include('16385 records in bucket 1 of partition 1, limit 16384');
  });

  it('decodes nothing that it did not ask for', async () => {
    const nonsense = Buffer.concat([
      frame([14, 1, 9, 1, 0xff, 0xff]),
      frame([13, 2, 1, 0]),
      frame([15, 1, 1, 200]),
      frame([18, 1, 1, 200]),
      frame([19, 1, 0x80, 0]),
    ]);
    const script = honestBut('merkleBuckets', (heard, socket) => {
      socket.write(nonsense);
      honest()(heard, socket);
    });
    await using member = await meshMember(script);
    const reader = await open(member);
    expect([...(await reader.entries(1, [0], EMPTY_DIGEST)).keys()]).to.deep.equal([0]);
    member.say(nonsense);
    expect(await reader.digests([1])).to.deep.equal([EMPTY_DIGEST]);
    reader.close();
  });

  it('reads at most 8 MiB that nobody asked for between two pings, and an answer behind more of it later', async () => {
    const published = say.publish(new Uint8Array(1), new Uint8Array(2 ** 20));
    const flood = Buffer.concat(Array<Buffer>(40).fill(published));
    let pingsBefore = 0;
    const script = honestBut('merkleRoot', (heard, socket) => {
      pingsBefore = countOf(member.heard, 'ping');
      socket.write(flood);
      honest()(heard, socket);
    });
    await using member = await meshMember(script);
    const reader = await open(member, createContentClient({ pingEveryMs: 200 }));
    expect(await reader.digests([1], { timeoutMs: 30_000 })).to.deep.equal([EMPTY_DIGEST]);
    expect(countOf(member.heard, 'ping') - pingsBefore).to.be.at.least(4);
    reader.close();
  });

  it('fails when the member says later that it is another one', async () => {
    const script = honestBut('merkleRoot', (_, socket) => socket.write(say.hello(4)));
    await using member = await meshMember(script);
    const reader = await open(member);
    const failure = await failureOf(reader.digests([1]));
    expect(String(failure)).to.include('member 4 answers where member 3 is expected');
  });

  it('uses the first of two answers about a bucket', async () => {
    const script = honestBut('merkleBuckets', (_, socket) =>
      socket.write(
        Buffer.concat([say.bucketKeys(1, 0, []), say.bucketKeys(1, 0, [[1n, 1n, 1n]]), say.bucketKeys(1, 1, [])]),
      ),
    );
    await using member = await meshMember(script);
    const reader = await open(member);
    const found = await reader.entries(1, [1, 0], EMPTY_DIGEST);
    expect(unpacked(found)).to.deep.equal(
      new Map([
        [0, []],
        [1, []],
      ]),
    );
    reader.close();
  });

  it('asks again with another root when a member says that the first one is its own', async () => {
    const script = honestBut('merkleRoot', (heard, socket) => {
      if (rootsIn(member.heard).length < 3) socket.write(say.match(isPartition(heard)));
      else honest()(heard, socket);
    });
    await using member: MeshMember = await meshMember(script);
    const reader = await open(member);
    expect(await reader.digests([1])).to.deep.equal([EMPTY_DIGEST]);
    expect(new Set(rootsIn(member.heard))).to.have.property('size', 3);
    reader.close();
  });

  it('fails when a member says of every root that it is its own', async () => {
    await using member = await meshMember(
      honestBut('merkleRoot', (heard, socket) => socket.write(say.match(isPartition(heard)))),
    );
    const reader = await open(member);
    const failure = await failureOf(reader.digests([1]));
    expect(failure).to.be.instanceOf(StoreProtocolError);
    expect(rootsIn(member.heard)).to.have.length(4);
    await expectFailed(reader, failure);
  });

  it('ignores a match for a partition that it did not ask about', async () => {
    const script = honestBut('merkleRoot', (heard, socket) => {
      for (let i = 0; i < 9; i += 1) socket.write(say.match(2));
      honest()(heard, socket);
    });
    await using member = await meshMember(script);
    const reader = await open(member);
    expect(await reader.digests([1])).to.deep.equal([EMPTY_DIGEST]);
    expect(rootsIn(member.heard)).to.have.length(1);
    reader.close();
  });

  it('writes only the messages of an observer during a whole session', async () => {
    const digests = new Map([[1, distinct(1n)]]);
    await using member = await meshMember(
      honest({ digests, values: new Map([[1n, storedValue(0, 1n)]]), pages: new Map([[1, []]]) }),
    );
    const reader = await open(member);
    const [own = ''] = await reader.digests([1, 2]);
    await reader.entries(1, [3, 4], own);
    await reader.records(1, 3, [1n]);
    await reader.stream(1);
    member.say(say.ping(4n));
    await member.until((heard) => heard.some((one) => one.kind === 'pong'));
    reader.close();
    await member.left();
    // The member of the test itself fails at any other message.
    const kinds = new Set(member.heard.map(({ kind }) => kind));
    expect([...kinds].sort().join(' ')).to.equal('bootstrapReq hello merkleBuckets merkleRoot ping pong requestKeys');
  });
});

describe('the stream of a partition', () => {
  const record = (hash: bigint) => [keyOf(hash), storedValue(0, hash)] as const;
  const pages = [[record(1n), record(2n)], [record(3n)]];
  const expected = pages.map((page) => page.map(([key, value]) => ({ key, value: Uint8Array.from(value) })));

  it('has the pages of the member, over a connection of its own that is kept', async () => {
    await using member = await meshMember(
      honest({
        pages: new Map([
          [7, pages],
          [8, []],
        ]),
      }),
    );
    const reader = await open(member);
    expect((await reader.stream(7))?.pages.map(plain)).to.deep.equal(expected);
    expect(await reader.stream(8)).to.deep.equal({ pages: [] });
    expect(await reader.digests([7])).to.deep.equal([EMPTY_DIGEST]);
    const hellos = member.heard.filter(({ kind }) => kind === 'hello');
    expect(hellos.map((hello) => 'connection' in hello && hello.connection)).to.deep.equal([0n, 1n]);
    reader.close();
    await member.left();
  });

  it('is not given by a member that stays silent, about which nothing else follows', async () => {
    await using member = await meshMember(honest());
    const reader = await open(member);
    expect(await reader.stream(7, { timeoutMs: 40 })).to.equal(undefined);
    expect(await reader.digests([7])).to.deep.equal([EMPTY_DIGEST]);
    expect(await reader.stream(7, { timeoutMs: 40 })).to.equal(undefined);
    const hellos = member.heard.filter(({ kind }) => kind === 'hello');
    expect(hellos).to.have.length(3); // what comes late belongs to no later stream
    reader.close();
  });

  it('is not given by a member that does not answer on the second connection', async () => {
    const bulk = new Set<unknown>();
    const otherwise = honest({ pages: new Map([[7, pages]]) });
    await using member = await meshMember((heard, socket) => {
      if (heard.kind === 'hello' && heard.connection === 1n) bulk.add(socket);
      if (!bulk.has(socket)) otherwise(heard, socket);
    });
    const reader = await open(member);
    expect(await reader.stream(7, { timeoutMs: 40 })).to.equal(undefined);
    expect(await reader.digests([7])).to.deep.equal([EMPTY_DIGEST]);
    reader.close();
  });

  it('has no pages of other partitions, nor any that was under way before it was asked for', async () => {
    const page = say.chunk(7, [record(9n)]);
    const script = honestBut('bootstrapReq', (_, socket) =>
      socket.write(
        Buffer.concat([say.chunk(6, [record(9n)]), say.done(6), ...pages.map((one) => say.chunk(7, one)), say.done(7)]),
      ),
    );
    await using member = await meshMember((heard, socket) => {
      if (heard.kind === 'hello') socket.write(Buffer.concat([page, say.done(7)]));
      script(heard, socket);
    });
    const reader = await open(member);
    expect((await reader.stream(7))?.pages.map(plain)).to.deep.equal(expected);
    reader.close();
  });

  it('ends with a failure of its own when the member hangs up, and the other connection stays', async () => {
    await using member = await meshMember(honestBut('bootstrapReq', (_, socket) => socket.destroy()));
    const reader = await open(member);
    expectUnreachable(await failureOf(reader.stream(7)), 'closed', 'reset');
    expect(await reader.digests([7])).to.deep.equal([EMPTY_DIGEST]);
    reader.close();
  });

  it('is refused when it has more than 32,768 records or 8 MiB', async () => {
    const page = say.chunk(
      7,
      Array.from({ length: 256 }, () => [new Uint8Array(0), new Uint8Array(0)] as const),
    );
    const large = say.chunk(8, [[new Uint8Array(0), new Uint8Array(6 * 1024 * 1024)]]);
    const script = honestBut('bootstrapReq', (heard, socket) => {
      for (let i = 0; i < 129; i += 1) socket.write(isPartition(heard) === 7 ? page : large);
    });
    await using member = await meshMember(script);
    const reader = await open(member);
    for (const [partition, limit] of [
      [7, 32_768],
      [8, 8_388_608],
    ] as const) {
      const failure = await failureOf(reader.stream(partition));
      expect(failure).to.be.instanceOf(StoreTooLargeError).with.property('limit', limit);
    }
    expect(await reader.digests([7])).to.deep.equal([EMPTY_DIGEST]);
    reader.close();
  });

  it('is refused when a page has more than 256 records', async () => {
    const page = Array.from({ length: 257 }, () => [new Uint8Array(0), new Uint8Array(0)] as const);
    const script = honestBut('bootstrapReq', (_, socket) => socket.write(say.chunk(7, page)));
    await using member = await meshMember(script);
    const reader = await open(member);
    const failure = await failureOf(reader.stream(7));
    expect(failure).to.be.instanceOf(StoreTooLargeError).with.property('limit', 256);
    reader.close();
  });

  it('stops when its signal is aborted', async () => {
    const controller = new AbortController();
    const reason = new Error('stop');
    await using member = await meshMember(honestBut('bootstrapReq', () => controller.abort(reason)));
    const reader = await open(member);
    expect(await failureOf(reader.stream(7, { signal: controller.signal }))).to.equal(reason);
    reader.close();
  });
});

describe('the connection of a ContentReader', () => {
  it('begins with a Hello as node 65535, so that answers come on this connection', async () => {
    await using member = await meshMember(honest());
    (await open(member)).close();
    expect(member.heard[0]).to.deep.equal({ kind: 'hello', node: 65_535n, connection: 0n });
    expect(member.heard[1]?.kind).to.equal('ping');
  });

  it('answers every ping with its nonce, also between calls', async () => {
    await using member = await meshMember(honest());
    const reader = await open(member);
    for (const nonce of [0n, 7n, 2n ** 64n - 1n]) member.say(say.ping(nonce));
    await member.until((heard) => heard.filter(({ kind }) => kind === 'pong').length === 3);
    const nonces = member.heard.flatMap((one) => (one.kind === 'pong' ? [one.nonce] : []));
    expect(nonces).to.deep.equal([0n, 7n, 2n ** 64n - 1n]);
    reader.close();
  });

  it('pings every second while it is open, and stays open although the member sends nothing by itself', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      await using member = await meshMember(honest());
      const reader = await open(member);
      mock.timers.tick(999);
      expect(await reader.digests([1])).to.have.length(1);
      const pings = (): number => member.heard.filter(({ kind }) => kind === 'ping').length;
      expect(pings()).to.equal(2); // one for each call
      mock.timers.tick(5001);
      await member.until(() => pings() === 8);
      expect(await reader.digests([1])).to.have.length(1);
      reader.close();
    } finally {
      mock.timers.reset();
    }
  });

  for (const [name, end] of [
    ['it is closed', (reader: ContentReader) => reader.close()],
    ['the member hangs up', (_: ContentReader, member: MeshMember) => member.hangUp()],
    ['the member says garbage', (_: ContentReader, member: MeshMember) => member.say(Buffer.alloc(4))],
  ] as const) {
    it(`stops its timer when ${name}`, async () => {
      const started = mock.method(globalThis, 'setInterval');
      const stopped = mock.method(globalThis, 'clearInterval');
      try {
        await using member = await meshMember(honest());
        const reader = await open(member);
        end(reader, member);
        await failureOf(reader.digests([1]));
        const timers = started.mock.calls.map((call) => call.result);
        expect(timers).to.have.length(1);
        expect(timers[0]?.hasRef()).to.equal(false);
        expect(stopped.mock.calls.map((call) => call.arguments[0])).to.include(timers[0]);
      } finally {
        started.mock.restore();
        stopped.mock.restore();
      }
    });
  }

  it('is refused when nothing listens', async () => {
    const address = { host: '127.0.0.1', meshPort: await closedPort() };
    const failure = await failureOf(client.open(address, { nodeId: NODE_ID }));
    expectUnreachable(failure, 'refused');
    expect((failure as StoreError).message).to.match(/^open mesh connection on 127\.0\.0\.1:\d+: /);
  });

  for (const [name, script] of [
    ['says nothing', () => {}],
    ['says nothing but pings', (_: Heard, socket: { write(bytes: Uint8Array): unknown }) => socket.write(say.ping(1n))],
    [
      'answers a ping that was not sent',
      (_: Heard, socket: { write(bytes: Uint8Array): unknown }) => socket.write(say.pong(12n)),
    ],
  ] as const) {
    it(`does not open to a program that ${name}`, async () => {
      await using member = await meshMember(script);
      expectUnreachable(await failureOf(open(member, hasty)), 'timeout');
      await member.left();
    });
  }

  it('opens to a member with the expected id, and to one that does not send its id', async () => {
    for (const hello of [say.hello(NODE_ID), say.hello(NODE_ID, 1), Buffer.alloc(0)]) {
      await using member = await meshMember((heard, socket) => {
        if (heard.kind === 'hello') socket.write(hello);
        honest()(heard, socket);
      });
      (await open(member)).close();
    }
  });

  for (const stranger of [0, NODE_ID + 1, 65_535]) {
    it(`does not open to a stranger with the id ${stranger}`, async () => {
      await using member = await meshMember((heard, socket) => {
        if (heard.kind === 'hello') socket.write(say.hello(stranger));
        honest()(heard, socket);
      });
      const failure = await failureOf(open(member));
      expect(failure).to.be.instanceOf(StoreProtocolError);
      expect((failure as Error).message).to.include(`member ${stranger} answers where member ${NODE_ID} is expected`);
      await member.left();
    });
  }

  const refusals: readonly (readonly [string, Uint8Array, typeof StoreProtocolError | typeof StoreTooLargeError])[] = [
    ['greets as somebody else', say.hello(9), StoreProtocolError],
    ['speaks another protocol', Buffer.from('-ERR unknown command\r\n'), StoreTooLargeError],
    ['says garbage', Buffer.from([3, 0, 0, 0, 13, 255, 255]), StoreProtocolError],
    ['says nothing in a frame', Buffer.alloc(4), StoreProtocolError],
    ['announces a frame of 10 MB', Buffer.from([0x80, 0x96, 0x98, 0x00]), StoreTooLargeError],
  ];
  for (const [name, bytes, kind] of refusals) {
    it(`fails when the member ${name} instead of an answer`, async () => {
      await using member = await meshMember(honestBut('merkleRoot', (_, socket) => socket.write(bytes)));
      const reader = await open(member);
      const failure = await failureOf(reader.digests([1]));
      expect(failure).to.be.instanceOf(kind);
      expect((failure as StoreError).address).to.equal(`127.0.0.9:${member.address.meshPort}`);
      await expectFailed(reader, failure);
      await member.left();
    });

    it(`fails when the member ${name} between two calls, and reports it in the next one`, async () => {
      await using member = await meshMember(honest());
      const reader = await open(member);
      member.say(bytes);
      await member.left();
      const failure = await failureOf(reader.digests([1]));
      expect(failure).to.be.instanceOf(kind);
      await expectFailed(reader, failure);
    });
  }

  it('fails when all answers are about another partition', async () => {
    const script = honestBut('merkleRoot', (heard, socket) =>
      socket.write(say.buckets(isPartition(heard) + 1, distinct(1n))),
    );
    await using member = await meshMember(script);
    const reader = await open(member);
    const failure = await failureOf(reader.digests([1], { timeoutMs: 40 }));
    expectUnreachable(failure, 'timeout');
    await expectFailed(reader, failure);
  });

  it('fails when all entries are of another bucket or partition', async () => {
    const script = honestBut('merkleBuckets', (_, socket) =>
      socket.write(Buffer.concat([say.bucketKeys(1, 5, []), say.bucketKeys(2, 4, [])])),
    );
    await using member = await meshMember(script);
    const reader = await open(member);
    expectUnreachable(await failureOf(reader.entries(1, [4], EMPTY_DIGEST, { timeoutMs: 40 })), 'timeout');
  });

  it('fails when one of the answers does not come', async () => {
    const script = honestBut('merkleRoot', (heard, socket) => {
      if (isPartition(heard) !== 2) honest()(heard, socket);
    });
    await using member = await meshMember(script);
    const reader = await open(member);
    expectUnreachable(await failureOf(reader.digests([1, 2, 3], { timeoutMs: 40 })), 'timeout');
  });

  it('fails when the member closes after each answer', async () => {
    const script = honestBut('merkleRoot', (heard, socket) =>
      socket.end(say.buckets(isPartition(heard), distinct(1n))),
    );
    await using member = await meshMember(script);
    const reader = await open(member);
    expect(await reader.digests([1])).to.have.length(1);
    const failure = await failureOf(reader.digests([1]));
    expectUnreachable(failure, 'closed', 'reset');
    await expectFailed(reader, failure);
    const another = await open(member);
    expectUnreachable(await failureOf(another.digests([1, 2])), 'closed', 'reset');
  });

  it('fails when the answers to one call have too many bytes', async () => {
    await using member = await meshMember(honest({ digests: new Map([[1, distinct(1n)]]) }));
    const reader = await open(member, createContentClient({ maxBytes: 1500 }));
    expect(await reader.digests([2, 3, 4])).to.have.length(3);
    expect(await reader.digests([2, 3, 4])).to.have.length(3);
    const failure = await failureOf(reader.digests([1, 2]));
    expect(failure).to.be.instanceOf(StoreTooLargeError);
    await expectFailed(reader, failure);
  });

  it('does not count what follows the answer, in the same chunk or in another one', async () => {
    const more = Buffer.concat(Array.from({ length: 9 }, () => say.buckets(2, distinct(2n))));
    for (const isOneChunk of [true, false]) {
      const script = honestBut('merkleRoot', (heard, socket) => {
        const answer = say.buckets(isPartition(heard), distinct(1n));
        if (isOneChunk) socket.write(Buffer.concat([answer, more]));
        else socket.write(answer, () => socket.write(more));
      });
      await using member = await meshMember(script);
      const reader = await open(member, createContentClient({ maxBytes: 3000 }));
      expect(await reader.digests([1])).to.deep.equal([digestText(distinct(1n))]);
      reader.close();
    }
  });

  it('reads answers that arrived while the event loop was blocked before it gives up', async () => {
    const script = honestBut('merkleRoot', (heard, socket) => blocked(() => honest()(heard, socket)));
    await using member = await meshMember(script);
    const reader = await open(member);
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      expect(await reader.digests([1], { timeoutMs: 30 })).to.have.length(1);
    } finally {
      mock.timers.reset();
    }
    reader.close();
  });

  it('ends when the signal is aborted, with its reason', async () => {
    const controller = new AbortController();
    const reason = new Error('stop');
    await using member = await meshMember(honestBut('merkleRoot', () => controller.abort(reason)));
    const reader = await open(member);
    expect(await failureOf(reader.digests([1], { signal: controller.signal }))).to.equal(reason);
    await member.left();
    expectUnreachable(await failureOf(reader.digests([1])), 'closed');
  });

  it('does not open when the signal is aborted', async () => {
    const controller = new AbortController();
    const reason = new Error('stop');
    await using member = await meshMember(() => controller.abort(reason));
    const options = { nodeId: NODE_ID, signal: controller.signal };
    expect(await failureOf(client.open(member.address, options))).to.equal(reason);
    expect(await failureOf(client.open(member.address, options))).to.equal(reason);
    await member.left();
  });

  it('ends a call under way when it is closed, even if it is closed twice', async () => {
    await using member = await meshMember(honestBut('merkleRoot', () => reader.close()));
    const reader: ContentReader = await open(member);
    expectUnreachable(await failureOf(reader.digests([1])), 'closed');
    reader.close();
    expectUnreachable(await failureOf(reader.digests([1])), 'closed');
  });

  it('has no key and no value in any error', async () => {
    const record = say.repairOps(5, [[keyOf(1n), storedValue(0, 1n, Buffer.from('secret-value'))]]);
    const broken = Buffer.concat([record.subarray(0, -3), Buffer.from([255, 255, 255])]);
    broken.writeUInt8(255, 7); // the length of the key
    await using member = await meshMember(honestBut('requestKeys', (_, socket) => socket.write(broken)));
    const reader = await open(member);
    const failure = await failureOf(reader.records(5, 1, [1n]));
    expect(failure).to.be.instanceOf(StoreProtocolError);
    const { message, stack, cause } = failure as StoreError;
    expect(`${message}${stack}${String(cause)}${JSON.stringify(failure)}`).to.not.include('secret');
  });
});

describe('misuse of a ContentReader', () => {
  const mistakes: readonly (readonly [string, (reader: ContentReader) => Promise<unknown>])[] = [
    ['65 partitions', (reader) => reader.digests(Array.from({ length: 65 }, (_, i) => i))],
    ['no partition', (reader) => reader.digests([])],
    ['a partition twice', (reader) => reader.digests([1, 2, 1])],
    ['partition 4096', (reader) => reader.digests([4096])],
    ['half a partition', (reader) => reader.digests([0.5])],
    ['nine buckets', (reader) => reader.entries(1, [0, 1, 2, 3, 4, 5, 6, 7, 8], EMPTY_DIGEST)],
    ['no bucket', (reader) => reader.entries(1, [], EMPTY_DIGEST)],
    ['bucket 256', (reader) => reader.entries(1, [256], EMPTY_DIGEST)],
    ['entries of partition -1', (reader) => reader.entries(-1, [0], EMPTY_DIGEST)],
    ['a text that is not a digest', (reader) => reader.entries(1, [0], 'digest')],
    ['a hash of 65 bits', (reader) => reader.records(1, 0, [2n ** 64n])],
    ['a record of bucket -1', (reader) => reader.records(1, -1, [1n])],
    ['no record', (reader) => reader.records(1, 0, [])],
    ['a record twice', (reader) => reader.records(1, 0, [1n, 1n])],
    [
      '1025 records',
      (reader) =>
        reader.records(
          1,
          0,
          Array.from({ length: 1025 }, (_, i) => BigInt(i)),
        ),
    ],
    ['the stream of partition 4096', (reader) => reader.stream(4096)],
    ['a time limit of 0', (reader) => reader.digests([1], { timeoutMs: 0 })],
  ];
  for (const [name, mistake] of mistakes) {
    it(`is a RangeError for ${name}, and the reader stays usable`, async () => {
      await using member = await meshMember(honest());
      const reader = await open(member);
      expect(await failureOf(mistake(reader))).to.be.instanceOf(RangeError);
      expect(await reader.digests([1])).to.deep.equal([EMPTY_DIGEST]);
      reader.close();
    });
  }

  it('is a RangeError for a second call during the first one, which is answered', async () => {
    await using member = await meshMember(honest());
    const reader = await open(member);
    const first = reader.digests([1]);
    expect(await failureOf(reader.digests([2]))).to.be.instanceOf(RangeError);
    expect(await first).to.deep.equal([EMPTY_DIGEST]);
    reader.close();
  });

  it('is a RangeError for an invalid address, member or limit', async () => {
    const nodeId = NODE_ID;
    expect(await failureOf(client.open({ host: 'demo-0' }, { nodeId }))).to.be.instanceOf(RangeError);
    expect(await failureOf(client.open({ host: '127.0.0.1', meshPort: 0 }, { nodeId }))).to.be.instanceOf(RangeError);
    for (const bad of [-1, 65_535, 0.5])
      expect(await failureOf(client.open({ host: '127.0.0.1' }, { nodeId: bad }))).to.be.instanceOf(RangeError);
    for (const options of [{ timeoutMs: 0 }, { maxBytes: -1 }, { pingEveryMs: 0 }, { localAddress: '::1' }])
      expect(() => createContentClient(options)).to.throw(RangeError);
  });

  it('cannot come from an answer of a member, which bucketDigests can always take apart', async () => {
    await using member = await meshMember(honest({ digests: new Map([[1, distinct(5n)]]) }));
    const reader = await open(member);
    const [digest = ''] = await reader.digests([1]);
    expect(bucketDigests(digest)).to.deep.equal(distinct(5n).map((value) => String.fromCharCode(...leb(value))));
    reader.close();
  });
});
