// The contents of a member as others see them: digests, records that merge, records that expire, and frames that are
// lost as a whole.

import { BUCKETS, bucketDigests, EMPTY_DIGEST } from '@marekvs/api';
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { MemberNetwork, type Version } from '../src/index.ts';
import { partitionOf } from '../src/member/records/keys.ts';
import { merge } from '../src/member/records/merging.ts';
import { leb128, partitionDigest } from '../src/member/records/partition-digest.ts';
import { recordHash } from '../src/member/records/record-hash.ts';
import { Store } from '../src/member/records/store.ts';
import { ids, keysHomedOn, restartAll } from './support.ts';

const version = (key: string, clock: number, rest: Partial<Version> = {}): Version => ({
  key,
  clock,
  origin: 1,
  value: 'v',
  isDead: false,
  ...rest,
});
const counter = (clock: number, slots: readonly (readonly [number, number])[], base = 0): Version =>
  version('counter', clock, {
    origin: slots[0]?.[0] ?? 1,
    merged: {
      kind: 'counter',
      base: { clock: base, origin: 0, value: 0 },
      slots: slots.map(([id, increments]) => ({ id, increments, decrements: 0 })),
    },
  });

const records = fc.uniqueArray(
  fc.record({ key: fc.string({ maxLength: 6 }), clock: fc.integer({ min: 1, max: 2 ** 52 }) }),
  { selector: ({ key }) => key, maxLength: 12 },
);

function storeOf(versions: readonly Version[]): Store {
  const store = new Store(() => undefined);
  for (const one of versions) store.apply(one);
  return store;
}

describe('digests of a partition', () => {
  it('are the same whatever the order of the writes', () => {
    fc.assert(
      fc.property(records, fc.infiniteStream(fc.nat()), (list, orders) => {
        const versions = list.map(({ key, clock }) => version(`{t}${key}`, clock));
        const shuffled = versions.map((one) => [orders.next().value, one] as const).sort(([a], [b]) => a - b);
        const other = storeOf(shuffled.map(([, one]) => ({ ...one })));
        expect(other.digestOf(partitionOf('{t}'))).to.equal(storeOf(versions).digestOf(partitionOf('{t}')));
      }),
    );
  });

  it('are 256 canonical numbers, and 256 zeros for nothing', () => {
    fc.assert(
      fc.property(records, (list) => {
        const digest = partitionDigest(list.map(({ key, clock }) => version(key, clock)));
        expect(bucketDigests(digest)).to.have.length(BUCKETS);
        expect(digest === EMPTY_DIGEST).to.equal(list.length === 0);
      }),
    );
  });

  it('differ in exactly the bucket of the one record that differs', () => {
    fc.assert(
      fc.property(records, fc.constantFrom('version', 'value', 'death', 'origin', 'expiry'), (list, what) => {
        const versions = list.map(({ key, clock }) => version(key, clock));
        const before = version('changed', 7);
        const after: Version = {
          version: version('changed', 8),
          value: version('changed', 7, { value: 'w' }),
          death: version('changed', 7, { isDead: true }),
          origin: version('changed', 7, { origin: 2 }),
          expiry: version('changed', 7, { expiresAtMs: 9 }),
        }[what];
        const [left, right] = [before, after].map((one) => bucketDigests(partitionDigest([...versions, one])) ?? []);
        const differing = left?.flatMap((digest, bucket) => (digest === right?.[bucket] ? [] : [bucket]));
        expect(differing).to.deep.equal([recordHash(before).bucket]);
      }),
    );
  });

  it('are the XOR of the records, so a record that is dropped leaves no trace', () => {
    fc.assert(
      fc.property(records, (list) => {
        const store = storeOf(list.map(({ key, clock }) => version(`{t}${key}`, clock)));
        const before = store.digestOf(partitionOf('{t}'));
        store.apply(version('{t}dropped later', 1));
        expect(store.digestOf(partitionOf('{t}'))).to.not.equal(before);
        store.drop('{t}dropped later');
        expect(store.digestOf(partitionOf('{t}'))).to.equal(before);
      }),
    );
  });

  it('encode 64-bit numbers as LEB128', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (number) => {
        const text = leb128(Number(number >> 32n), Number(number & 0xffff_ffffn));
        let decoded = 0n;
        for (let at = text.length - 1; at >= 0; at -= 1) decoded = (decoded << 7n) | BigInt(text.charCodeAt(at) & 0x7f);
        expect(decoded).to.equal(number);
        expect([...text].map((byte) => byte.charCodeAt(0) >= 0x80).lastIndexOf(true)).to.be.below(
          Math.max(1, text.length - 1),
        );
      }),
    );
  });
});

describe('records that merge', () => {
  const slot = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 9 }));
  const counters = fc
    .tuple(fc.integer({ min: 1, max: 5 }), fc.uniqueArray(slot, { selector: ([id]) => id, minLength: 1 }), fc.nat(1))
    .map(([clock, slots, base]) =>
      counter(
        clock,
        [...slots].sort(([a], [b]) => a - b),
        base,
      ),
    );

  it('have the same result in either order of merging, and when they are merged again', () => {
    fc.assert(
      fc.property(counters, counters, (a, b) => {
        const merged = merge(a, b);
        // Two writes of one member never have the same clock.
        fc.pre(a.clock !== b.clock || a.origin !== b.origin);
        expect(merge(b, a)).to.deep.equal(merged);
        expect(merge(merged, a)).to.equal(merged);
        expect(merge(merged, b)).to.equal(merged);
      }),
    );
  });

  it('keep the parts that a newer record lacks', () => {
    expect(merge(counter(1, [[1, 5]]), counter(2, [[2, 3]]))).to.include({ clock: 2, value: '8' });
  });

  it('start again from a newer base', () => {
    expect(merge(counter(3, [[1, 5]]), counter(2, [[2, 3]], 1))).to.include({ clock: 3, value: '3' });
  });

  it('of a register keep the higher rank with its own version, and of equal ranks the lower version', () => {
    const register = (clock: number, rank: number) => version('r', clock, { merged: { kind: 'register', rank } });
    const [high, low, same] = [register(1, 9), register(2, 4), register(3, 9)];
    expect([merge(high, low), merge(low, high), merge(high, same), merge(same, high)]).to.deep.equal([
      high,
      high,
      high,
      high,
    ]);
  });

  it('are replaced by a newer string and by a newer tombstone', () => {
    expect(merge(counter(1, [[1, 5]]), version('counter', 2)).merged).to.equal(undefined);
    expect(merge(counter(1, [[1, 5]]), version('counter', 2, { isDead: true }))).to.include({ isDead: true });
  });
});

function cluster(seed: number, count: number): MemberNetwork {
  const net = new MemberNetwork({ seed });
  net.formed(ids(count), { knobs: { reorderRate: 0 } });
  net.advance(10_000);
  return net;
}

describe('a counter', function () {
  this.timeout(10_000);

  it('that is counted on both homes at once has the sum of both, wherever it is read', () => {
    const net = cluster(1, 3);
    const [key = ''] = keysHomedOn([1, 2], ids(3), 1);
    for (let n = 0; n < 10; n += 1) {
      net.member(1).setKnobs({ pushLossRate: n % 2 });
      const [one, two] = [net.connect(1), net.connect(2)];
      one.send('INCR', key);
      two.send('INCRBY', key, '10');
      net.advance(3);
    }
    net.advance(20_000);
    expect(ids(3).map((id) => net.call(id, 'GET', key))).to.deep.equal(ids(3).map(() => '$3\r\n110\r\n'));
    const [digest, ...others] = [1, 2].map((id) => net.member(id).store.digestOf(partitionOf(key)));
    expect(others).to.deep.equal([digest]);
  });

  it('that was merged on one home is merged on the other by anti-entropy, although neither record is newer', () => {
    const net = cluster(2, 2);
    const [key = ''] = keysHomedOn([1, 2], ids(2), 1);
    for (const id of ids(2)) net.member(id).setKnobs({ pushLossRate: 1 });
    net.call(1, 'INCR', key);
    net.call(2, 'INCR', key);
    const newer = net.member(2).store.get(key);
    if (newer === undefined) throw new Error('nothing was counted');
    net.member(1).store.apply(newer);
    expect([1, 2].map((id) => net.member(id).store.get(key)?.value)).to.deep.equal(['2', '1']);
    net.advance(20_000);
    expect([1, 2].map((id) => net.member(id).store.get(key)?.value)).to.deep.equal(['2', '2']);
  });

  it('counts on from a number that was set, starts at 0 after DEL, and refuses what is not a number', () => {
    const net = cluster(3, 2);
    expect(net.call(1, 'SET', 'n', '41')).to.equal('+OK\r\n');
    expect([net.call(1, 'INCR', 'n'), net.call(1, 'DECRBY', 'n', '2')]).to.deep.equal([':42\r\n', ':40\r\n']);
    net.call(1, 'DEL', 'n');
    expect(net.call(1, 'INCR', 'n')).to.equal(':1\r\n');
    net.call(1, 'SET', 'n', 'text');
    expect(net.call(1, 'INCR', 'n')).to.match(/^-ERR value is not an integer/);
  });

  it('survives a restart from its folder', () => {
    const net = cluster(4, 2);
    net.call(1, 'INCRBY', 'n', '7');
    net.advance(1_000);
    restartAll(net, ids(2));
    expect([net.call(1, 'INCR', 'n'), net.call(2, 'GET', 'n')]).to.deep.equal([':8\r\n', '$1\r\n7\r\n']);
  });
});

describe('a HyperLogLog', function () {
  this.timeout(10_000);
  const counted = (net: MemberNetwork, id: number, key = 'hll') => Number(net.call(id, 'PFCOUNT', key).slice(1));

  it('counts what was added at either home', () => {
    const net = cluster(5, 2);
    for (let n = 0; n < 40; n += 1) net.call(1 + (n % 2), 'PFADD', 'hll', `element ${n}`);
    net.advance(20_000);
    expect(counted(net, 1)).to.be.within(25, 60);
    expect(counted(net, 2)).to.equal(counted(net, 1));
  });

  it('that was counted apart never converges, until PFMERGE goes through each home', () => {
    const net = cluster(12, 2);
    for (const id of ids(2)) net.member(id).setKnobs({ pushLossRate: 1 });
    for (let n = 0; n < 200; n += 1) net.call(1, 'PFADD', 'hll', `one ${n}`);
    net.advance(100);
    for (let n = 0; n < 200; n += 1) net.call(2, 'PFADD', 'hll', `two ${n}`);
    const differing = () => {
      const digests = ids(2).map((id) => net.member(id).store.digestOf(partitionOf('hll')));
      return digests[0] !== digests[1];
    };
    for (const id of ids(2)) net.member(id).setKnobs({ pushLossRate: 0 });
    net.advance(90_000);
    const ranks = () => ids(2).map((id) => registers(net, id));
    const [one, two] = ranks();
    expect([differing(), one?.join() === two?.join()]).to.deep.equal([true, false]);
    for (const id of ids(2)) net.call(id, 'PFMERGE', 'copy', 'hll');
    net.advance(20_000);
    for (const id of ids(2)) net.call(id, 'PFMERGE', 'hll', 'copy');
    net.advance(20_000);
    const [mine, theirs] = ranks();
    expect(theirs).to.deep.equal(mine);
  });

  it('that is deleted and filled again counts 0, which is how the server works', () => {
    const net = cluster(13, 2);
    const elements = Array.from({ length: 300 }, (_, n) => `e${n}`);
    net.call(1, 'PFADD', 'hll', ...elements);
    expect(counted(net, 1)).to.be.above(100);
    expect(net.call(1, 'DEL', 'hll')).to.equal(':1\r\n');
    expect(counted(net, 1)).to.equal(0);
    net.call(1, 'PFADD', 'hll', ...elements);
    net.advance(10_000);
    expect(ids(2).map((id) => counted(net, id))).to.deep.equal([0, 0]);
  });
});

function registers(net: MemberNetwork, id: number): readonly string[] {
  return Array.from(net.member(id).store.versionsOf(partitionOf('hll')))
    .filter(({ merged }) => merged?.kind === 'register')
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ value }) => value);
}

describe('a record that expires', function () {
  this.timeout(10_000);

  it('can be read until its time is over, and turns into a tombstone of its deadline, which is forgotten later', () => {
    const net = cluster(6, 3);
    const [key = ''] = keysHomedOn([2, 3], ids(3), 1);
    net.call(3, 'SET', key, 'v', 'EX', '5');
    const deadline = net.member(3).store.get(key)?.expiresAtMs ?? 0;
    net.advance(4_900);
    expect(net.call(2, 'GET', key)).to.equal('$1\r\nv\r\n');
    const dead = new Map<number, number>();
    for (let ms = 0; ms < 2_600; ms += 5) {
      net.advance(5);
      for (const id of [2, 3]) if (net.member(id).store.get(key)?.isDead && !dead.has(id)) dead.set(id, ms);
    }
    expect(net.call(1, 'GET', key)).to.equal('$-1\r\n');
    expect([...dead.keys()]).to.have.members([2, 3]);
    expect(dead.get(2)).to.not.equal(dead.get(3));
    expect(net.member(2).store.get(key)).to.include({ isDead: true, clock: deadline * 1_024 });
    net.advance(3_700_000);
    expect(ids(3).map((id) => net.member(id).store.get(key))).to.deep.equal([undefined, undefined, undefined]);
  });

  it('is deleted on a member whose clock is behind by another one', () => {
    const net = cluster(7, 2);
    net.call(1, 'SET', 'k', 'v', 'EX', '5');
    net.advance(1_000);
    net.member(2).setKnobs({ clockStepMs: -4_000_000 });
    net.advance(10_000);
    expect([1, 2].map((id) => net.member(id).store.get('k')?.isDead)).to.deep.equal([true, true]);
  });

  it('stays while clients write all the time', () => {
    const net = cluster(14, 1);
    net.call(1, 'SET', 'k', 'v', 'EX', '5');
    for (let n = 0; n < 200; n += 1) {
      net.advance(50);
      net.call(1, 'SET', 'other', String(n));
    }
    expect([net.call(1, 'GET', 'k'), net.member(1).store.get('k')?.isDead]).to.deep.equal(['$-1\r\n', false]);
    net.advance(2_100);
    expect(net.member(1).store.get('k')?.isDead).to.equal(true);
  });

  it('dies by its old deadline although it was renewed, when a member returns that missed the renewal', () => {
    const net = cluster(15, 2);
    net.call(1, 'SET', 'k', 'v', 'EX', '5');
    net.advance(1_000);
    net.kill(2);
    net.advance(500);
    net.call(1, 'SET', 'k', 'v', 'EX', '3600');
    net.advance(4_000);
    // What is not repaired before the member looks at its clock is deleted everywhere.
    net.start(2, { knobs: { repairDropRate: 1 } });
    net.until(() => net.isAgreed(ids(2)), 30_000, 'return of 2');
    net.advance(10_000);
    expect(ids(2).map((id) => net.member(id).store.get('k')?.isDead)).to.deep.equal([true, true]);
  });

  it('cannot get a time that is not a number of seconds', () => {
    const net = cluster(8, 1);
    expect(net.call(1, 'SET', 'k', 'v', 'EX', '0')).to.equal('-ERR syntax error\r\n');
    expect(net.call(1, 'SET', 'k', 'v', 'NX')).to.equal('-ERR syntax error\r\n');
  });
});

describe('a frame above the limit', () => {
  it('is lost with everything else in the same repair', () => {
    const net = cluster(9, 2);
    for (const id of ids(2)) net.member(id).setKnobs({ maxFrameBytes: 1_000, pushLossRate: 1 });
    const bucketOf = (key: string) => recordHash(version(key, 1)).bucket;
    const large = '{frame}large';
    const keys = Array.from({ length: 3_000 }, (_, n) => `{frame}${n}`);
    const [same = ''] = keys.filter((key) => bucketOf(key) === bucketOf(large));
    const [other = ''] = keys.filter((key) => bucketOf(key) !== bucketOf(large));
    net.call(1, 'SET', large, 'x'.repeat(2_000));
    for (const key of [same, other]) net.call(1, 'SET', key, 'v');
    net.advance(30_000);
    const held = [large, same, other].map((key) => net.member(2).store.get(key)?.key);
    expect(held).to.deep.equal([undefined, undefined, other]);
  });

  it('leaves a hole in a bootstrap that counts as done', () => {
    const net = new MemberNetwork({ seed: 10 });
    net.formed([1], { knobs: { maxFrameBytes: 1_000 } });
    net.call(1, 'SET', '{frame}large', 'x'.repeat(2_000));
    net.call(1, 'SET', '{frame}small', 'v');
    net.start(2, { knobs: { maxFrameBytes: 1_000 } });
    net.until(() => net.isRespOpen(2), 60_000, 'join of 2');
    expect(['{frame}large', '{frame}small'].map((key) => net.member(2).store.get(key))).to.deep.equal([
      undefined,
      undefined,
    ]);
  });
});

describe('anti-entropy', function () {
  this.timeout(10_000);

  it('falls behind by many seconds when many partitions differ, while pushes go on at once', () => {
    const net = cluster(11, 3);
    for (const id of ids(3)) net.member(id).setKnobs({ differingPartitionMs: 25 });
    const keys = keysHomedOn([1, 2], ids(3), 400);
    // One transaction through a member that is no home, whose ring numbers hide those of the following writes.
    net.call(3, 'MSET', ...keys.slice(0, 200).flatMap((key) => [key, 'v']));
    net.advance(200);
    for (const key of keys.slice(200)) net.call(3, 'SET', key, 'v');
    net.advance(500);
    const lacking = () => keys.filter((key) => [1, 2].every((id) => net.member(id).store.get(key) === undefined));
    expect(lacking()).to.have.length.above(80);
    const [fresh = ''] = keysHomedOn([1, 2], ids(3), 401).slice(400);
    net.call(1, 'SET', fresh, 'v');
    net.advance(200);
    expect([net.member(2).store.get(fresh)?.value, lacking().length > 80]).to.deep.equal(['v', true]);
    const took = net.until(() => lacking().length === 0, 120_000, 'repair of what was not pushed');
    expect(took).to.be.within(5_000, 60_000);
  });
});
