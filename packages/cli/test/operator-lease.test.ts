// Whose lease is it that tells whether an operator looks after a cluster?

import { ANNOTATIONS } from '@marekvs/api';
import { formatRegister, type Lease, ordinalAssignment } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { absenceLine, absenceOf, type LeaseFact, leaseFor } from '../src/cluster/operator-lease.ts';

const NOW_MS = Date.parse('2026-11-28T12:00:00Z');

function lease(name: string, holderIdentity: string, annotations: Readonly<Record<string, string>> = {}): Lease {
  return { metadata: { name, namespace: 'marekvs-system', annotations }, spec: { holderIdentity } } as Lease;
}

const now = ordinalAssignment(2);
const register = { [ANNOTATIONS.shares]: formatRegister({ generation: 3, now, before: undefined }) };
const shared = [
  lease('marekvs-operator', 'zero', { ...register, [ANNOTATIONS.sharedBy]: 'zero' }),
  lease('marekvs-operator-0', 'zero'),
  lease('marekvs-operator-1', 'one'),
];

describe('the lease that tells whether an operator looks after a cluster', () => {
  it('is that of the leader where one replica works alone', () => {
    const alone = [lease('marekvs-operator', 'leader'), lease('marekvs-operator-1', '')];
    expect(leaseFor(alone, 5)?.metadata.name).to.equal('marekvs-operator');
    expect(leaseFor([], 5)).to.equal(undefined);
  });

  it('is that of the replica with the slot of the cluster where replicas share', () => {
    for (const [slot, owner] of now.entries())
      expect(leaseFor(shared, slot)?.metadata.name).to.equal(`marekvs-operator-${owner}`);
  });

  it('is that of the leader when the register cannot be read, or has nobody for the slot', () => {
    const torn = shared.map((one, at) =>
      at === 0 ? lease('marekvs-operator', 'zero', { [ANNOTATIONS.shares]: '{', [ANNOTATIONS.sharedBy]: 'zero' }) : one,
    );
    expect(leaseFor(torn, 5)?.metadata.name).to.equal('marekvs-operator');
    expect(leaseFor(shared.slice(0, 1), 5)?.metadata.name).to.equal('marekvs-operator');
  });
});

describe('the absence of an operator', () => {
  const read = (change: Partial<Extract<LeaseFact, { kind: 'read' }>>) => {
    const lease = {
      kind: 'read',
      name: 'marekvs-operator',
      holder: 'a_b',
      renewedMs: NOW_MS,
      durationMs: 15_000,
    } as const;
    return { namespace: 'marekvs-system', lease: { ...lease, ...change } };
  };

  it('begins when another replica should have taken over long ago, and not a moment before', () => {
    expect(absenceOf(read({ renewedMs: NOW_MS - 30_000 }), NOW_MS)).to.equal(undefined);
    expect(absenceOf(read({ renewedMs: NOW_MS - 30_001 }), NOW_MS)?.sinceMs).to.equal(NOW_MS - 30_001);
  });

  it('is only a moment after a lease was released, and is then not told above everything else', () => {
    const released = read({ holder: '', renewedMs: NOW_MS - 15_000 });
    expect(absenceOf(released, NOW_MS)?.isFree).to.equal(true);
    expect(absenceLine(released, NOW_MS)).to.equal(undefined);
    expect(absenceLine(read({ holder: '', renewedMs: NOW_MS - 15_001 }), NOW_MS)).to.match(/^no operator since /);
  });

  it('is not known where leases may not be read, and where none was found', () => {
    expect(absenceOf({ namespace: 'x', lease: { kind: 'unknown', why: '403' } }, NOW_MS)).to.equal(undefined);
    expect(absenceLine({ namespace: 'x', lease: { kind: 'missing' } }, NOW_MS)).to.equal(undefined);
  });
});
