// The operator's own content client against member processes on real sockets: two codecs without common code check each
// other.

import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import { BUCKETS, bucketDigests, EMPTY_BUCKET, EMPTY_DIGEST } from '@marekvs/api';
import { type ContentReader, createContentClient, createStoreClient, type StoreCommand } from '@marekvs/store-client';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Version } from '../src/index.ts';
import { partitionOf } from '../src/member/records/keys.ts';
import { createFolder, endAll, forkHollow, ip, MemberProcess, memberEnv, until } from './process-support.ts';
import { versionOf } from './stored-version.ts';

const contents = createContentClient({ timeoutMs: 30_000 });
const client = createStoreClient({ timeoutMs: 30_000 });
const address = (id: number) => ({ host: ip(id) });

async function onlyRecord(reader: ContentReader, partition: number): Promise<Version | undefined> {
  const [own = ''] = await reader.digests([partition]);
  const bucket = bucketDigests(own)?.findIndex((digest) => digest !== EMPTY_BUCKET) ?? -1;
  const [mark] = (await reader.entries(partition, [bucket], own)).get(bucket) ?? [];
  const [record] = mark === undefined ? [] : await reader.records(partition, bucket, [mark.hash]);
  return record === undefined ? undefined : versionOf(record);
}

describe('an observer of two member processes at speed 10', function () {
  this.timeout(30_000);
  const folder = createFolder();
  const readers: ContentReader[] = [];
  const open = async (id: number) => {
    const reader = await contents.open(address(id), { nodeId: id });
    readers.push(reader);
    return reader;
  };
  // The operator's own type has only the messages that the operator sends.
  const command = async (id: number, ...words: readonly string[]) => {
    await using session = await client.session(address(id));
    return await session.commands([words as unknown as StoreCommand]);
  };
  const setKnobs = (knobs: object) =>
    fetch(`http://${ip(31)}:9999/knobs`, { method: 'POST', body: JSON.stringify(knobs) });
  const peersOf = async (id: number) => (await client.metrics(address(id))).meshPeers;

  before(async () => {
    const seeds = { MAREKVS_SEEDS: [31, 32].map((id) => `${ip(id)}:7946`).join() };
    const control = { SIMULATOR_CONTROL_ADDR: `${ip(31)}:9999` };
    const members = [31, 32].map(
      (id) => new MemberProcess(memberEnv(id, folder, { ...seeds, ...(id === 31 ? control : {}) })),
    );
    await Promise.all(members.map((member) => member.said('serving')));
    await until(
      () => Promise.all([31, 32].map(peersOf)),
      (peers) => peers.every((count) => count === 1),
    );
  });
  after(async () => {
    for (const reader of readers) reader.close();
    await endAll();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  it('sees all partitions, and empty ones as 256 zeros', async () => {
    const reader = await open(31);
    await command(31, 'SET', 'foo', 'bar');
    const held: number[] = [];
    for (let first = 0; first < 4_096; first += 64) {
      const partitions = Array.from({ length: 64 }, (_, n) => first + n);
      const digests = await reader.digests(partitions);
      held.push(...partitions.filter((_, n) => digests[n] !== EMPTY_DIGEST));
    }
    expect(held).to.deep.equal([partitionOf('foo')]);
  });

  it('finds equal digests and entries on both homes once a write has arrived', async () => {
    const both = await Promise.all([open(31), open(32)]);
    await command(32, 'SET', 'twice', 'v');
    const partition = partitionOf('twice');
    const digests = await until(
      () => Promise.all(both.map(async (reader) => (await reader.digests([partition]))[0] ?? '')),
      ([one, two]) => one === two && one !== EMPTY_DIGEST,
    );
    const buckets = Array.from({ length: 8 }, (_, n) => n);
    for (let first = 0; first < BUCKETS; first += 8) {
      const eight = buckets.map((n) => first + n);
      const [one, two] = await Promise.all(both.map((reader, n) => reader.entries(partition, eight, digests[n] ?? '')));
      const plain = (entries: typeof one) => [...(entries ?? [])].map(([bucket, marks]) => [bucket, [...marks]]);
      expect(plain(one)).to.have.deep.members(plain(two));
    }
  });

  it('reads records as they are stored, and nothing for a missing one', async () => {
    const reader = await open(31);
    await command(31, 'INCRBY', 'counter', '5');
    await command(31, 'DECRBY', 'counter', '7');
    await command(31, 'SET', 'string', 'v', 'EX', '100');
    expect((await onlyRecord(reader, partitionOf('counter')))?.merged).to.deep.equal({
      kind: 'counter',
      base: { clock: 0, origin: 0, value: 0 },
      slots: [{ id: 31, increments: 5, decrements: 7 }],
    });
    expect(await onlyRecord(reader, partitionOf('string'))).to.include({ value: 'v', isDead: false });
    expect(await reader.records(partitionOf('counter'), 0, [1n])).to.deep.equal([]);
  });

  it('gets a whole partition as a stream over a second connection, and silence when it asks again', async () => {
    const reader = await open(31);
    await command(31, 'HSET', 'streamed', 'f', 'v', 'g', 'w');
    const stream = await reader.stream(partitionOf('streamed'));
    expect(stream?.pages.map((page) => page.map((record) => versionOf(record).value.slice(0, 1)))).to.deep.equal([
      ['\x01', 'v', 'w'],
    ]);
    expect(await reader.stream(partitionOf('streamed'), { timeoutMs: 300 })).to.equal(undefined);
    expect(await reader.digests([0])).to.have.length(1);
  });

  it('refuses a frame above the limit', async () => {
    await setKnobs({ records: 'tooLarge' });
    const reader = await open(31);
    await command(31, 'SET', 'too-large', 'v');
    const failure = await onlyRecord(reader, partitionOf('too-large')).catch((error: unknown) => error);
    expect(failure).to.have.property('name', 'StoreTooLargeError');
    await setKnobs({ records: null });
  });

  it('counts as one mesh peer with all other observers, and not any more when it is gone', async () => {
    for (const reader of readers.splice(0)) reader.close();
    await until(
      () => peersOf(31),
      (peers) => peers === 1,
    );
    await open(31);
    await open(31);
    await until(
      () => peersOf(31),
      (peers) => peers === 2,
    );
    for (const reader of readers.splice(0)) reader.close();
    await until(
      () => peersOf(31),
      (peers) => peers === 1,
    );
  });

  it('keeps its connection by pings, while a silent one is closed', async () => {
    const silent = net.connect(7_373, ip(32));
    silent.resume().write(Buffer.from([5, 0, 0, 0, 0, 0xff, 0xff, 3, 0]));
    const reader = await open(32);
    await once(silent, 'close');
    expect(await reader.digests([0])).to.deep.equal([EMPTY_DIGEST]);
  });

  for (const [what, bytes] of [
    ['announces a frame of 10 MB', [0x80, 0x96, 0x98, 0, 0, 1]],
    ['asks for a partition that is none', [5, 0, 0, 0, 0, 0xff, 0xff, 3, 0, 4, 0, 0, 0, 11, 0x80, 0x20, 1]],
    ['sends a message that ends early', [1, 0, 0, 0, 11]],
  ] as const) {
    it(`loses its connection when it ${what}`, async () => {
      const socket = net.connect(7_373, ip(32));
      socket.resume().write(Buffer.from(bytes));
      await once(socket, 'close');
      expect(await peersOf(32)).to.be.above(0);
    });
  }

  it('refuses an address where another member answers', async () => {
    const failure = await contents.open(address(31), { nodeId: 32 }).catch((error: unknown) => error);
    expect(failure).to.have.property('name', 'StoreProtocolError');
  });
});

describe('an observer of a hollow member', function () {
  this.timeout(30_000);
  after(endAll);

  it('sees an empty member', async () => {
    const child = forkHollow({ SIMULATOR_HOLLOW_JOIN_MS: '50' });
    const started = new Promise((resolve) => child.once('message', resolve));
    child.send({ type: 'start', id: 'm', env: memberEnv(41, '/nowhere') });
    expect(await started).to.include({ type: 'started' });
    const reader = await contents.open(address(41), { nodeId: 41 });
    const partitions = Array.from({ length: 64 }, (_, n) => n);
    expect(await reader.digests(partitions)).to.deep.equal(partitions.map(() => EMPTY_DIGEST));
    const entries = await reader.entries(7, [1, 255], EMPTY_DIGEST);
    expect([...entries].map(([bucket, marks]) => [bucket, marks.length])).to.deep.equal([
      [1, 0],
      [255, 0],
    ]);
    expect(await reader.records(7, 1, [1n])).to.deep.equal([]);
    expect(await reader.stream(7)).to.deep.equal({ pages: [] });
    expect((await client.metrics(address(41))).meshPeers).to.equal(1);
    reader.close();
    await until(
      () => client.metrics(address(41)),
      ({ meshPeers }) => meshPeers === 0,
    );
  });
});
