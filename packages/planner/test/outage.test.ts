// When no member is up and all may have been away for gcGraceSeconds: which members may start, and which wait.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type NodeObservation, type NodeRecord, OUTAGE_CHECK_MS, outageHold, planNode } from '../src/index.ts';
import { reusableForMs } from '../src/members/volume-age.ts';
import {
  CREATED_MS,
  freshNode,
  freshPod,
  NOW_MS,
  node,
  nodeObservation,
  pod,
  volume,
  withNode,
  withoutPod,
} from './support/builders.ts';

const GC_GRACE_SECONDS = 300;
const AGE_MS = reusableForMs(GC_GRACE_SECONDS);
const AWAY: readonly NodeRecord[] = [0, 1, 2].map((id) => withoutPod(id));

/** The scan for node `id`; all members were last Active `agoMs` ago. */
function scan(id: number, list: readonly NodeRecord[], agoMs = AGE_MS, change: Partial<NodeObservation> = {}) {
  const own = list.find((one) => one.id === id);
  if (own === undefined) throw new Error(`no node ${id}`);
  const lastActiveMs = new Map(list.map(({ uid }) => [uid, NOW_MS - agoMs]));
  const o = { siblings: list, gcGraceSeconds: GC_GRACE_SECONDS, lastActiveMs, ...change };
  return outageHold(nodeObservation(own, o));
}

const ending = (id: number) => ({ pod: pod(id, { isTerminating: true, isReady: false }) });
const withOneAway = withNode(AWAY, 2, ending(2));

describe('after an outage of gcGraceSeconds', () => {
  it('members whose volumes are all there start together', () => {
    for (const id of [0, 1, 2]) expect(scan(id, AWAY)).to.equal(undefined);
  });

  it('no member starts while the Pod of one of them is still terminating', () => {
    const hold = scan(0, withOneAway);
    expect(hold).to.deep.equal({
      reason: 'OutageTooLong',
      message:
        'demo-0 waits: no member is up, and demo-0, demo-1, demo-2 may have been away for gcGraceSeconds; all start together once the earlier Pod demo-2 is gone. To start without that, losing what only members that come later hold, annotate the MarekvsCluster marekvs.io/start-after-outage=<reason>',
      needsPerson: true,
    });
    expect(scan(1, withOneAway)?.reason).to.equal('OutageTooLong');
  });

  it('the node plan reports that and has a requeue in half a second', () => {
    const siblings = withOneAway;
    const o = { siblings, gcGraceSeconds: GC_GRACE_SECONDS, lastActiveMs: new Map([['node-uid-1', CREATED_MS]]) };
    const plan = planNode(nodeObservation(withoutPod(0), o));
    expect([plan.step, plan.hold?.reason, plan.requeueAfterMs]).to.deep.equal([undefined, 'OutageTooLong', 500]);
    expect(OUTAGE_CHECK_MS).to.equal(500);
  });

  it('an outage counts from one minute less than gcGraceSeconds, and not one millisecond earlier', () => {
    expect(AGE_MS).to.equal(240_000);
    expect(scan(0, withOneAway, AGE_MS - 1)).to.equal(undefined);
    expect(scan(0, withOneAway, AGE_MS)).to.not.equal(undefined);
  });

  it('one member that was away for that long is enough, whichever starts first', () => {
    const lastActiveMs = new Map(AWAY.map(({ uid, id }) => [uid, id === 1 ? CREATED_MS : NOW_MS - 1_000]));
    expect(scan(0, withOneAway, 0, { lastActiveMs })?.message).to.include('and demo-1 may have been away');
  });

  it('a member without a recorded time was away no longer than its node has existed, unless its volume is older', () => {
    const lastActiveMs = new Map<string, number>();
    const madeMsAgo = (ms: number, ofVolume: number) =>
      withOneAway.map((one) => ({
        ...one,
        createdAtMs: NOW_MS - ms,
        volume: volume(one.id, { createdAtMs: NOW_MS - ofVolume }),
      }));
    expect(scan(0, madeMsAgo(AGE_MS - 1, AGE_MS - 1), 0, { lastActiveMs })).to.equal(undefined);
    expect(scan(0, madeMsAgo(AGE_MS, AGE_MS), 0, { lastActiveMs })).to.not.equal(undefined);
    expect(scan(0, madeMsAgo(1_000, 1_000_000), 0, { lastActiveMs })).to.not.equal(undefined);
  });

  it('a kept volume is as old as its own note says, unless that is in the future', () => {
    const kept = (agoMs: number) =>
      withOneAway.map((one) => ({ ...one, volume: volume(one.id, { lastActiveAtMs: NOW_MS - agoMs }) }));
    expect(scan(0, kept(AGE_MS), 0)).to.not.equal(undefined);
    expect(scan(0, kept(AGE_MS - 1), 1_000_000)).to.equal(undefined);
    expect(scan(0, kept(-61_000), 0)).to.not.equal(undefined);
  });

  const free: readonly (readonly [string, Partial<NodeObservation>, readonly NodeRecord[]])[] = [
    ['while another member is up', {}, withNode(withOneAway, 1, node(1))],
    ['when a person has said so', { mayStartAfterOutage: true }, withOneAway],
    ['in a cluster that is not formed', { isClusterFormed: false }, withOneAway],
    ['beside one whose volume is lost', {}, withNode(AWAY, 2, { volume: undefined })],
    ['beside one whose volume is lost and whose Pod is ending', {}, withNode(withOneAway, 2, { volume: undefined })],
    ['beside one that never held anything', {}, [...AWAY, freshNode(3, { volume: volume(3, { isBound: false }) })]],
    ['beside one whose Pod was just created', {}, withNode(AWAY, 2, { pod: freshPod(2) })],
    [
      'beside one whose Pod was created since, and is slow',
      {},
      withNode(AWAY, 2, { pod: freshPod(2, { createdAtMs: NOW_MS - 40_000 }) }),
    ],
  ];
  for (const [name, change, list] of free)
    it(`a member starts ${name}`, () => {
      expect(scan(0, list, AGE_MS, change)).to.equal(undefined);
    });

  const held: readonly (readonly [string, Partial<NodeRecord>, string])[] = [
    ['a Pod of before that does not run', { pod: pod(2, { isReady: false }) }, 'the earlier Pod demo-2 is gone'],
    ['a Pod that has ended', { pod: freshPod(2, { phase: 'Failed' }) }, 'the earlier Pod demo-2 is gone'],
    ['the Pod of somebody else', { pod: freshPod(2, { ownerUid: 'other' }) }, 'the earlier Pod demo-2 is gone'],
    ['a volume that is being deleted', { volume: volume(2, { isTerminating: true }) }, 'the volume of demo-2 is there'],
    ['a volume that is not bound', { volume: volume(2, { isBound: false }) }, 'the volume of demo-2 is there'],
    ['a Pod that is refused', { reportedReason: 'QuotaExceeded' }, 'the Pod of demo-2 can be created'],
  ];
  for (const [name, change, obstacle] of held)
    it(`a member waits for another one with ${name}`, () => {
      expect(scan(0, withNode(AWAY, 2, change))?.message).to.include(`start together once ${obstacle}.`);
    });

  it('the member whose Pod was refused is tried again by itself', () => {
    expect(scan(2, withNode(AWAY, 2, { reportedReason: 'QuotaExceeded' }))).to.equal(undefined);
  });

  it('an empty member starts after those that hold data, never before', () => {
    const list = [...AWAY, freshNode(3, { volume: volume(3), createdAtMs: CREATED_MS })];
    expect(scan(3, list)?.message).to.include('start together once those that hold data are up.');
    expect(scan(0, list)).to.equal(undefined);
    expect(scan(3, withNode(list, 0, node(0)))).to.equal(undefined);
  });
});
