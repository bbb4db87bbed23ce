// explain on what the real operator writes: both controllers over an API server in memory, on virtual time, with
// something broken. The table of explain.test.ts covers more, but only this file knows what the operator really writes.

import { MemberWorld, NODES } from '@marekvs/reliability';
import { ApiRefusal, START_WALL_MS } from '@marekvs/simulator';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EXIT } from '../src/index.ts';
import { leaseAnswer, runFake } from './support/fake-cli.ts';

interface Said {
  readonly kind: string;
  readonly rule: string;
  readonly member?: string;
  readonly since?: string;
  readonly commands: readonly string[];
}

async function explained(world: MemberWorld): Promise<{ readonly code: number; readonly findings: readonly Said[] }> {
  const nowMs = START_WALL_MS + world.nowMs;
  const extra = ({ path }: { readonly path: string }) => leaseAnswer(path, nowMs);
  const { code, out, err } = await runFake(['explain', 'demo', '-o', 'json'], {
    server: world.kube.server,
    nowMs,
    extra,
  });
  expect(err).to.equal('');
  return { code, findings: JSON.parse(out).findings };
}

const first = async (world: MemberWorld): Promise<Said | undefined> => (await explained(world)).findings[0];

describe('explain, from what the real operator writes,', function () {
  this.timeout(60_000);

  it('reports nothing when the cluster is healthy', async () => {
    const world = new MemberWorld({ seed: 1 });
    await world.formed(3);
    expect(await explained(world)).to.deep.equal({ code: EXIT.fine, findings: [] });
  });

  it('names the removal under way, its target, and the effect of a pause on it', async () => {
    const world = new MemberWorld({ seed: 2 });
    await world.formed(4);
    world.edit({ nodes: 3 });
    await world.until(() => world.operationPhase() !== undefined, 120_000, 'a removal begins');
    expect(await first(world)).to.include({ member: 'demo-3' });
    world.edit({ paused: true });
    await world.until(() => world.condition('Paused') === 'True', 30_000, 'the pause is said');
    expect(await first(world)).to.deep.include({
      rule: 'Paused',
      kind: 'blocked',
      commands: ['kubectl mkv resume demo -n default'],
    });
  });

  it('names the floor that is kept, and a spec that breaks a rule', async () => {
    const world = new MemberWorld({ seed: 3 });
    await world.formed(3);
    world.edit({ nodes: 1 });
    await world.until(() => world.condition('PendingChange') === 'True', 30_000, 'the floor is said');
    expect(await first(world)).to.include({ rule: 'BelowFloor', kind: 'blocked', field: 'spec.nodes' });
    world.edit({ nodes: 3, storage: { size: '0Gi' } });
    await world.until(() => world.condition('Stalled') === 'True', 30_000, 'the spec is called broken');
    expect(await first(world)).to.include({ rule: 'InvalidSpec', kind: 'blocked' });
  });

  it('names the member that does not answer, since when, and how to read its log', async () => {
    const world = new MemberWorld({ seed: 4 });
    await world.formed(3);
    world.freeze(1);
    await world.until(() => world.condition('Ready') !== 'True', 120_000, 'the silence is noticed');
    await world.advance(15_000);
    const said = (await explained(world)).findings.find(({ rule }) => rule === 'MemberSilent');
    expect(said).to.include({ member: 'demo-1' });
    expect(said?.commands).to.include('kubectl logs demo-1 -n default --tail 50');
    expect(Date.parse(said?.since ?? ''))
      .to.be.above(START_WALL_MS)
      .and.at.most(START_WALL_MS + world.nowMs);
  });

  it('names the node whose Pod a quota refuses', async () => {
    const world = new MemberWorld({ seed: 5 });
    await world.formed(3);
    const { server } = world.kube;
    const create = server.create.bind(server);
    server.create = (resource, input) => {
      if (resource !== 'pods') return create(resource, input);
      throw new ApiRefusal(
        403,
        'Forbidden',
        `pods "${input.metadata?.name}" is forbidden: exceeded quota: small, requested: pods=1, used: pods=3, limited: pods=3`,
      );
    };
    world.edit({ nodes: 4 });
    await world.until(() => world.condition('Stalled') === 'True', 120_000, 'the refusal is said');
    expect(await first(world)).to.include({ rule: 'QuotaExceeded', member: 'demo-3', kind: 'blocked' });
  });

  it('names the missing Secret, with which a new node joins all the same, with the password that the others have', async () => {
    const world = new MemberWorld({ seed: 6 });
    await world.formed(3);
    world.edit({ auth: { secretRef: { name: 'nobody', key: 'password' } }, nodes: 4 });
    await world.until(() => world.condition('Stalled') === 'True', 120_000, 'the missing Secret is said');
    expect(await first(world)).to.include({ rule: 'SecretMissing', kind: 'blocked' });
    await world.until(() => world.isHealthy(4), 120_000, 'the new node has joined');
    expect(world.cluster()?.status?.phase).to.equal('Blocked');
  });

  it('names the Secret before the Pods of a new cluster that wait for it', async () => {
    const world = new MemberWorld({ seed: 6 });
    world.apply({ nodes: 3, auth: { secretRef: { name: 'nobody', key: 'password' } } });
    await world.until(() => world.condition('Ready') === 'ContainerConfigInvalid', 120_000, 'the Pods say so');
    expect((await explained(world)).findings.slice(0, 2).map(({ rule }) => rule)).to.deep.equal([
      'SecretMissing',
      'ContainerConfigInvalid',
    ]);
  });

  it('names a force annotation that has no effect', async () => {
    const world = new MemberWorld({ seed: 7 });
    await world.formed(3);
    world.annotate(NODES, 'demo-2', { 'marekvs.io/force-remove': 'of-somebody-else/why' });
    await world.advance(5_000);
    expect(await first(world)).to.include({ rule: 'ForceIgnored', member: 'demo-2', kind: 'note' });
  });

  it('names the operator first when it has died, whatever else is wrong', async () => {
    const world = new MemberWorld({ seed: 8 });
    await world.formed(3);
    world.endOperator(world.operator);
    world.edit({ nodes: 4 });
    const nowMs = START_WALL_MS + world.nowMs + 120_000;
    const { code, out } = await runFake(['explain', 'demo'], {
      server: world.kube.server,
      nowMs,
      extra: ({ path }) => leaseAnswer(path, nowMs - 120_000),
    });
    expect(code).to.equal(EXIT.blocked);
    expect(out).to.match(/1\. OperatorDown {2}whole cluster {2}for 2m {2}\(blocked\)/);
  });
});
