// A removal waits for HyperLogLog registers that no other home has, before the door of the target is closed and after.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { planCluster } from '../../src/index.ts';
import { acceptedDivergence } from '../../src/members/replacement.ts';
import { node } from '../support/builders.ts';
import { drained } from '../support/facts.ts';
import { ALL, isolated, LEAVING, nodesOf, record, TARGET_UID } from '../support/removing.ts';
import { compared } from '../support/reports.ts';

describe('a removal whose target has registers that no other home has', () => {
  const diverging = { registers: 27, keys: 1 };
  const removal = (acceptDiverging?: string, type: 'Remove' | 'Replace' = 'Remove') => {
    const nodes = nodesOf(ALL, drained(ALL, 4)).map((one) =>
      one.id === 4 ? { ...one, ...LEAVING, acceptDiverging } : one,
    );
    return planCluster(compared(isolated({ operation: record('Isolating', { type }), nodes }), { diverging }));
  };

  for (const type of ['Remove', 'Replace'] as const) {
    it(`does not close its door, so that they can be merged through it: ${type}`, () => {
      const { removal: plan, steps } = removal(undefined, type);
      expect([plan.waits?.reason, steps]).to.deep.equal(['RegistersDiverge', []]);
      expect(plan.waits?.message).to.match(/^no other home has 27 HyperLogLog registers of 1 key, /);
    });
  }

  it('goes on when a person has accepted it for this node and said why', () => {
    const { removal: plan, steps } = removal(`${TARGET_UID}/counts of last year`);
    expect([plan.waits, steps.map(({ kind }) => kind)]).to.deep.equal([undefined, ['sealNode']]);
  });
});

describe('the reason why diverging registers are accepted', () => {
  const reason = (acceptDiverging?: string) => acceptedDivergence({ ...node(2), acceptDiverging });
  it('is read only from an annotation with the UID of the node', () => {
    const { uid } = node(2);
    expect(reason(`${uid}/counts\n of  last year`)).to.equal('counts of last year');
    for (const text of [undefined, '', 'true', uid, `${uid}/`, `${uid}/ `, 'node-uid-3/counts'])
      expect(reason(text), text).to.equal(undefined);
    expect(reason(`${uid}/${'x'.repeat(5_000)}`)).to.have.lengthOf(200);
  });
});
