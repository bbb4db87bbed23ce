// What is shown of the operation under way: short phases are held back for a while, but not for ever.

import type { Operation, OperationPhase } from '@marekvs/api';
import type { Hold } from '@marekvs/planner';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createOperationMemory } from '../src/operations/operation-memory.ts';

const at = (second: number) => ({ nowMs: second * 1_000, monotonicMs: second * 1_000 });
const timelineOf = (...phases: readonly OperationPhase[]) =>
  phases.map((phase) => ({ phase, at: '2026-01-01T00:00:00Z' }));
/** Stored with a phase that counts as already seen although it was never shown. */
const STORED: Operation = {
  id: '3-op',
  type: 'Remove',
  phase: 'Deleting',
  target: { name: 'demo-3', uid: 'uid-3', nodeId: 3 },
  specGeneration: 1,
  startedAt: '2026-01-01T00:00:00Z',
  timeline: timelineOf('Claimed', 'Deleting', 'Proving'),
};
const BACK: Operation = { ...STORED, phase: 'Proving' };

describe('a removal that goes back to a short phase', () => {
  it('is shown in that phase once it has lasted, also by a restarted process', () => {
    const memory = createOperationMemory();
    const phaseAt = (second: number) => {
      memory.recall('default/demo', STORED);
      return memory.note('default/demo', BACK, undefined, at(second), false)?.phase;
    };
    expect([phaseAt(0), phaseAt(14), phaseAt(15)]).to.deep.equal(['Deleting', 'Deleting', 'Proving']);
  });

  it('is stored in that phase at once when it has to be stored', () => {
    const memory = createOperationMemory();
    memory.recall('default/demo', STORED);
    expect(memory.note('default/demo', BACK, undefined, at(0), true)?.phase).to.equal('Proving');
  });
});

describe('the shown cause that a removal waits for', () => {
  const PROVING: Operation = { ...STORED, phase: 'Proving', timeline: timelineOf('Claimed', 'Proving') };
  const shown = (reason: Hold['reason'], afterSeconds: number, needsPerson = false) => {
    const memory = createOperationMemory();
    memory.recall('default/demo', PROVING);
    const waits = { reason, message: 'so it is', needsPerson };
    memory.note('default/demo', PROVING, waits, at(0), false);
    return memory.note('default/demo', PROVING, waits, at(afterSeconds), false)?.blocked?.reason;
  };

  it('appears after 10 s, or after two minutes when a healthy removal waits for it, too', () => {
    expect([shown('ViewsDisagree', 9.9), shown('ViewsDisagree', 10)]).to.deep.equal([undefined, 'ViewsDisagree']);
    for (const reason of ['ComparingContents', 'RecordsMissing', 'WaitingForProof', 'MemberSealing'] as const)
      expect([shown(reason, 119.9), shown(reason, 120)]).to.deep.equal([undefined, reason]);
  });
  it('appears at once when only a person can clear it', () => {
    expect(shown('ReplicationStuck', 0, true)).to.equal('ReplicationStuck');
  });
  it('includes unreadable contents after 10 s, since no other proof can take their place', () => {
    expect([shown('ContentsUnreadable', 9.9), shown('ContentsUnreadable', 10)]).to.deep.equal([
      undefined,
      'ContentsUnreadable',
    ]);
  });
  it('keeps the figures of its first report, since the progress of a comparison is not worth a write', () => {
    const memory = createOperationMemory();
    const since = '2026-01-01T00:00:00Z';
    const blocked = { reason: 'ComparingContents', message: '1 of 4,096', since, unblock: 'Wait' };
    memory.recall('default/demo', PROVING);
    const waits = { reason: 'ComparingContents', message: '2 of 4,096', needsPerson: false } as const;
    expect(memory.note('default/demo', { ...PROVING, blocked }, waits, at(0), false)?.blocked?.message).to.equal(
      '1 of 4,096',
    );
  });
});

describe('the time since which a target is isolated', () => {
  it('starts anew after a break, and at the first probe of a process that has just started', () => {
    const memory = createOperationMemory();
    expect(memory.isolatedSince('default/demo', true, 1), 'nothing is under way').to.equal(undefined);
    memory.recall('default/demo', STORED);
    expect(memory.isolatedSince('default/demo', false, 2)).to.equal(undefined);
    expect([3, 4].map((ms) => memory.isolatedSince('default/demo', true, ms))).to.deep.equal([3, 3]);
    expect(memory.isolatedSince('default/demo', false, 5)).to.equal(undefined);
    expect(memory.isolatedSince('default/demo', true, 6)).to.equal(6);
  });
  it('starts anew with another operation', () => {
    const memory = createOperationMemory();
    memory.recall('default/demo', STORED);
    memory.isolatedSince('default/demo', true, 1);
    memory.recall('default/demo', { ...STORED, id: '3-next' });
    expect(memory.isolatedSince('default/demo', true, 9)).to.equal(9);
  });
});

describe('the time since which members lack mesh connections', () => {
  it('starts anew after a break and with another operation', () => {
    const memory = createOperationMemory();
    expect(memory.unmeshedSince('default/demo', true, 1), 'nothing is under way').to.equal(undefined);
    memory.recall('default/demo', STORED);
    expect([2, 3].map((ms) => memory.unmeshedSince('default/demo', true, ms))).to.deep.equal([2, 2]);
    expect(memory.unmeshedSince('default/demo', false, 4)).to.equal(undefined);
    expect(memory.unmeshedSince('default/demo', true, 5)).to.equal(5);
    memory.recall('default/demo', { ...STORED, id: '3-next' });
    expect(memory.unmeshedSince('default/demo', true, 6)).to.equal(6);
  });
});

describe('the time at which the contents were last covered', () => {
  it('is when the cluster was first seen, until a comparison, and the last result after that', () => {
    const memory = createOperationMemory();
    expect([memory.verifiedAtMs('default/demo', 5), memory.verifiedAtMs('default/demo', 9)]).to.deep.equal([5, 5]);
    memory.verified('default/demo', 7);
    expect(memory.verifiedAtMs('default/demo', 9)).to.equal(7);
    expect(memory.verifiedAtMs('default/other', 9)).to.equal(9);
  });
  it('is kept through the operations in between, and removed with the cluster', () => {
    const memory = createOperationMemory();
    memory.recall('default/demo', STORED);
    memory.verified('default/demo', 7);
    memory.note('default/demo', undefined, undefined, at(0), false);
    expect(memory.verifiedAtMs('default/demo', 9)).to.equal(7);
    memory.forget('default/demo');
    expect(memory.verifiedAtMs('default/demo', 9)).to.equal(9);
  });
});
