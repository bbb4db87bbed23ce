import { EMPTY_DIGEST } from '@marekvs/api';
import { type ContentReader, StoreProtocolError, StoreUnreachableError } from '@marekvs/store-client';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createNetworkContentClient, MemberNetwork, OBSERVERS, type Version } from '../src/index.ts';
import { partitionOf } from '../src/member/records/keys.ts';
import { recordHash, recordMark, textHash } from '../src/member/records/record-hash.ts';
import { storedRecord } from '../src/member/records/stored-record.ts';
import { rawObserverOverNetwork } from './raw-observer.ts';
import { ids, keysHomedOn, stop } from './support.ts';

const at = (id: number) => ({ host: `127.0.1.${id}` });
const allPartitions = Array.from({ length: 4_096 }, (_, partition) => partition);

/** Lets a promise settle while virtual time passes, event by event. */
async function during<T>(net: MemberNetwork, work: Promise<T>, limitMs = 15_000): Promise<T> {
  let isSettled = false;
  const done = work.finally(() => {
    isSettled = true;
  });
  done.catch(() => undefined);
  const untilMs = net.clock.now() + limitMs;
  while (!isSettled && net.clock.now() < untilMs) {
    net.clock.runNext();
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  }
  expect(isSettled, 'settled in time').to.equal(true);
  return done;
}

const failureOf = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

describe('the content client over the in-memory network', () => {
  let net: MemberNetwork;
  const open = (id: number, nodeId = id, timeoutMs?: number): Promise<ContentReader> =>
    during(net, createNetworkContentClient(net).open(at(id), { nodeId, timeoutMs }));
  const write = (id: number, key: string, value: string) => net.member(id).write([{ key, value }]);

  beforeEach(() => {
    net = new MemberNetwork({ seed: 7 });
    net.formed(ids(3));
    net.advance(3_000);
  });

  it('reads the digests of 64 partitions in one call', async () => {
    const reader = await open(1);
    write(1, 'foo', 'v');
    const partition = partitionOf('foo');
    const others = allPartitions.filter((one) => one !== partition).slice(0, 63);
    const digests = await during(net, reader.digests([partition, ...others]));
    expect(digests[0]).to.equal(net.member(1).store.digestOf(partition));
    expect(digests.slice(1)).to.deep.equal(others.map(() => EMPTY_DIGEST));
  });

  it('looks at all 4,096 partitions of a member in less than half a second of its time', async () => {
    const reader = await open(2);
    const fromMs = net.clock.now();
    for (let first = 0; first < 4_096; first += 64)
      await during(net, reader.digests(allPartitions.slice(first, first + 64)));
    expect(net.clock.now() - fromMs).to.be.within(100, 500);
  });

  it('lists the records of the buckets it asks for and of no others', async () => {
    const reader = await open(1);
    write(1, '{tag}a', 'v');
    write(1, '{tag}b', 'v');
    const partition = partitionOf('{tag}');
    const version = net.member(1).store.get('{tag}a');
    if (version === undefined) throw new Error('nothing was written');
    const { bucket } = recordHash(version);
    const [own = ''] = await during(net, reader.digests([partition]));
    const entries = await during(net, reader.entries(partition, [bucket], own));
    expect([...entries]).to.deep.equal([[bucket, [recordMark(version)]]]);
  });

  it('gives the records of a list as they are stored, and leaves out what does not exist', async () => {
    const reader = await open(1);
    net.call(1, 'INCRBY', '{list}counter', '5');
    net.call(1, 'HSET', '{list}hash', 'f', 'v');
    const versions = Array.from(net.member(1).store.versionsOf(partitionOf('{list}')));
    expect(versions).to.have.length(3);
    for (const version of versions) {
      const { hash } = recordMark(version);
      const asked = reader.records(partitionOf('{list}'), recordHash(version).bucket, [hash, hash + 1n]);
      expect(await during(net, asked)).to.deep.equal([storedRecord(version)]);
    }
    expect(await during(net, reader.records(partitionOf('{list}'), 0, [1n]))).to.deep.equal([]);
  });

  it('gets nothing when the records of a list are together above the frame limit', async () => {
    const reader = await open(1);
    write(1, 'large', 'x'.repeat(2_000));
    net.member(1).setKnobs({ maxFrameBytes: 1_000 });
    const version = net.member(1).store.get('large');
    if (version === undefined) throw new Error('nothing was written');
    const asked = reader.records(partitionOf('large'), recordHash(version).bucket, [recordMark(version).hash]);
    expect(await during(net, asked)).to.deep.equal([]);
  });

  it('streams a partition from a home, a drained one too, and hears nothing from a member that is no home', async () => {
    const [key = ''] = keysHomedOn([1, 2], ids(3), 1);
    net.call(1, 'SET', key, 'v');
    net.call(3, 'SET', key, 'w');
    net.advance(200);
    net.http(2, '/drain');
    net.advance(2_000);
    const readers = [await open(1), await open(2), await open(3)];
    const streams = await during(
      net,
      Promise.all(readers.map((reader) => reader.stream(partitionOf(key), { timeoutMs: 1_000 }))),
    );
    const held = net.member(1).store.get(key);
    const page = held === undefined ? [] : [storedRecord(held)];
    expect(streams).to.deep.equal([{ pages: [page] }, { pages: [page] }, undefined]);
    const [first] = readers;
    expect(await during(net, first?.digests([0]) ?? Promise.resolve([])), 'silence is no failure').to.have.length(1);
  });

  it('hears nothing of a partition that was streamed within 20 s, whoever asked', async () => {
    const [key = ''] = keysHomedOn([1, 2], ids(3), 1);
    net.call(1, 'SET', key, 'v');
    const ask = async () => {
      const reader = await open(1);
      return during(net, reader.stream(partitionOf(key), { timeoutMs: 500 }));
    };
    expect((await ask())?.pages).to.have.length(1);
    expect(await ask()).to.equal(undefined);
    net.advance(20_000);
    expect((await ask())?.pages).to.have.length(1);
  });

  it('streams 16,384 registers in 64 pages, in about 0.4 s', async () => {
    const net1 = new MemberNetwork({ seed: 2, replicas: 1 });
    net1.formed([1], { knobs: { hyperLogLogRegisters: 16_384, maxFrameBytes: 8_000_000 } });
    for (let n = 0; n < 200; n += 1)
      net1.call(1, 'PFADD', 'hll', ...Array.from({ length: 1_000 }, (_, k) => `${n}.${k}`));
    const reader = await during(net1, createNetworkContentClient(net1).open({ host: '127.0.1.1' }, { nodeId: 1 }));
    const beganMs = net1.clock.now();
    const stream = await during(net1, reader.stream(partitionOf('hll')));
    expect(stream?.pages.slice(0, -1).every((page) => page.length === 256)).to.equal(true);
    expect(stream?.pages.flat()).to.have.length.above(16_000);
    expect(net1.clock.now() - beganMs).to.be.within(300, 500);
  });

  it('can skip a record while a page is on its way and another one goes', async () => {
    const [key = ''] = keysHomedOn([1, 2], ids(3), 1);
    const names = Array.from({ length: 600 }, (_, n) => `{${key}}${String(n).padStart(3, '0')}`);
    for (const name of names) write(1, name, 'v');
    const reader = await open(1);
    const asked = reader.stream(partitionOf(key));
    const sent = () => net.metric(1, 'mesh_output_bytes_total');
    const before = sent();
    while (sent() < before + 10_000) net.clock.runNext();
    net.member(1).store.drop(names[0] ?? '');
    const records = (await during(net, asked))?.pages.flat() ?? [];
    const seen = new Set(records.map(({ value }) => Buffer.from(value).toString('hex')));
    expect(seen.size).to.equal(599);
  });

  for (const [how, expected] of [
    ['undecodable', [18, 18]],
    ['unknownFlags', [20, 20]],
    ['overrun', [20, 20]],
    ['unasked', [20, 20]],
    ['partial', [20]],
  ] as const) {
    it(`passes on an answer that is bad: ${how}`, async () => {
      const { records, versions } = await answerOf(how);
      const good = versions.map(storedRecord);
      expect((await records).map(({ value }) => value.length)).to.deep.equal(expected);
      expect(await records).to.not.have.deep.members(good);
    });
  }

  it('refuses an answer above the frame limit', async () => {
    const { records, reader } = await answerOf('tooLarge');
    expect(await failureOf(records)).to.have.property('name', 'StoreTooLargeError');
    expect(await failureOf(reader.digests([0]))).to.have.property('name', 'StoreTooLargeError');
  });

  /** The answer to a question for two records of one bucket. */
  async function answerOf(how: string) {
    const reader = await open(1);
    const byBucket = new Map<number, Version>();
    for (let n = 0; ; n += 1) {
      write(1, `{two}${n}`, 'v');
      const version = net.member(1).store.get(`{two}${n}`);
      if (version === undefined) throw new Error('nothing was written');
      const { bucket } = recordHash(version);
      const other = byBucket.get(bucket);
      byBucket.set(bucket, version);
      if (other === undefined) continue;
      net.member(1).setKnobs({ records: how });
      const versions = [other, version];
      const hashes = versions.map((one) => recordMark(one).hash);
      return { reader, versions, records: during(net, reader.records(partitionOf('{two}'), bucket, hashes)) };
    }
  }

  it('counts as one mesh peer for all observers at the next sample, and not as a member', async () => {
    const first = await open(1);
    const second = await open(1);
    net.advance(2_100);
    expect(net.metric(1, 'mesh_peers')).to.equal(3);
    expect(net.member(1).view.members.map(({ id }) => id)).to.deep.equal(ids(3));
    expect(net.member(1).backlog()).to.equal(0);
    first.close();
    second.close();
    net.advance(2_100);
    expect(net.metric(1, 'mesh_peers')).to.equal(2);
  });

  it('stays connected without pings until it is closed', async () => {
    const reader = await open(1);
    net.advance(60_000);
    expect(await during(net, reader.digests([0]))).to.have.length(1);
  });

  it('loses its answers to a stranger that says Hello later with the same id', async () => {
    const reader = await open(1);
    const stranger = await open(1);
    const failure = await during(net, failureOf(reader.digests([0])));
    expect(failure).to.be.instanceOf(StoreUnreachableError).with.property('reason', 'timeout');
    expect(await during(net, stranger.digests([0]))).to.deep.equal([net.member(1).store.digestOf(0)]);
  });

  it('is refused where no member runs, and closed when the process ends', async () => {
    const reader = await open(3);
    const asked = failureOf(reader.digests([0]));
    net.kill(3);
    expect(await during(net, asked))
      .to.be.instanceOf(StoreUnreachableError)
      .with.property('reason', 'closed');
    expect(await failureOf(reader.digests([1]))).to.have.property('reason', 'closed');
    expect(await failureOf(createNetworkContentClient(net).open(at(3), { nodeId: 3 }))).to.have.property(
      'reason',
      'refused',
    );
  });

  it('refuses an answer of another member than the wanted one', async () => {
    expect(await during(net, failureOf(open(1, 2)))).to.be.instanceOf(StoreProtocolError);
  });

  it('gives up on a frozen member after its time limit', async () => {
    const reader = await open(2);
    net.freeze(2);
    const fromMs = net.clock.now();
    const asked = failureOf(reader.digests([0], { timeoutMs: 700 }));
    expect(await during(net, asked)).to.have.property('reason', 'timeout');
    expect(net.clock.now() - fromMs).to.equal(700);
    expect(await during(net, failureOf(open(2, 2, 300)))).to.have.property('reason', 'timeout');
  });

  it('gets no answer through a cut in either direction', async () => {
    for (const [from, to] of [
      [OBSERVERS, 1],
      [1, OBSERVERS],
    ] as const) {
      const reader = await open(1);
      net.cut(from, to);
      expect(await during(net, failureOf(reader.digests([0], { timeoutMs: 500 })))).to.have.property(
        'reason',
        'timeout',
      );
      net.heal();
    }
  });

  it('gets no answer from a member whose TCP is dropped, which closes the silent connection', async () => {
    const reader = await open(1);
    net.member(1).setKnobs({ drops: [{ peer: '*', lane: 'tcp', direction: 'in' }] });
    net.advance(6_000);
    expect(await failureOf(reader.digests([0]))).to.have.property('reason', 'closed');
  });

  it('waits in the queue of anti-entropy', async () => {
    const reader = await open(1);
    net.member(1).setKnobs({ laneDelayMs: 2_000 });
    const fromMs = net.clock.now();
    await during(net, reader.digests([0]));
    expect(net.clock.now() - fromMs).to.be.within(2_000, 2_100);
  });

  for (const [contents, expected] of [
    ['hang', { reason: 'timeout' }],
    ['close', { reason: 'closed' }],
    ['garbage', { name: 'StoreProtocolError' }],
  ] as const) {
    it(`fails by name when contents are served as ${contents}`, async () => {
      net.member(1).setKnobs({ contents });
      const asked = createNetworkContentClient(net)
        .open(at(1), { nodeId: 1 })
        .then((reader) => reader.digests([0]));
      expect(await during(net, failureOf(asked))).to.include(expected);
    });
  }

  it('rejects with the reason of an aborted signal, and closes its connection then', async () => {
    const reader = await open(1);
    const controller = new AbortController();
    const asked = failureOf(reader.digests([0], { signal: controller.signal }));
    const reason = new Error('stopped');
    controller.abort(reason);
    expect(await asked).to.equal(reason);
    expect(await failureOf(reader.digests([0]))).to.equal(reason);
  });

  it('rejects a call for no partition, for 65, and for one twice', async () => {
    const reader = await open(1);
    const counts = [[], allPartitions.slice(0, 65), [7, 7]];
    for (const partitions of counts) expect(await failureOf(reader.digests(partitions))).to.be.instanceOf(RangeError);
    expect(await failureOf(reader.entries(7, [1], 'short'))).to.be.instanceOf(RangeError);
    expect(await during(net, reader.digests([7]))).to.have.length(1);
  });

  it('does not delay the exit of a member, and is closed by it', async () => {
    const readers = [await open(3), await open(3)];
    expect(stop(net, 3)).to.be.within(2_000, 2_200);
    for (const reader of readers)
      expect(await during(net, failureOf(reader.digests([0])))).to.have.property('reason', 'closed');
  });

  it('gets the answer that a root is right when it is, which no reader asks for', async () => {
    write(1, 'foo', 'v');
    const partition = partitionOf('foo');
    const raw = await during(net, rawObserverOverNetwork(net, '127.0.1.1'));
    const root = textHash(net.member(1).store.digestOf(partition));
    for (const asked of [root, root ^ 1n]) raw.askRoot(partition, asked);
    const answers = await during(
      net,
      raw.answersUntil(({ kind }) => kind === 'digest'),
    );
    expect(answers.map(({ kind }) => kind)).to.deep.equal(['match', 'digest']);
  });

  it('goes with the process that compares, whose calls never succeed then', async () => {
    const client = createNetworkContentClient(net);
    const reader = await during(net, client.open(at(1), { nodeId: 1 }));
    const asked = reader.digests([0]);
    let isSettled = false;
    asked.then(
      () => (isSettled = true),
      () => (isSettled = true),
    );
    client.end();
    net.advance(20_000);
    await Promise.resolve();
    expect([isSettled, net.metric(1, 'mesh_peers')]).to.deep.equal([false, 2]);
    expect(await failureOf(reader.digests([0]))).to.be.instanceOf(StoreUnreachableError);
  });

  it('gets an answer about a partition of which the member is no home like about any other', async () => {
    write(3, 'stray', 'v');
    const partition = partitionOf('stray');
    const reader = await open(3);
    const [digest] = await during(net, reader.digests([partition]));
    expect(digest).to.equal(net.member(3).store.digestOf(partition));
    expect(digest).to.not.equal(EMPTY_DIGEST);
  });
});
