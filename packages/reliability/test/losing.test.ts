// A loss of data is reported until a person has acknowledged it, across a restart of the operator and across
// comparisons of the members that are left, and no longer.

import { ANNOTATIONS, acknowledgementText } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { MemberWorld } from '../src/index.ts';
import { CLAIMS, CLUSTERS, NAME } from '../src/world/cluster/world-view.ts';

function lose(world: MemberWorld, id: number): void {
  const name = `data-demo-${id}`;
  world.kube.givenUp.add(name);
  world.kube.server.patch(CLAIMS, { namespace: 'default', name }, { metadata: { finalizers: [] } });
  world.removeObject(CLAIMS, name);
  world.kill(id);
  world.removeObject('pods', `demo-${id}`);
}

describe('a loss of data', function () {
  this.timeout(60_000);

  it('is reported in condition, column and phase until it is acknowledged, whatever else happens', async () => {
    const world = new MemberWorld({ seed: 5 });
    const data = () => world.cluster()?.status?.data;
    await world.formed(3);
    await world.until(() => data()?.state === 'Whole', 120_000, 'contents were compared');
    lose(world, 0);
    lose(world, 1);
    await world.until(() => world.condition('DataLost') === 'True', 60_000, 'the loss is told');
    expect(world.cluster()?.status).to.include({ phase: 'Blocked', blockedBy: 'DataLost' });
    const told = data()?.losses;
    expect(told?.map(({ nodeIds }) => nodeIds)).to.deep.equal([[0, 1]]);

    world.endOperator(world.operator);
    await world.advance(5_000);
    world.startOperator();
    await world.until(() => world.isHealthy(3), 600_000, 'all is made again');
    await world.until(
      () => world.condition('FullyReplicated') === 'True',
      120_000,
      'those that are left were compared',
    );
    await world.advance(60_000);
    expect([data()?.state, data()?.losses, world.condition('DataAtRisk')]).to.deep.equal(['Lost', told, 'AsExpected']);

    const before = world.writes.length;
    world.annotate(CLUSTERS, NAME, { [ANNOTATIONS.acknowledgedLoss]: 'yes' });
    await world.advance(10_000);
    expect([data()?.state, world.writes.length - before]).to.deep.equal(['Lost', 0]);

    const loss = told?.[0]?.at ?? '';
    const text = acknowledgementText({ loss, by: 'ada', at: new Date(world.kube.nowMs()).toISOString() });
    world.annotate(CLUSTERS, NAME, { [ANNOTATIONS.acknowledgedLoss]: text });
    await world.until(() => data()?.state === 'Whole', 30_000, 'it is read');
    expect(world.cluster()?.status).to.include({ phase: 'Healthy' });
    expect(data()?.acknowledged).to.deep.include({ by: 'ada', at: loss });
  });
});
