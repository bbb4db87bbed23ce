// Members keep their password until they are told another one, so the operator has to know all of them meanwhile.

import { findCondition } from '@marekvs/api';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { MemberWorld } from '../src/index.ts';
import { NODES } from '../src/world/cluster/world-view.ts';

const ref = (name: string) => ({ secretRef: { name, key: 'password' } });

function withSecrets(): MemberWorld {
  const world = new MemberWorld({ seed: 1 });
  for (const name of ['one', 'two'])
    world.kube.server.create('secrets', {
      metadata: { name, namespace: 'default' },
      data: { password: Buffer.from(name).toString('base64') },
    } as Parameters<typeof world.kube.server.create>[1]);
  return world;
}

describe('the operator is not locked out of running members', function () {
  this.timeout(60_000);
  const changes = {
    'by a password that is set': [undefined, ref('one'), 'AsExpected'],
    'by another Secret': [ref('one'), ref('two'), 'AsExpected'],
    'by a password that is taken out': [ref('one'), null, 'AsExpected'],
    'by a Secret that is missing': [undefined, ref('none'), 'True'],
  } as const;
  for (const [how, [before, after, pending]] of Object.entries(changes)) {
    it(how, async () => {
      const world = withSecrets();
      await world.formed(3, before === undefined ? {} : { auth: before });
      world.edit({ auth: after });
      await world.advance(60_000);
      expect([world.condition('Ready'), world.condition('PendingChange')]).to.deep.equal(['True', pending]);
    });
  }
});

describe('a password of the spec', function () {
  this.timeout(120_000);
  const pendingAuth = (world: MemberWorld) =>
    world.cluster()?.status?.pendingChanges?.find(({ field }) => field === 'spec.auth');

  it('that is not in force is reported, and a node that is replaced does not make a mixed cluster', async () => {
    const world = withSecrets();
    await world.formed(3);
    world.edit({ auth: ref('absent') });
    await world.until(() => world.condition('Stalled') === 'True', 60_000, 'the alarm');
    expect(world.cluster()?.status).to.include({ phase: 'Blocked' });
    expect(pendingAuth(world)).to.include({
      asked: 'Secret absent, key password',
      effective: 'no password on demo-0, demo-1, demo-2',
      reason: 'SecretMissing',
    });
    world.removeObject(NODES, 'demo-1');
    const isReplaced = () => world.node(1) === undefined && world.isHealthy(3);
    await world.until(isReplaced, 600_000, 'demo-1 is replaced');
    expect(world.node(3)?.spec.template.authSecretRef).to.equal(undefined);
    expect(world.member(3)?.requirepass).to.equal('');
    world.edit({ auth: null });
    await world.until(() => world.cluster()?.status?.phase === 'Healthy', 60_000, 'nothing is asked for any more');
  });

  it('is given again to a member from which somebody has removed it', async () => {
    const world = withSecrets();
    await world.formed(3, { auth: ref('one') });
    await world.until(() => world.cluster()?.status?.phase === 'Healthy', 60_000, 'all want it');
    const member = world.member(1);
    if (member === undefined) throw new Error('demo-1 runs');
    member.requirepass = '';
    await world.until(() => member.requirepass === 'one', 300_000, 'it wants it again');
    await world.until(() => world.cluster()?.status?.phase === 'Healthy', 60_000, 'all is well');
    expect(world.member(1)).to.equal(member);
  });

  it('is reported as AuthMixed while the cluster is paused and one member does not want it', async () => {
    const world = withSecrets();
    await world.formed(3, { auth: ref('one') });
    await world.until(() => world.cluster()?.status?.phase === 'Healthy', 60_000, 'all want it');
    world.edit({ paused: true });
    const member = world.member(1);
    if (member === undefined) throw new Error('demo-1 runs');
    member.requirepass = '';
    const isMixed = () => findCondition(world.cluster()?.status?.conditions, 'Stalled')?.reason === 'AuthMixed';
    await world.until(isMixed, 300_000, 'the mixture is told');
    expect(pendingAuth(world)?.effective).to.equal('no password on demo-1');
  });

  it('whose Secret is created later comes into force by itself', async () => {
    const world = new MemberWorld({ seed: 1 });
    world.apply({ nodes: 3, auth: ref('late') });
    await world.until(() => world.condition('Stalled') === 'True', 60_000, 'the missing Secret is said');
    world.kube.server.create('secrets', {
      metadata: { name: 'late', namespace: 'default' },
      data: { password: Buffer.from('x').toString('base64') },
    } as Parameters<typeof world.kube.server.create>[1]);
    await world.until(() => world.cluster()?.status?.phase === 'Healthy', 300_000, 'healthy with it');
    expect(world.condition('PendingChange')).to.equal('AsExpected');
  });
});

describe('the rate of commands', function () {
  this.timeout(120_000);

  it('is 0 while only the operator sends commands: to compare, to prove, and with a password', async () => {
    const world = withSecrets();
    await world.formed(4, { auth: ref('one') });
    await world.advance(120_000);
    world.edit({ nodes: 3 });
    const seen = new Set<number | undefined>();
    for (let looks = 0; looks < 240 && !world.isHealthy(3); looks += 1) {
      await world.advance(500);
      seen.add(world.cluster()?.status?.opsPerSecond);
    }
    expect(world.isHealthy(3)).to.equal(true);
    await world.advance(120_000);
    seen.add(world.cluster()?.status?.opsPerSecond);
    expect([...seen].filter((rate) => rate !== undefined)).to.deep.equal([0]);
  });
});
