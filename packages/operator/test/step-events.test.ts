// The events about what a cluster pass did, whatever becomes of the rest of that pass.

import { ApiError } from '@marekvs/runtime';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createWorld } from './support/fake-world.ts';

const REVISIONS = 'controllerrevisions.apps';

describe('a node that is created again (F57)', () => {
  it('has an event even when the disruption budget changed during the same pass', async () => {
    const world = createWorld();
    world.apply({ nodes: 3 });
    await world.live();
    await world.wait(20_000);
    world.events.length = 0;
    let conflicts = 0;
    world.faults.push(({ verb, what, name }) => {
      if (verb !== 'patch' || !what.startsWith('poddisruptionbudgets') || conflicts > 0) return undefined;
      conflicts += 1;
      throw new ApiError({ verb, subject: name, path: '/', status: 409, reason: 'Conflict' });
    });
    // With only one node the budget stays as it is.
    for (const name of ['demo-1', 'demo-2']) world.drop('marekvsnodes.marekvs.io', name);
    await world.wait(10_000);
    expect(conflicts).to.equal(1);
    expect(world.node(2)).to.not.equal(undefined);
    expect(world.events.filter(({ note }) => note === 'created demo-1, demo-2')).to.have.lengthOf(1);
  });
});

describe('a ControllerRevision that was changed by hand', () => {
  it('is deleted with an event, also when no node uses it, unlike one that is merely old', async () => {
    const world = createWorld();
    world.apply({ nodes: 3 });
    await world.live();
    await world.wait(20_000);
    const [kept] = world.list(REVISIONS);
    if (kept === undefined) throw new Error('no revision was stored');
    world.events.length = 0;
    world.create(REVISIONS, { ...kept, metadata: { ...kept.metadata, name: 'demo-0123456789' } });
    await world.wait(10_000);
    expect(world.list(REVISIONS).map(({ metadata }) => metadata.name)).to.deep.equal([kept.metadata.name]);
    expect(world.events.map(({ reason, action, type, note }) => [reason, action, type, note])).to.deep.equal([
      [
        'InvalidRevision',
        'DropRevision',
        'Warning',
        'deleted ControllerRevision demo-0123456789: it was changed, and did not hold what its name says',
      ],
    ]);
  });

  it('is created again in its place when it was deleted while members have it, and is not called the latest', async () => {
    const world = createWorld();
    world.apply({ nodes: 3 });
    await world.live();
    await world.wait(20_000);
    const paused = { annotations: { 'marekvs.io/rollout-paused': 'true' } };
    world.patch('marekvsclusters.marekvs.io', 'demo', { metadata: paused });
    world.apply({ nodes: 3, image: 'marekvs:next' });
    await world.wait(10_000);
    const numbers = () =>
      world.list(REVISIONS).map((one) => [one.metadata.name, 'revision' in one ? one.revision : undefined]);
    const before = numbers();
    expect(before.map(([, number]) => number)).to.deep.equal([1, 2]);
    world.remove(REVISIONS, String(before[0]?.[0]));
    await world.wait(10_000);
    expect(numbers()).to.have.deep.members(before);
  });
});
