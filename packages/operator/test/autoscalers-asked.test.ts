// A HorizontalPodAutoscaler beside spec.autoscale: found without a watch and without a request at rest, reported, and
// no longer reported when it is gone.

import { findCondition, type MarekvsCluster } from '@marekvs/api';
import { ApiError, type HorizontalPodAutoscaler, type KubeClient } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { autoscalerHolds } from '../src/sizing/aimed-autoscalers.ts';
import { createAutoscalersAsked } from '../src/sizing/autoscalers-asked.ts';
import { createWorld } from './support/fake-world.ts';
import { clusterObject } from './support/objects.ts';

const KEY = 'default/demo';
const AUTOSCALE = { minNodes: 3, maxNodes: 8, targetOpsPerNode: 5000 };

function autoscaler(
  name: string,
  target: { readonly apiVersion?: string; readonly kind: string; readonly name: string },
): HorizontalPodAutoscaler {
  return { metadata: { name, namespace: 'default' }, spec: { maxReplicas: 9, scaleTargetRef: target } };
}

const TARGET = { apiVersion: 'marekvs.io/v1alpha1', kind: 'MarekvsCluster', name: 'demo' };
const AIMED = autoscaler('web', TARGET);

function sized(generation = 1, since?: string): MarekvsCluster {
  const { metadata, spec, status } = clusterObject();
  const decided = since === undefined ? {} : { status: { ...status, autoscale: { size: 3, since } } };
  return {
    ...clusterObject(),
    metadata: { ...metadata, generation },
    spec: { ...spec, autoscale: AUTOSCALE },
    ...decided,
  };
}

/** @param there what the API server lists; a test changes it */
function rig(there: { items: readonly HorizontalPodAutoscaler[]; refusal?: ApiError }) {
  const clock = createManualClock();
  const told: string[] = [];
  const lists: (string | undefined)[] = [];
  const client = {
    async list(_kind: unknown, { namespace }: { readonly namespace?: string }) {
      lists.push(namespace);
      if (there.refusal !== undefined) throw there.refusal;
      return { items: there.items, resourceVersion: '1' };
    },
  };
  const asked = createAutoscalersAsked({
    client: client as Partial<KubeClient> as KubeClient,
    clock,
    onAnswer: (key) => void told.push(key),
  });
  void asked.run(new AbortController().signal);
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const answer = async (cluster = sized()) => {
    asked.ask(KEY, cluster);
    await settled();
    return asked.ask(KEY, cluster);
  };
  return { asked, clock, told, lists, settled, answer };
}

describe('a HorizontalPodAutoscaler that aims at a cluster with spec.autoscale', () => {
  it('is found in the namespace of the cluster, in the background, and reported once', async () => {
    const { asked, told, lists, settled } = rig({ items: [AIMED] });
    expect(asked.ask(KEY, sized())).to.equal(undefined);
    await settled();
    expect([asked.ask(KEY, sized()), told, lists]).to.deep.equal([['web'], [KEY], ['default']]);
  });
  for (const [what, target] of [
    ['another cluster', { ...TARGET, name: 'other' }],
    ['another kind of that name', { ...TARGET, kind: 'MarekvsNode' }],
    ['a kind of another group', { ...TARGET, apiVersion: 'example.com/v1' }],
    ['a kind of no group', { kind: 'MarekvsCluster', name: 'demo' }],
  ] as const)
    it(`is not reported when it aims at ${what}`, async () => {
      expect(await rig({ items: [autoscaler('web', target)] }).answer()).to.deep.equal([]);
    });
  it('is reported whatever version of the API group it names', async () => {
    expect(
      await rig({ items: [autoscaler('web', { ...TARGET, apiVersion: 'marekvs.io/v1' })] }).answer(),
    ).to.deep.equal(['web']);
  });
  it('is not searched for while the size is fixed, nor while the cluster is being deleted', async () => {
    const { answer, lists } = rig({ items: [AIMED] });
    const going = sized();
    expect(await answer(clusterObject())).to.equal(undefined);
    expect(await answer({ ...going, metadata: { ...going.metadata, deletionTimestamp: 'now' } })).to.equal(undefined);
    expect(lists).to.deep.equal([]);
  });
  it('is searched for once while neither spec nor decision changes, however many passes and days go by', async () => {
    const { answer, clock, lists, told } = rig({ items: [] });
    for (let day = 0; day < 3; day += 1) {
      expect(await answer(sized(1, 'a'))).to.deep.equal([]);
      clock.advance(86_400_000);
    }
    expect([lists.length, told.length]).to.deep.equal([1, 1]);
  });
  it('is searched for again with the next spec and with the next decision', async () => {
    const there = { items: [] as readonly HorizontalPodAutoscaler[] };
    const { answer, lists } = rig(there);
    await answer(sized(1, 'a'));
    there.items = [AIMED];
    expect(await answer(sized(2, 'a'))).to.deep.equal(['web']);
    there.items = [];
    expect(await answer(sized(2, 'b'))).to.deep.equal([]);
    expect(lists).to.have.length(3);
  });
  it('is reported until another answer has come', async () => {
    const { asked, answer } = rig({ items: [AIMED] });
    await answer(sized(1, 'a'));
    expect(asked.ask(KEY, sized(2, 'a'))).to.deep.equal(['web']);
  });
  it('is searched for once more when the spec changes while a search is under way', async () => {
    const { asked, lists, settled } = rig({ items: [] });
    asked.ask(KEY, sized(1));
    asked.ask(KEY, sized(2));
    await settled();
    await settled();
    expect(lists).to.have.length(2);
  });
  it('is searched for every 30 s while it exists, since nothing else tells that it was removed', async () => {
    const there: { items: readonly HorizontalPodAutoscaler[] } = { items: [AIMED] };
    const { answer, clock, told, lists } = rig(there);
    await answer();
    clock.advance(29_999);
    await answer();
    expect([told.length, lists.length]).to.deep.equal([1, 1]);
    clock.advance(1);
    expect(told).to.have.length(2);
    there.items = [];
    expect(await answer()).to.deep.equal([]);
    clock.advance(86_400_000);
    expect([told.length, lists.length]).to.deep.equal([3, 2]);
  });
  it('is not reported where listing is forbidden, and causes no pass there', async () => {
    const refusal = new ApiError({ verb: 'list', subject: 'x', path: '/x', status: 403, reason: 'Forbidden' });
    const { answer, clock, told, lists } = rig({ items: [AIMED], refusal });
    expect(await answer()).to.equal(undefined);
    clock.advance(599_999);
    expect(await answer()).to.equal(undefined);
    expect([told.length, lists.length]).to.deep.equal([0, 1]);
    clock.advance(1);
    await answer();
    expect(lists).to.have.length(2);
  });
  it('is forgotten when spec.autoscale was removed in between', async () => {
    const { asked, answer } = rig({ items: [AIMED] });
    await answer(sized(1));
    await answer(clusterObject());
    expect(asked.ask(KEY, sized(3))).to.equal(undefined);
  });

  it('is named in its hold, and needs a person', () => {
    const says = (names: readonly string[] | undefined) =>
      autoscalerHolds(names).map(({ reason, message, needsPerson }) => [reason, message, needsPerson]);
    expect(says(['a', 'web'])).to.deep.equal([
      [
        'AutoscaleConflict',
        'HorizontalPodAutoscaler a, web aim at this cluster, whose size spec.autoscale decides: what they ask for is refused',
        true,
      ],
    ]);
    expect(says(['web'])[0]?.[1]).to.match(/web aims at .* what it asks for is refused$/);
    expect([says([]), says(undefined)]).to.deep.equal([[], []]);
  });

  it('does not affect Ready, makes the cluster Stalled with one event, and is cleared by the next answer', async () => {
    const w = createWorld();
    const found: { names: readonly string[] } = { names: [] };
    Object.assign(w.ports.autoscalers, { ask: () => found.names });
    w.apply({ nodes: 3, autoscale: AUTOSCALE });
    await w.live();
    const said = () =>
      (['Ready', 'Stalled'] as const).map((type) => {
        const { status, reason } = findCondition(w.cluster()?.status?.conditions, type) ?? {};
        return `${type} ${status} ${reason}`;
      });
    const warnings = () => w.events.filter(({ reason }) => reason === 'AutoscaleConflict');
    expect(said()).to.deep.equal(['Ready True AllMembersReady', 'Stalled False AsExpected']);
    found.names = ['web'];
    w.wake(`cluster ${KEY}`);
    await w.live();
    expect(said()).to.deep.equal(['Ready True AllMembersReady', 'Stalled True AutoscaleConflict']);
    expect(w.cluster()?.status).to.include({ phase: 'Blocked', blockedBy: 'AutoscaleConflict', desiredNodes: 3 });
    expect(warnings().map(({ type, action }) => [type, action])).to.deep.equal([['Warning', 'Stalled']]);
    found.names = [];
    w.wake(`cluster ${KEY}`);
    await w.live();
    expect(said()).to.deep.equal(['Ready True AllMembersReady', 'Stalled False AsExpected']);
    expect(w.cluster()?.status?.phase).to.equal('Healthy');
    expect(warnings()).to.have.length(1);
  });
});
