// Clients that write, and the ledger that judges: the effect of each kind of write, and when the ledger complains.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { MemberNetwork, MemoryDisk } from '../src/index.ts';
import { partKey } from '../src/member/records/keys.ts';
import { Ledger } from '../src/world/clients/ledger.ts';
import { Stranger } from '../src/world/clients/stranger.ts';
import { WriterClient, type WriterOptions } from '../src/world/clients/writer-client.ts';
import { homesOf, ids, keysHomedOn, stop } from './support.ts';

interface Bench {
  readonly net: MemberNetwork;
  readonly ledger: Ledger;
  /** Writes for so long with these options. */
  write(ms: number, options: Partial<WriterOptions>): WriterClient;
}

function bench(seed: number, knobs: Readonly<Record<string, unknown>> = {}): Bench {
  const net = new MemberNetwork({ seed });
  net.formed(ids(3), { knobs: { reorderRate: 0, ...knobs } });
  net.advance(8_000);
  const names = ids(3).map(String);
  const ledger = new Ledger(net, () => ({
    lives: () => names.map((processName) => ({ isRunning: net.isUp(processName), processName })),
    disks: () => names.map((name) => [name, net.disk(name)] as const),
  }));
  const endpoints = { of: () => names.filter((name) => net.isUp(name)).map((name) => `127.0.1.${name}`) };
  let chance = 0;
  return {
    net,
    ledger,
    write(ms, options) {
      const writer = new WriterClient({
        network: net,
        endpoints,
        ledger,
        random: () => (chance = (chance + 0.37) % 1),
        service: 'default/demo',
        name: 'w',
        writesPerSecond: 50,
        keys: 20,
        isAware: true,
        ...options,
      });
      net.advance(ms);
      writer.stop();
      return writer;
    },
  };
}

/** On how many running members the last acknowledged write of each key is. */
function copiesOnLiving(ledger: Ledger): ReadonlyMap<string, number> {
  const kept = ids(3).map((id) => ledger.keptOnLiving((process) => process === String(id)));
  return new Map([...ledger.readable()].map(({ key }) => [key, kept.filter((keys) => keys.has(key)).length]));
}

/** A client got the answer of this member. */
function acknowledge({ net, ledger }: Bench, id: number, ...keys: readonly string[]): void {
  ledger.acknowledge(keys.map((key) => net.member(id).store.get(key)));
}

describe('the ledger', function () {
  this.timeout(20_000);

  it('finds every acknowledged write on both homes, and counts them on living members', () => {
    const { net, ledger, write } = bench(1);
    write(3_000, {});
    net.advance(1_000);
    expect(ledger.check()).to.include({ keys: 20 }).and.to.deep.include({ lost: [], incomplete: [] });
    expect([...new Set(copiesOnLiving(ledger).values())]).to.deep.equal([2]);
  });

  it('distinguishes a key that only a volume still has from one that a living member has', () => {
    const of = bench(2);
    const { net, ledger } = of;
    const [key = ''] = keysHomedOn([1, 2], ids(3), 1);
    net.member(1).setKnobs({ pushLossRate: 1 });
    expect(net.call(1, 'SET', key, '1')).to.equal('+OK\r\n');
    acknowledge(of, 1, key);
    expect(copiesOnLiving(ledger).get(key)).to.equal(1);
    net.kill(1);
    expect(copiesOnLiving(ledger).get(key)).to.equal(0);
    expect(ledger.check().lost).to.deep.equal([key]);
    expect(ledger.onlyOn(new MemoryDisk())).to.deep.equal([]);
    expect(ledger.onlyOn(net.disk(1))).to.deep.equal([key]);
  });

  it('complains about a key that only a member has that is no home of it', () => {
    const of = bench(3);
    const { net, ledger } = of;
    const [key = ''] = keysHomedOn([1, 2], ids(3), 1);
    net.member(3).setKnobs({ pushLossRate: 1 });
    net.call(3, 'SET', key, '1');
    acknowledge(of, 3, key);
    expect(ledger.onlyOn(net.disk(3))).to.deep.equal([key]);
    expect(ledger.check()).to.deep.include({ lost: [], incomplete: [key] });
  });

  it('adds up what was counted at both homes, and misses what only a lost member had', () => {
    const of = bench(4);
    const { net, ledger, write } = of;
    write(4_000, { counters: 3 });
    net.advance(20_000);
    expect(ledger.check()).to.deep.include({ lost: [], incomplete: [] });
    const slots = ids(3).flatMap((id) => {
      const merged = net.member(id).store.get('counter:0')?.merged;
      return merged?.kind === 'counter' ? [merged.slots.map((slot) => slot.id)] : [];
    });
    expect(slots[0]).to.have.members(homesOf('counter:0', ids(3)));
    const [first = 0, second = 0] = homesOf('counter:0', ids(3));
    net.member(first).setKnobs({ pushLossRate: 1 });
    expect(net.call(first, 'INCR', 'counter:0')).to.match(/^:\d+\r\n$/);
    acknowledge(of, first, 'counter:0');
    expect(ledger.onlyOn(net.disk(first))).to.deep.equal(['counter:0']);
    expect(copiesOnLiving(ledger).get('counter:0')).to.equal(1);
    net.kill(first);
    expect(ledger.check().lost).to.deep.equal(['counter:0']);
    expect(net.isUp(second)).to.equal(true);
  });

  it('does not report a counter as lost whose halves are on two members', () => {
    const of = bench(5, { pushLossRate: 1 });
    const { net, ledger } = of;
    const [key = ''] = keysHomedOn([1, 2], ids(3), 1);
    for (const id of [1, 2]) {
      net.call(id, 'INCR', key);
      acknowledge(of, id, key);
    }
    expect(ledger.check()).to.deep.include({ lost: [], incomplete: [key] });
    expect(copiesOnLiving(ledger).get(key)).to.equal(0);
    expect(ledger.keptOnLiving(() => true).has(key), 'together they have it').to.equal(true);
  });

  it('forgets a record when it has expired, not before', () => {
    const { net, ledger, write } = bench(6);
    write(2_000, { expireSeconds: 20, keys: 3 });
    const brief = () => [...ledger.readable()].filter(({ key }) => key.includes(':brief:'));
    expect(brief()).to.have.length(1);
    net.advance(10_000);
    expect(brief()).to.have.length(1);
    net.advance(10_000);
    expect(brief()).to.deep.equal([]);
    expect(ledger.check()).to.deep.include({ lost: [], incomplete: [] });
  });

  it('keeps what clients share of every kind, whoever takes it, on both homes in the end', () => {
    const of = bench(10);
    const { net, ledger, write } = of;
    const everywhere = () => ids(3).map((id) => `127.0.1.${id}`);
    net.member(2).setKnobs({ clockStepMs: 1_500 });
    const writer = write(20_000, { shared: 2, keys: 4, everywhere });
    net.advance(40_000);
    expect(writer.refused).to.be.below(20);
    expect(ledger.acknowledged).to.be.above(900);
    const kinds = new Set([...ledger.readable()].map(({ merged }) => merged?.kind));
    expect([...kinds]).to.have.members(['element', 'counter', 'register', undefined]);
    expect(ledger.check()).to.deep.include({ lost: [], incomplete: [] });
  });

  it('complains about a deletion that only one member knows of, as long as another one shows the record', () => {
    const of = bench(11);
    const { net, ledger } = of;
    const [key = ''] = keysHomedOn([1, 2], ids(3), 1);
    net.call(1, 'HSET', key, 'f', 'v');
    net.advance(200);
    net.member(1).setKnobs({ pushLossRate: 1 });
    net.call(1, 'HDEL', key, 'f');
    const field = partKey(key, 'h', 'f');
    acknowledge(of, 1, field);
    expect(ledger.check()).to.deep.include({ lost: [], incomplete: [field] });
    expect(ledger.onlyOn(net.disk(1))).to.deep.equal([field]);
    net.kill(1);
    expect(ledger.check().lost).to.deep.equal([field]);
  });

  it('complains about a newer record that covers nothing of the older one', () => {
    const of = bench(12);
    const { net, ledger } = of;
    const [key = ''] = keysHomedOn([1, 2], ids(3), 1);
    net.call(1, 'HSET', key, 'f', 'old');
    net.advance(200);
    for (const id of ids(3)) net.member(id).setKnobs({ pushLossRate: 1 });
    net.call(1, 'HSET', key, 'f', 'new');
    const field = partKey(key, 'h', 'f');
    acknowledge(of, 1, field);
    net.advance(10);
    net.call(2, 'HEXPIRE', key, '3600', 'FIELDS', '1', 'f');
    acknowledge(of, 2, field);
    expect(ledger.check()).to.deep.include({ lost: [], incomplete: [field] });
    net.kill(1);
    expect(ledger.check().lost).to.deep.equal([field]);
  });

  it('does not complain about the write with the lower clock of two', () => {
    const of = bench(13, { pushLossRate: 1 });
    const { net, ledger } = of;
    const [key = ''] = keysHomedOn([1, 2], ids(3), 1);
    net.member(1).setKnobs({ clockStepMs: 2_000 });
    net.call(1, 'SET', key, 'first');
    acknowledge(of, 1, key);
    net.call(2, 'SET', key, 'second');
    acknowledge(of, 2, key);
    net.kill(2);
    expect(ledger.check().lost).to.deep.equal([]);
    expect([...ledger.readable()].map(({ value }) => value)).to.deep.equal(['first']);
  });

  it('notices that a value above the frame limit never leaves the member that took it', () => {
    const { net, ledger, write } = bench(7, { maxFrameBytes: 2_000 });
    write(2_000, { large: { every: 10, bytes: 4_000 }, keys: 10 });
    net.advance(40_000);
    const large = [...copiesOnLiving(ledger)].filter(([key]) => key.includes(':large:'));
    expect(large).to.deep.equal([['w:large:0', 1]]);
    const [holder = 0] = ids(3).filter((id) => net.member(id).store.get('w:large:0') !== undefined);
    stop(net, holder);
    expect(ledger.check().lost).to.deep.equal(['w:large:0']);
  });
});

describe('clients that do not know homes', function () {
  this.timeout(20_000);

  it('make a gap in the pushes with every MSET, which anti-entropy closes', () => {
    const { net, ledger, write } = bench(8);
    write(3_000, { isAware: false, msetKeys: 30, keys: 3_000, writesPerSecond: 20 });
    const behind = ledger.check().incomplete.length;
    expect(behind).to.be.above(50);
    expect(ledger.check().lost).to.deep.equal([]);
    net.advance(60_000);
    expect(ledger.check().incomplete).to.deep.equal([]);
  });
});

describe('a stranger with the id of observers', () => {
  it('connects to members again and again until it is stopped', () => {
    const { net } = bench(9);
    const stranger = new Stranger({
      network: net,
      random: () => 0.5,
      addresses: () => ids(3).map((id) => `127.0.1.${id}`),
      everyMs: 4_000,
      staysMs: 6_000,
    });
    const peers = new Set<number>();
    for (let n = 0; n < 40; n += 1) {
      net.advance(500);
      peers.add(net.metric(2, 'mesh_peers'));
    }
    expect([...peers]).to.have.members([2, 3]);
    expect(stranger.visits).to.equal(5);
    stranger.stop();
    net.advance(3_000);
    expect(net.metric(2, 'mesh_peers')).to.equal(2);
  });
});
