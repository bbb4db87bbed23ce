// When members were last Active, as the node controller knows it: from what it saw itself, or from what is stored.

import type { MarekvsNodeStatus } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pod } from '../../planner/test/support/builders.ts';
import { createClaimRefusals } from '../src/node/observation/claim-refusals.ts';
import { createGoneParents } from '../src/node/observation/gone-parents.ts';
import { nodeAround, observeNode, remember } from '../src/node/observation/observe.ts';
import { createPodsSeen } from '../src/node/observation/pods-seen.ts';
import { createWorld } from './support/fake-world.ts';

const KEY = 'default/demo-1';

describe('the memory of Pods that were seen up', () => {
  const seen = (change: Parameters<typeof pod>[1]) => {
    const podsSeen = createPodsSeen();
    podsSeen.note({ uid: 'node-uid-1', pod: pod(1, change) });
    return podsSeen.has('node-uid-1');
  };

  it('includes a Pod that was seen up', () => {
    expect(seen({})).to.equal(true);
    expect(createPodsSeen().has('node-uid-1')).to.equal(false);
  });

  it('excludes a Pod that is not ready, is ending on a host that may have failed, or has another owner', () => {
    for (const change of [{ isReady: false }, { isTerminating: true }, { ownerUid: 'other' }])
      expect(seen(change), JSON.stringify(change)).to.equal(false);
  });
});

describe('the time at which a member was last Active', () => {
  async function lastActive(podsSeen: ReturnType<typeof createPodsSeen>, isPodThere: boolean) {
    const w = createWorld();
    w.apply({ nodes: 3 });
    await w.live();
    const node = w.node(1);
    const ready = node?.status?.conditions?.find(({ type }) => type === 'Ready');
    await w.wait(60_000);
    if (!isPodThere) w.drop('pods', 'demo-1');
    const podsGone = { note: () => {}, sinceMs: () => undefined, forget: () => {} };
    const memory = { goneParents: createGoneParents(), podsGone, podsSeen, claims: createClaimRefusals(w.clock) };
    const around = nodeAround(KEY, w.ports);
    if (around !== undefined) remember(around, memory);
    const scope = around === undefined ? undefined : observeNode(around, w.ports, memory);
    return {
      ms: scope?.observation.lastActiveMs.get(node?.metadata.uid ?? ''),
      nowMs: w.clock.nowMs(),
      readyMs: Date.parse(ready?.lastTransitionTime ?? ''),
      phase: node?.status?.phase satisfies MarekvsNodeStatus['phase'],
    };
  }

  it('is now while the member is seen up', async () => {
    const { ms, nowMs, phase } = await lastActive(createPodsSeen(), true);
    expect(phase).to.equal('Active');
    expect(ms).to.equal(nowMs);
  });

  it('is when the member became ready when only its stored status calls it Active', async () => {
    const { ms, readyMs, nowMs } = await lastActive(createPodsSeen(), false);
    expect(ms).to.equal(readyMs);
    expect(nowMs - readyMs).to.be.at.least(60_000);
  });

  it('is now when the member was seen up and its end was only just observed', async () => {
    const { ms, nowMs } = await lastActive({ note: () => {}, has: () => true, forget: () => {} }, false);
    expect(ms).to.equal(nowMs);
  });
});
