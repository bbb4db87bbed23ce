// What is shown of the operation under way: short phases are kept back for a while, and never for ever.

import type { Operation, OperationPhase } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createOperationMemory } from '../src/cluster/operation-memory.ts';

const at = (second: number) => ({ nowMs: second * 1_000, monotonicMs: second * 1_000 });
const timelineOf = (...phases: readonly OperationPhase[]) =>
  phases.map((phase) => ({ phase, at: '2026-01-01T00:00:00Z' }));
/** Stored with the phase it had been in for a moment, which nobody stored, as a phase already seen. */
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
  it('is shown there by a restarted process, too, once that has lasted', () => {
    const memory = createOperationMemory();
    const phaseAt = (second: number) => {
      memory.recall('default/demo', STORED);
      return memory.note('default/demo', BACK, undefined, at(second), false)?.phase;
    };
    expect([phaseAt(0), phaseAt(14), phaseAt(15)]).to.deep.equal(['Deleting', 'Deleting', 'Proving']);
  });

  it('is stored there at once when it has to be stored', () => {
    const memory = createOperationMemory();
    memory.recall('default/demo', STORED);
    expect(memory.note('default/demo', BACK, undefined, at(0), true)?.phase).to.equal('Proving');
  });
});
