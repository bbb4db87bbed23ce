// When the lists of members are what an operation waits for. What lets a node go at all is candidate.test.ts's.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isListChanging, type NodeRecord } from '../../src/index.ts';
import { drained } from '../support/histories.ts';
import { ALL, gone, isolated, LEAVING, LEFT, nodesOf, type Removing, record, whole } from '../support/removing.ts';

/** demo-4 as the operation has it by now, the members showing what `view` says. */
function told(view: ReturnType<typeof drained>, own: Partial<NodeRecord> = {}): Removing {
  const nodes = nodesOf(ALL, view).map((node) => (node.id === 4 ? { ...node, ...LEAVING, ...own } : node));
  return { operation: record('Claimed'), nodes };
}

describe('a list of members is about to change', () => {
  it('while somebody shows primaries on a target that was told to leave, and no longer', () => {
    expect(isListChanging(isolated(told(drained(ALL, -1))))).to.equal(true);
    expect(isListChanging(isolated(told(drained(ALL, 4))))).to.equal(false);
  });

  it('while somebody shows a target whose Pod is ending or gone, and no longer', () => {
    const operation = record('Deleting');
    const [pod] = nodesOf([4], drained(ALL, 4)).map((node) => node.pod);
    if (pod === undefined) throw new Error('a node has a Pod');
    expect(isListChanging(isolated(told(drained(ALL, 4), { pod: { ...pod, isTerminating: true } })))).to.equal(true);
    expect(isListChanging(isolated(told(drained(ALL, 4), { pod: undefined })))).to.equal(true);
    expect(isListChanging(gone({ operation, nodes: nodesOf(LEFT, drained(ALL, 4)) }))).to.equal(true);
    expect(isListChanging(gone({ operation }))).to.equal(false);
  });

  it('not for a person having deleted the target: its clients are counted as long as its Pod is to run', () => {
    expect(isListChanging(isolated(told(drained(ALL, 4), { isDeleting: true })))).to.equal(false);
  });

  it('not before the target is told to leave, also when a person deleted it already', () => {
    const nodes = nodesOf(ALL, drained(ALL, -1)).map((node) => ({ ...node, isDeleting: node.id === 4 }));
    expect(isListChanging(whole({ operation: record('Claimed') }))).to.equal(false);
    expect(isListChanging(whole({ operation: record('Claimed'), nodes }))).to.equal(false);
  });

  it('not without an operation', () => {
    expect(isListChanging(isolated())).to.equal(false);
  });
});
