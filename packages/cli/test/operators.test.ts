import { ANNOTATIONS, formatNamespacesNote, type NamespacesNote } from '@marekvs/api';
import type { Lease } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { namespaceLines } from '../src/verbs/operators/namespace-lines.ts';
import { replicasOf } from '../src/verbs/operators/replica-rows.ts';

const BASE = 'marekvs-operator';

function lease(name: string, holder: string, annotations: Readonly<Record<string, string>> = {}): Lease {
  return {
    metadata: { name, namespace: 'marekvs-system', annotations: { ...annotations } },
    spec: { holderIdentity: holder, acquireTime: '2026-01-01T00:00:00.000000Z' },
  };
}

/** The register of two replicas with half of the slots each. */
const NOW = '0'.repeat(128) + '1'.repeat(128);
const HALVES = JSON.stringify({ generation: 3, now: NOW, before: NOW, sum: 'a0364d84' });
const load = (clusters: number, cpu: number) => `clusters=${clusters} queue=0.01 loop=0.02 cpu=${cpu} memory=0.20`;

function fixed(ordinal: number, cpu = 0.3): Lease {
  return lease(`${BASE}-${ordinal}`, `${BASE}-${ordinal}_uid_boot`, {
    [ANNOTATIONS.share]: 'static 3',
    [ANNOTATIONS.load]: load(10, cpu),
  });
}

const marked = (holder: string): Lease => lease(BASE, holder, { [ANNOTATIONS.sharedBy]: holder });

describe('the replicas of the operator', () => {
  it('are shown as one that leads, in mode single', () => {
    const leader = lease(BASE, `${BASE}-x_uid_boot`, { [ANNOTATIONS.load]: load(100, 0.3) });
    const { mode, rows, advice } = replicasOf([leader], BASE);
    expect(mode).to.equal('single');
    expect(rows[0]).to.include({ replica: `${BASE}-x`, slots: 256, clusters: 100, pressure: 0.3, pressureOf: 'cpu' });
    expect(advice).to.equal(undefined);
  });

  it('get the advice to be several, and how many, when one is near its limit', () => {
    const at = (cpu: number) => replicasOf([lease(BASE, 'a_u_b', { [ANNOTATIONS.load]: load(100, cpu) })], BASE).advice;
    expect(at(0.7)).to.equal(undefined);
    expect(at(0.71)).to.equal('a is at 71 % of one process (cpu): --mode=ring with 2 replicas');
    expect(at(1.6)).to.match(/--mode=ring with 4 replicas$/);
  });

  it('are shown with a half each in mode static, and get the advice to be more when one is near its limit', () => {
    const holder = `${BASE}-0_uid_boot`;
    const leader = lease(BASE, holder, { [ANNOTATIONS.sharedBy]: holder, [ANNOTATIONS.shares]: HALVES });
    const calm = replicasOf([leader, fixed(0), fixed(1)], BASE);
    expect([calm.mode, calm.generation, calm.advice]).to.deep.equal(['static', 3, undefined]);
    expect(calm.rows.map(({ slots }) => slots)).to.deep.equal([128, 128]);
    expect(replicasOf([leader, fixed(0, 0.9), fixed(1, 0.9)], BASE).advice).to.match(/: 4 replicas$/);
  });

  it('of different rules are reported as such', () => {
    const ring = lease(`${BASE}-1`, 'b_u_b', { [ANNOTATIONS.share]: 'ring 3' });
    const { mode, advice } = replicasOf([marked('a_u_b'), fixed(0), ring], BASE);
    expect(mode).to.equal('mixed');
    expect(advice).to.match(/different rules/);
  });

  it('of another format are named, because a replica that waits for them holds no lease and is not shown (F31)', () => {
    const of = (ordinal: number, format?: string): Lease => {
      const one = fixed(ordinal);
      const annotations = {
        ...one.metadata.annotations,
        ...(format === undefined ? {} : { [ANNOTATIONS.shareFormat]: format }),
      };
      return { ...one, metadata: { ...one.metadata, annotations } };
    };
    const advice = (...leases: readonly Lease[]) => replicasOf([marked('a_u_b'), ...leases], BASE).advice;
    expect(advice(of(0), of(1, '1/256'))).to.equal(undefined);
    expect(advice(of(0, '2/512'), of(1, '2/512'))).to.match(
      /^replicas share in format 2\/512, and this version writes 1\/256: one/,
    );
    expect(advice(of(0, '2/512'), of(1))).to.match(/in format 1\/256 and 2\/512/);
    expect(advice(of(0, 'x'.repeat(1_000)))?.length).to.be.lessThan(200);
  });

  it('get no advice as long as the load of one is unknown', () => {
    const silent = lease(`${BASE}-1`, 'b_u_b', { [ANNOTATIONS.share]: 'static 3' });
    expect(replicasOf([marked('a_u_b'), fixed(0, 5), silent], BASE).advice).to.equal(undefined);
  });

  it('that are away but still have slots are shown', () => {
    const gone = lease(`${BASE}-1`, '', { [ANNOTATIONS.share]: 'ring 3' });
    const register = {
      [ANNOTATIONS.shares]: HALVES,
      [ANNOTATIONS.sharedBy]: 'a_u_b',
    };
    const first = lease(`${BASE}-0`, 'a_u_b', { [ANNOTATIONS.share]: 'ring 3' });
    const { mode, rows, generation } = replicasOf([lease(BASE, 'a_u_b', register), first, gone], BASE);
    expect(mode).to.equal('ring');
    expect(generation).to.equal(3);
    expect(rows.map(({ replica, slots, isCoordinator }) => [replica, slots, isCoordinator])).to.deep.equal([
      ['a', 128, true],
      [undefined, 128, false],
    ]);
  });
});

describe('the namespaces of the operator', () => {
  const note = (change: Partial<NamespacesNote> = {}): NamespacesNote => ({
    from: 'marekvs-system/which',
    held: 2,
    quiet: 0,
    starting: 0,
    refused: 0,
    leaving: 0,
    streams: 16,
    without: [],
    problems: [],
    ...change,
  });
  const linesOf = (...texts: readonly string[]) =>
    namespaceLines(
      replicasOf(
        texts.map((text, at) =>
          lease(`${BASE}-${at}`, `r${at}_u_b`, { [ANNOTATIONS.share]: 'ring 3', [ANNOTATIONS.namespaces]: text }),
        ),
        BASE,
      ).rows,
    );

  it('are not reported when they are fixed, or when the note about them cannot be read', () => {
    expect(namespaceLines(replicasOf([lease(BASE, 'a_u_b')], BASE).rows)).to.deep.equal([]);
    expect(linesOf('{', '[]', '7', '{"from":3}')).to.deep.equal([]);
  });

  it('are counted, with how many have no cluster', () => {
    expect(linesOf(formatNamespacesNote(note({ quiet: 40 })))).to.deep.equal([
      'namespaces of ConfigMap marekvs-system/which: 42 of 42 managed, 40 of them without a cluster',
    ]);
  });

  it('that are not managed are named with the reason and the command, whichever replica says so', () => {
    const why = 'may not list pods';
    const bad = note({ refused: 2, without: [{ namespace: 'team-x', why }] });
    expect(linesOf(formatNamespacesNote(note()), formatNamespacesNote(bad))).to.deep.equal([
      'namespaces of ConfigMap marekvs-system/which: 2 of 4 managed',
      'without rights: team-x, may not list pods: kubectl apply -n team-x -k config/components/namespace-role',
      'without rights: 1 more',
    ]);
  });

  it('are reported with settings that are not in force, and with advice when watching all would be cheaper', () => {
    const lines = linesOf(formatNamespacesNote(note({ problems: ['ConfigMap a/b is not there'], streams: 401 })));
    expect(lines.slice(1)).to.deep.equal([
      'not in force: ConfigMap a/b is not there',
      'recommended: 401 watches for these, all namespaces together take 8: config/components/cluster-role',
    ]);
    expect(linesOf(formatNamespacesNote(note({ streams: 400 })))).to.have.length(1);
  });

  it('fit in a note of bounded length, however many are refused', () => {
    const without = Array.from({ length: 5_000 }, (_, at) => ({ namespace: `team-${at}`, why: 'x'.repeat(500) }));
    expect(formatNamespacesNote(note({ refused: 5_000, without })).length).to.be.below(2_000);
  });
});
