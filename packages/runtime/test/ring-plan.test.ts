// What the coordinator writes next, from a state that a test describes: the present register, what each
// replica has followed, and what this process remembers. And the grants of slots, which end with the lease.
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { LeaseRecord } from '../src/lease/lease-record.ts';
import {
  type LeaseSight,
  type LeaseTableOptions,
  NOTHING_KNOWN,
  noteLease,
  replicaLease,
  sightOf as sightOfKnown,
} from '../src/sharing/leases/lease-table.ts';
import { formatShareNote } from '../src/sharing/leases/share-note.ts';
import { formatRegister, type Register } from '../src/sharing/ring/register.ts';
import { planRing, type RingMemory, type ShareRules } from '../src/sharing/ring/ring-plan.ts';
import { balance, NOBODY, ordinalAssignment } from '../src/sharing/slots/assignment.ts';
import { createSlotGrants } from '../src/sharing/slots/slot-grants.ts';

const BASE = 'suite';
const FENCE_MS = 17_400;
const JOIN_MS = 2_000;
const NOTHING: RingMemory = { last: undefined, lostSinceMs: undefined };

interface Described {
  readonly register?: Register | undefined;
  /** By ordinal: the generation that each living replica has followed. */
  readonly acknowledged: readonly number[];
  /** The time since their leases were first seen and last renewed. */
  readonly ageMs?: number;
  /** The note of a replica that does not say by which rules it shares. */
  readonly stranger?: boolean;
}

function sightOf({ register, acknowledged, ageMs = 60_000, stranger = false }: Described): LeaseSight {
  const table: LeaseTableOptions = {
    baseName: BASE,
    self: 0,
    fenceMs: FENCE_MS,
    shareKey: 'share',
    formatKey: 'format',
    format: '1/256',
  };
  const lease = (name: string, version: number, annotations: Readonly<Record<string, string>>): LeaseRecord => ({
    namespace: 'operators',
    name,
    uid: `uid-${name}`,
    resourceVersion: String(version),
    holder: `holder-of-${name}`,
    acquireTime: undefined,
    transitions: 0,
    labels: undefined,
    annotations,
  });
  const nowMs = 1_000_000;
  let known = { ...NOTHING_KNOWN, listedAtMs: 0 };
  const note = (name: string, record: LeaseRecord, atMs: number): void => {
    known = noteLease(known, table, name, record, atMs);
  };
  note(BASE, lease(BASE, 1, register === undefined ? {} : { register: formatRegister(register) }), 0);
  const notes = [
    ...acknowledged.map((one) => formatShareNote({ mode: 'ring', acknowledged: one })),
    ...(stranger ? ['?'] : []),
  ];
  for (const [ordinal, share] of notes.entries()) {
    const name = replicaLease(BASE, ordinal);
    note(name, lease(name, 2, { share }), nowMs - ageMs);
    note(name, lease(name, 3, { share }), nowMs - Math.min(ageMs, 100));
  }
  return sightOfKnown(known, table, nowMs);
}

const RING: ShareRules = { kind: 'ring' };
const next = (described: Described, memory = NOTHING, rules: ShareRules = RING): Register | undefined =>
  planRing(sightOf(described), memory, { rules, registerKey: 'register', joinMs: JOIN_MS }).register;

/** Two replicas have everything, and both have followed that. */
const TWO: Register = { generation: 4, now: ordinalAssignment(2), before: ordinalAssignment(1) };

describe('the next register of a ring', () => {
  it('does not exist while every replica has what it should', () => {
    expect(next({ register: TWO, acknowledged: [4, 4] })).to.equal(undefined);
  });

  it('gives slots to a replica that has joined, and only when all have followed the last generation', () => {
    expect(next({ register: TWO, acknowledged: [4, 4, 0] })?.generation).to.equal(5);
    expect(next({ register: TWO, acknowledged: [4, 3, 0] })).to.equal(undefined);
  });

  it('waits two seconds for others that come with the first, so that slots are divided once', () => {
    const first = (ageMs: number) => next({ acknowledged: [0, 0, 0], ageMs });
    expect(first(JOIN_MS - 1)).to.equal(undefined);
    expect(first(JOIN_MS)?.now).to.deep.equal(balance(NOBODY, [0, 1, 2]));
  });

  it('follows the one that this process remembers when the register is lost, with a generation that none may have seen', () => {
    expect(next({ acknowledged: [4, 4] }, { last: TWO, lostSinceMs: 0 })).to.deep.equal({ ...TWO, generation: 6 });
  });

  it('does not follow a remembered one when a replica has followed a later one, which first has to be gone', () => {
    const later = { acknowledged: [4, 5] };
    expect(next(later, { last: TWO, lostSinceMs: 1_000_000 })).to.equal(undefined);
    expect(next(later, { last: TWO, lostSinceMs: 1_000_000 - FENCE_MS + 1 })).to.equal(undefined);
    const made = next(later, { last: TWO, lostSinceMs: 1_000_000 - FENCE_MS });
    expect(made?.generation).to.equal(7);
    expect(made?.before, 'anybody may have had anything').to.equal(undefined);
  });

  it('is not a first one while a replica holds a lease without a note', () => {
    expect(next({ acknowledged: [0, 0] })?.before).to.deep.equal(NOBODY);
    expect(next({ acknowledged: [0, 0], stranger: true })).to.equal(undefined);
  });
});

describe('the next register in mode static', () => {
  const fixed = (count: number, described: Described) => next(described, NOTHING, { kind: 'static', count });

  it('gives each number its part, whether its replica is there or not, and as soon as one is there', () => {
    expect(fixed(3, { acknowledged: [0], ageMs: 0 })?.now).to.deep.equal(ordinalAssignment(3));
    expect(fixed(2, { register: TWO, acknowledged: [4] })).to.equal(undefined);
  });

  it('follows another count when all that have slots have followed the last generation, also a ring', () => {
    expect(fixed(3, { register: TWO, acknowledged: [4, 4, 0] })?.now).to.deep.equal(ordinalAssignment(3));
    expect(fixed(3, { register: TWO, acknowledged: [4, 3, 0] })).to.equal(undefined);
    const ring = { ...TWO, now: balance(NOBODY, [1, 0]) };
    expect(fixed(2, { register: ring, acknowledged: [4, 4] })?.now).to.deep.equal(ordinalAssignment(2));
  });
});

describe('the grant of a slot', () => {
  function granted() {
    let leftMs = 9_000;
    const signal = new AbortController().signal;
    const grants = createSlotGrants(() => (leftMs > 0 ? { left: () => leftMs, signal } : undefined));
    grants.add([7]);
    return {
      grants,
      lapse() {
        leftMs = 0;
      },
    };
  }

  it('exists for a slot that the replica has, and for no other', () => {
    const { grants } = granted();
    expect(grants.grant(7)?.left()).to.equal(9_000);
    expect(grants.grant(8)).to.equal(undefined);
  });

  it('ends with the lease at once, also where it was given out, although nothing was notified yet', () => {
    const { grants, lapse } = granted();
    const grant = grants.grant(7);
    lapse();
    expect(grants.grant(7)).to.equal(undefined);
    expect(grant?.left()).to.equal(0);
  });

  it('ends with its slot: no pass begins, and a pass under way is aborted on request', () => {
    const { grants } = granted();
    const grant = grants.grant(7);
    const ending = grants.remove([7]);
    expect(grants.grant(7)).to.equal(undefined);
    expect(grant?.signal.aborted).to.equal(false);
    ending.abort('over');
    expect([grant?.signal.aborted, grant?.left()]).to.deep.equal([true, 0]);
  });
});
