// What the fleet metrics read: only clusters this replica manages, and failing passes, those of nodes too.
// too.

import { createController, type PassResult } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { createTurnPlaces } from '../src/operations/turn-places.ts';
import { createPassWatch } from '../src/telemetry/fleet-sources.ts';
import { clusterObject, nodeObject } from './support/objects.ts';

const KEY = 'default/demo';

/** The caches, as far as they are read here. */
function caches() {
  const cluster = clusterObject();
  const node = nodeObject(0);
  const view = <T extends { metadata: { namespace: string; name: string } }>(object: T) => ({
    namespace: object.metadata.namespace,
    name: object.metadata.name,
    owner: { kind: 'cluster', cluster: cluster.metadata },
    object,
  });
  const storeOf = <V extends { namespace: string; name: string }>(...views: V[]) => ({
    store: {
      values: () => views,
      get: (key: string) => views.find(({ namespace, name }) => `${namespace}/${name}` === key),
    },
  });
  return { clusters: storeOf(view(cluster)), nodes: storeOf(view(node)) };
}

function rig(isOwned = true) {
  const clock = createManualClock();
  const watch = createPassWatch(clock);
  const endless = { left: () => Number.POSITIVE_INFINITY, signal: new AbortController().signal };
  const told: string[] = [];
  const finish = (controller: string, key: string, result: PassResult) =>
    watch.hooks(controller, { finished: (how) => told.push(how) }).finished?.(result, 1, key);
  const controller = createController({
    name: 'marekvscluster',
    clock,
    grant: () => endless,
    reconcile: async () => ({ kind: 'done' }),
  });
  const sources = watch.sources({
    caches: caches() as unknown as Parameters<typeof watch.sources>[0]['caches'],
    sampler: { followed: () => [] } as unknown as Parameters<typeof watch.sources>[0]['sampler'],
    turns: createTurnPlaces({ clock, onPlace: () => {} }),
    controllers: [controller],
    grant: () => (isOwned ? endless : undefined),
  });
  return { clock, finish, sources, told, controller };
}

describe('the sources of the fleet metrics', () => {
  it('include the clusters that this replica manages, and none while it does not lead', () => {
    expect([...rig().sources.clusters()].map(({ metadata }) => metadata.name)).to.deep.equal(['demo']);
    expect([...rig(false).sources.clusters()]).to.deep.equal([]);
  });

  it('report a cluster as failing when its passes fail, until one succeeds', () => {
    const { finish, sources, clock, told } = rig();
    finish('marekvscluster', KEY, 'timeout');
    expect(sources.failing().get(KEY)).to.deep.equal({ reason: 'timeout', sinceMs: clock.nowMs() });
    expect(sources.failing().get('default/other')).to.equal(undefined);
    finish('marekvscluster', KEY, 'success');
    expect(sources.failing().get(KEY)).to.equal(undefined);
    expect(told).to.deep.equal(['timeout', 'success']);
  });

  it('report a cluster as failing when the passes of one of its nodes fail', () => {
    const { finish, sources } = rig();
    finish('marekvsnode', 'default/other-0', 'error');
    expect(sources.failing().get(KEY)).to.equal(undefined);
    finish('marekvsnode', 'default/demo-0', 'error');
    expect(sources.failing().get(KEY)?.reason).to.equal('error');
    finish('marekvsnode', 'default/demo-0', 'requeue_after');
    expect(sources.failing().get(KEY)).to.equal(undefined);
  });

  it('report when a pass over a cluster last succeeded, and nothing before the first', async () => {
    const { sources, controller, clock } = rig();
    expect(sources.lastSuccessAtMs(KEY)).to.equal(undefined);
    const stop = new AbortController();
    const ended = controller.run(stop.signal);
    controller.enqueue(KEY);
    await clock.run(10);
    expect(sources.lastSuccessAtMs(KEY)).to.be.within(clock.nowMs() - 10, clock.nowMs());
    stop.abort();
    await clock.run(10);
    await ended;
  });
});
