// Which Pod may start next: one at a time while enough others are up, all together otherwise.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type NodeRecord, planNode, START_PATIENCE_MS, waitToStart } from '../src/index.ts';
import {
  freshNode,
  NOW_MS,
  node,
  nodeObservation,
  nodes,
  pod,
  volume,
  withNode,
  withoutPod,
} from './support/builders.ts';

/** Whether node `id` of `list` may start now. */
function turn(id: number, list: readonly NodeRecord[], change: Parameters<typeof nodeObservation>[1] = {}) {
  const own = list.find((entry) => entry.id === id);
  if (own === undefined) throw new Error(`no node ${id}`);
  const plan = waitToStart(nodeObservation(own, { siblings: list, ...change }));
  if (plan === undefined) return { kind: 'go' };
  return { kind: 'wait', message: plan.hold?.message, requeueAfterMs: plan.requeueAfterMs };
}

/** Five nodes; those named have no Pod. */
function missing(...ids: readonly number[]): readonly NodeRecord[] {
  return nodes(5).map((entry) => (ids.includes(entry.id) ? withoutPod(entry.id) : entry));
}

const starting = (id: number, ageMs: number) =>
  node(id, { pod: pod(id, { isReady: false, createdAtMs: NOW_MS - ageMs }) });

describe('a missing Pod', () => {
  it('may start at once when no other is missing', () => {
    expect(turn(3, missing(3))).to.deep.equal({ kind: 'go' });
  });

  it('may start first when it has the lowest id, and the others wait for it', () => {
    const list = missing(1, 2, 4);
    expect([1, 2, 4].map((id) => turn(id, list).kind)).to.deep.equal(['go', 'wait', 'wait']);
  });

  it('has a hold that names what it waits for', () => {
    const result = turn(2, missing(1, 2));
    expect(result).to.deep.equal({
      kind: 'wait',
      message: 'demo-2 waits: demo-1 starts first, members come back one at a time',
      requeueAfterMs: START_PATIENCE_MS,
    });
  });

  it('waits while another member starts, also one with a higher id', () => {
    const list = withNode(missing(1), 4, { ...starting(4, 1_000) });
    expect(turn(1, list)).to.deep.equal({
      kind: 'wait',
      message: 'demo-1 waits: demo-4 is starting, members come back one at a time',
      requeueAfterMs: START_PATIENCE_MS - 1_000,
    });
  });

  it('waits for a starting member until one millisecond before that one’s time is over', () => {
    const list = (ageMs: number) => withNode(missing(1), 4, { ...starting(4, ageMs) });
    expect(turn(1, list(START_PATIENCE_MS - 1))).to.include({ kind: 'wait', requeueAfterMs: 1 });
    expect(turn(1, list(START_PATIENCE_MS)).kind).to.equal('go');
  });

  it('waits while another member is ending, until its grace period is over', () => {
    const list = (leftMs: number) =>
      withNode(missing(1), 4, { pod: pod(4, { isTerminating: true, terminationDueMs: NOW_MS + leftMs }) });
    expect(turn(1, list(2_000))).to.deep.equal({
      kind: 'wait',
      message: 'demo-1 waits: demo-4 is ending, members come back one at a time',
      requeueAfterMs: 2_000,
    });
    expect(turn(1, list(1)).kind).to.equal('wait');
    expect(turn(1, list(0)).kind).to.equal('go');
  });

  it('does not wait for a Pod that waits for it', () => {
    for (const ids of [
      [0, 4],
      [1, 2],
      [0, 1, 2],
    ])
      expect(ids.filter((id) => turn(id, missing(...ids)).kind === 'go')).to.deep.equal(ids.slice(0, 1));
  });

  it('does not wait at its first start, nor in a cluster that is not formed', () => {
    const list = missing(1, 2);
    expect(turn(2, [...list, freshNode(5, { volume: volume(5) })]).kind).to.equal('wait');
    expect(waitToStart(nodeObservation(freshNode(5), { siblings: list }))).to.equal(undefined);
    expect(turn(2, list, { isClusterFormed: false }).kind).to.equal('go');
    expect(turn(2, withNode(list, 2, { serving: false })).kind).to.equal('go');
  });

  it('starts together with all others when fewer than replicationFactor are up', () => {
    const all = missing(0, 1, 2, 3, 4);
    expect(all.map((entry) => turn(entry.id, all).kind)).to.deep.equal(['go', 'go', 'go', 'go', 'go']);
    const oneUp = missing(1, 2, 3, 4);
    expect([1, 2, 3, 4].map((id) => turn(id, oneUp).kind)).to.deep.equal(['go', 'go', 'go', 'go']);
    const twoUp = missing(2, 3, 4);
    expect([2, 3, 4].map((id) => turn(id, twoUp).kind)).to.deep.equal(['go', 'wait', 'wait']);
  });

  it('counts a Pod that is terminating, not ready or another owner’s as not up', () => {
    const list = withNode(missing(2, 3, 4), 0, { pod: pod(0, { isTerminating: true }) });
    expect(turn(4, list).kind).to.equal('go');
    expect(turn(4, withNode(missing(2, 3, 4), 0, { pod: pod(0, { isReady: false }) })).kind).to.equal('go');
    expect(turn(4, withNode(missing(2, 3, 4), 0, { pod: pod(0, { ownerUid: 'other' }) })).kind).to.equal('go');
  });

  const sick: readonly { readonly name: string; readonly change: Partial<NodeRecord> }[] = [
    { name: 'whose Pod is refused by a quota (F53)', change: { reportedReason: 'QuotaExceeded' } },
    { name: 'whose name is taken', change: { reportedReason: 'NameTaken' } },
    { name: 'whose volume is lost', change: { volume: undefined } },
    { name: 'whose volume is another one', change: { volume: volume(1, { uid: 'another' }) } },
    { name: 'whose volume is being deleted', change: { volume: volume(1, { isTerminating: true }) } },
    { name: 'that is being deleted', change: { isDeleting: true } },
    { name: 'that has a Pod which does not become ready', change: { ...starting(1, START_PATIENCE_MS) } },
    { name: 'whose Pod is stuck terminating (F50)', change: { pod: pod(1, { isTerminating: true, isReady: false }) } },
  ];
  for (const { name, change } of sick) {
    it(`does not wait for a sibling ${name}`, () => {
      expect(turn(2, withNode(missing(1, 2), 1, change)).kind).to.equal('go');
    });
  }

  const onItsWay = [undefined, 'PodMissing', 'PodTerminal', 'WaitingForTurn', 'MemberStarting'] as const;
  for (const reportedReason of onItsWay) {
    it(`waits for a lower sibling that was last reported as ${reportedReason ?? 'well'}`, () => {
      expect(turn(2, withNode(missing(1, 2), 1, { reportedReason })).kind).to.equal('wait');
    });
  }

  it('has the hold WaitingForTurn in the node plan, with a requeue, while it waits', () => {
    const list = missing(1, 2);
    const own = list[2];
    if (own === undefined) throw new Error('no node 2');
    const plan = planNode(nodeObservation(own, { siblings: list }));
    expect(plan.step).to.equal(undefined);
    expect(plan.hold).to.deep.include({ reason: 'WaitingForTurn', needsPerson: false });
    expect(plan.requeueAfterMs).to.equal(START_PATIENCE_MS);
  });
});
