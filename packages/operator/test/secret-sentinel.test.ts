// A Secret with a password that is deleted while nothing else happens, and the object through which this is noticed.

import { findCondition } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createWorld } from './support/fake-world.ts';

const REVISIONS = 'controllerrevisions.apps';
/** Unencoded, unlike in the API server. */
const SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'pw', namespace: 'default' },
  data: { password: 'eA==' },
};
const AUTH = { secretRef: { name: 'pw', key: 'password' } };

async function guarded() {
  const world = createWorld({ asksSecrets: true });
  const secret = () => world.create('secrets', SECRET);
  secret();
  world.apply({ nodes: 3, auth: AUTH });
  await world.live();
  const sentinels = () =>
    world.list(REVISIONS).filter(({ metadata }) => metadata.ownerReferences?.some(({ kind }) => kind === 'Secret'));
  const stalled = () => findCondition(world.cluster()?.status?.conditions, 'Stalled')?.reason;
  const collect = () => world.collect();
  return { world, secret, sentinels, stalled, collect };
}

describe('the Secret of a password', () => {
  it('has one sentinel, owned by it alone, which costs no further write', async () => {
    const { world, sentinels } = await guarded();
    expect(
      sentinels().map(({ metadata }) => metadata.ownerReferences?.map(({ kind, name }) => [kind, name])),
    ).to.deep.equal([[['Secret', 'pw']]]);
    world.writes.length = 0;
    await world.wait(300_000);
    expect(world.writes.filter(({ what }) => what === REVISIONS)).to.deep.equal([]);
  });

  it('is noticed as missing within a second of its deletion, which nothing else shows', async () => {
    const { world, stalled, collect } = await guarded();
    expect(stalled()).to.not.equal('SecretMissing');
    world.remove('secrets', 'pw');
    await world.wait(1_000);
    expect(stalled(), 'nobody has been told').to.not.equal('SecretMissing');
    collect();
    await world.wait(1_000);
    expect(stalled()).to.equal('SecretMissing');
  });

  it('has a sentinel again when it is created again, and loses the old one', async () => {
    const { world, secret, sentinels, stalled, collect } = await guarded();
    const [before] = sentinels();
    world.remove('secrets', 'pw');
    collect();
    await world.wait(1_000);
    secret();
    await world.wait(31_000);
    expect(stalled()).to.not.equal('SecretMissing');
    expect(sentinels()).to.have.lengthOf(1);
    expect(sentinels()[0]?.metadata.name).to.not.equal(before?.metadata.name);
  });

  it('gets its sentinel back when only that was deleted or lost its owner, and does not count as missing', async () => {
    const { world, sentinels, stalled } = await guarded();
    const [first] = sentinels();
    world.drop(REVISIONS, first?.metadata.name ?? '');
    await world.wait(2_000);
    expect([sentinels().length, stalled() === 'SecretMissing']).to.deep.equal([1, false]);
    const [second] = sentinels();
    world.patch(REVISIONS, second?.metadata.name ?? '', { metadata: { ownerReferences: null } });
    await world.wait(2_000);
    expect([sentinels().length, world.list(REVISIONS).length]).to.deep.equal([1, 2]);
  });

  it('has no sentinel any more when the spec names no Secret, and when the cluster is gone', async () => {
    const { world, sentinels } = await guarded();
    world.apply({ nodes: 3 });
    await world.wait(2_000);
    expect(sentinels()).to.deep.equal([]);
    world.apply({ nodes: 3, auth: AUTH });
    await world.wait(2_000);
    expect(sentinels()).to.have.lengthOf(1);
    world.drop('marekvsclusters.marekvs.io', 'demo');
    await world.wait(2_000);
    expect(sentinels()).to.deep.equal([]);
  });

  it('is asked about as before where no sentinel may be created, which is not tried again and again', async () => {
    const world = createWorld({ asksSecrets: true });
    let tries = 0;
    world.refuse((name) => {
      if (!name.includes('-secret-')) return false;
      tries += 1;
      return true;
    });
    world.create('secrets', SECRET);
    world.apply({ nodes: 3, auth: AUTH });
    await world.live();
    await world.wait(120_000);
    expect(tries).to.equal(1);
  });
});
