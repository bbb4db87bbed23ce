// How many clusters restart members at once, and which is next.

import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createManualClock } from '../../runtime/test/support/manual-clock.ts';
import { BEGIN_MS, createTurnPlaces, LONG_TURN_MS, MAX_TURNS, SLICE_MS } from '../src/operations/turn-places.ts';
import { createWorld } from './support/fake-world.ts';

const numbered = (count: number, tenant = 'a') => Array.from({ length: count }, (_, i) => `${tenant}/c${i}`);

function rig() {
  const clock = createManualClock();
  const told: string[] = [];
  const places = createTurnPlaces({ clock, onPlace: (key) => void told.push(key) });
  /** Asks for a place, and begins a turn if there is one. */
  const begin = (key: string, turn = `${key} 1`): boolean => {
    if (places.isInLine(key, 'pending')) return false;
    places.isInLine(key, { turn });
    return true;
  };
  return { ...places, begin, told, clock };
}

function crowded(waiting: number) {
  const crowd = rig();
  const keys = numbered(MAX_TURNS + waiting);
  return { ...crowd, keys, late: keys.slice(MAX_TURNS), begun: keys.filter((key) => crowd.begin(key)) };
}

describe('the places for turns', () => {
  it('are seven for all clusters, and other clusters are in line', () => {
    const { begun, keys, told } = crowded(4);
    expect([MAX_TURNS, begun]).to.deep.equal([7, keys.slice(0, 7)]);
    expect(told).to.deep.equal([]);
  });

  it('are as many as the documentation has', async () => {
    const page = (name: string) => readFile(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
    expect(await page('errors.md')).to.match(/while members of seven other clusters are restarted/);
    expect(await page('glossary.md')).to.match(/of which there are seven for all clusters/);
    expect(MAX_TURNS).to.equal(7);
  });

  it('are given in the order of arrival, with a notification', () => {
    const { isInLine, told, keys, late } = crowded(3);
    isInLine(keys[5] ?? '', undefined);
    isInLine(keys[2] ?? '', undefined);
    expect(told).to.deep.equal(late.slice(0, 2));
    expect(late.map((key) => isInLine(key, 'pending'))).to.deep.equal([false, false, true]);
  });

  it('are given to a tenant without one before a tenant that has some', () => {
    const { isInLine, begin, forget, told, keys, late } = crowded(2);
    begin('b/only');
    isInLine(keys[0] ?? '', undefined);
    forget(keys[1] ?? '');
    expect(told).to.deep.equal(['b/only', late[0]]);
  });

  it('are kept from turn to turn while no cluster waits, and otherwise given away at the end of a turn after a minute', () => {
    const alone = rig();
    alone.begin('a/c0');
    alone.clock.advance(10 * SLICE_MS);
    expect(alone.isInLine('a/c0', { turn: 'a/c0 2' })).to.equal(false);

    const { isInLine, clock, keys, late, told } = crowded(1);
    const [first = ''] = keys;
    clock.advance(SLICE_MS - 1);
    for (const key of keys.slice(0, MAX_TURNS)) isInLine(key, { turn: `${key} 2` });
    expect(isInLine(first, { turn: 'another' })).to.equal(false);
    clock.advance(1);
    expect(isInLine(first, { turn: 'another' }), 'no further one begins with the end of this one').to.equal(true);
    expect(isInLine(first, 'pending')).to.equal(true);
    expect(told).to.deep.equal(late);
  });

  it('are given to another cluster while a turn takes very long', () => {
    const { isInLine, clock, keys, late, told } = crowded(1);
    clock.advance(LONG_TURN_MS / 2);
    for (const key of keys.slice(1, MAX_TURNS)) isInLine(key, { turn: `${key} 2` });
    expect(told).to.deep.equal([]);
    clock.advance(LONG_TURN_MS / 2 + 5_000);
    expect(told).to.deep.equal(late);
  });

  it('are given to another cluster when one that has a place cannot begin', () => {
    const { isInLine, forget, clock, told } = rig();
    for (const key of numbered(MAX_TURNS)) isInLine(key, 'pending');
    expect(isInLine('a/last', 'pending')).to.equal(true);
    clock.advance(BEGIN_MS + 5_000);
    expect(told).to.deep.equal(['a/last']);
    expect(isInLine('a/c0', 'pending'), 'comes after those who have waited').to.equal(false);
    forget('a/last');
  });

  it('do not stop a turn that began before this process started', () => {
    const { isInLine, keys } = crowded(0);
    expect(isInLine('a/begun', { turn: 'before' })).to.equal(false);
    expect(isInLine('a/next', 'pending')).to.equal(true);
    isInLine(keys[0] ?? '', undefined);
    expect(isInLine('a/next', 'pending'), 'one more than there are places have one').to.equal(true);
  });

  it('need no timer when no cluster waits', () => {
    const { clock, forget, late } = crowded(1);
    expect(clock.pendingTimers).to.equal(1);
    for (const key of late) forget(key);
    expect(clock.pendingTimers).to.equal(0);
  });
});

describe('a cluster whose template changes while seven others have their turns', () => {
  it('waits without passes, says so, and begins when a place is free', async () => {
    const world = createWorld();
    world.apply({ nodes: 3 });
    await world.live();
    const { turns } = world.ports;
    for (const key of numbered(MAX_TURNS)) turns.isInLine(key, { turn: key });
    const settled = world.pace();
    world.apply({ nodes: 3, image: 'marekvs:next' });
    await world.wait(10_000);
    const waiting = world.cluster()?.status;
    expect(waiting?.operation).to.equal(undefined);
    expect(waiting?.conditions?.find(({ type }) => type === 'RollingOut')).to.include({
      status: 'False',
      reason: 'RolloutInLine',
    });
    expect(waiting?.pendingChanges?.map(({ field, reason }) => [field, reason])).to.deep.equal([
      ['spec.image', 'RolloutInLine'],
    ]);
    expect(waiting?.conditions?.find(({ type }) => type === 'RollingOut')?.message).to.match(/others were first/);
    expect(world.pace()).to.equal(settled);
    const writes = world.writes.length;
    await world.wait(30_000);
    expect(world.writes.length - writes, 'writes while it waits').to.equal(0);
    turns.isInLine('a/c0', undefined);
    await world.wait(5_000);
    expect(world.cluster()?.status?.operation?.roll?.name).to.equal('demo-2');
    expect(world.pace()).to.equal('operation');
  });

  it('takes up a correction at once in members that cannot run, whatever its position in line', async () => {
    const world = createWorld();
    world.apply({ nodes: 3 });
    await world.live();
    for (const key of numbered(MAX_TURNS)) world.ports.turns.isInLine(key, { turn: key });
    for (const id of [1, 2]) {
      const pod = world.get('pods', `demo-${id}`);
      const waiting = { reason: 'ImagePullBackOff', message: 'no such image' };
      world.patch('pods', `demo-${id}`, {
        status: {
          ...(pod?.status as object),
          phase: 'Pending',
          conditions: [],
          containerStatuses: [{ name: 'marekvs', ready: false, restartCount: 0, state: { waiting } }],
        },
      });
    }
    world.members();
    await world.wait(5_000);
    const before = world.node(1)?.spec.template.image;
    world.apply({ nodes: 3, image: 'marekvs:corrected' });
    await world.wait(5_000);
    const images = [0, 1, 2].map((id) => world.node(id)?.spec.template.image);
    expect(images).to.deep.equal([before, 'marekvs:corrected', 'marekvs:corrected']);
  });
});
