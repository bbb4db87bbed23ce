// The judge of what operators end: each of these writes seems right by an old state, and none is justified by the
// present one.

import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { CLAIMS, CLUSTERS, MemberWorld, NAMESPACE, NODES } from '../src/index.ts';
import { Justification } from '../src/world/judges/justification.ts';
import type { WriteCall } from '../src/world/operator/memory-transport.ts';

describe('a write of an operator', function () {
  this.timeout(60_000);
  let world: MemberWorld;
  let judge: Justification;

  before(async () => {
    world = new MemberWorld({ seed: 1 });
    await world.formed(3);
    judge = new Justification(world);
  });

  const live = (resource: string, name: string) => world.kube.server.get(resource, { namespace: NAMESPACE, name });
  const idOf = (resource: string, name: string) => {
    const { uid, resourceVersion } = live(resource, name).metadata;
    return { uid, resourceVersion };
  };
  const problem = (verb: WriteCall['verb'], resource: string, name: string, body: unknown): string | undefined =>
    judge.problem({ number: 1, verb, resource, name, namespace: 'default', body });
  const deletion = (resource: string, name: string): string | undefined =>
    problem('delete', resource, name, { preconditions: idOf(resource, name) });
  const patch = (resource: string, name: string, metadata: object, spec?: object): string | undefined =>
    problem('patch', resource, name, { metadata: { ...metadata, ...idOf(resource, name) }, spec });

  it('may delete nothing by its name alone', () => {
    for (const [resource, name] of [
      ['pods', 'demo-1'],
      [NODES, 'demo-1'],
      [CLAIMS, 'data-demo-1'],
      ['services', 'demo'],
    ] as const)
      expect(problem('delete', resource, name, {})).to.include('names no UID');
  });

  it('is no problem when it names an old UID or version, because it has no effect then', () => {
    const { resourceVersion } = idOf('pods', 'demo-1');
    for (const preconditions of [{ uid: 'of-before' }, { ...idOf('pods', 'demo-1'), resourceVersion: '1' }])
      expect(problem('delete', 'pods', 'demo-1', { preconditions })).to.equal(undefined);
    expect(resourceVersion).to.not.equal('1');
  });

  it('may not end a Pod that has the template of its node', () => {
    expect(deletion('pods', 'demo-1')).to.include('its node is to stay as it is');
  });

  it('may end a Pod with an older template at the moment when its member starts again, not a second later', async () => {
    const again = new MemberWorld({ seed: 1 });
    await again.formed(3);
    const { server } = again.kube;
    const demo1 = { namespace: NAMESPACE, name: 'demo-1' };
    const { image } = again.nodes().find(({ metadata }) => metadata.name === 'demo-1')?.spec.template ?? {};
    const endsFor = (wanted: string): string | undefined => {
      server.patch(NODES, demo1, { spec: { template: { image: wanted } } });
      const { uid, resourceVersion } = server.get('pods', demo1).metadata;
      const body = { preconditions: { uid, resourceVersion } };
      return new Justification(again).problem({
        number: 1,
        verb: 'delete',
        resource: 'pods',
        name: 'demo-1',
        namespace: 'default',
        body,
      });
    };
    again.kill(1);
    await again.until(() => again.member(1)?.phase === 'Joining', 60_000, 'it is started again');
    expect(endsFor('marekvs:next')).to.equal(undefined);
    expect(endsFor(String(image)), 'as it was made').to.include('its node is to stay as it is');
    await again.advance(1_000);
    expect(again.member(1)?.phase).to.equal('Joining');
    expect(endsFor('marekvs:next')).to.include('its node is to stay as it is');
  });

  it('may end a Pod with an older template while its member joins, not once another member shows that it has joined', async () => {
    const growing = new MemberWorld({ seed: 1 });
    await growing.formed(3);
    const ends = (): string | undefined => {
      const server = growing.kube.server;
      const { uid, resourceVersion } = server.get('pods', { namespace: NAMESPACE, name: 'demo-3' }).metadata;
      const body = { preconditions: { uid, resourceVersion } };
      return new Justification(growing).problem({
        number: 1,
        verb: 'delete',
        resource: 'pods',
        name: 'demo-3',
        namespace: 'default',
        body,
      });
    };
    const stamp = (image: string) =>
      growing.kube.server.patch(NODES, { namespace: NAMESPACE, name: 'demo-3' }, { spec: { template: { image } } });
    growing.edit({ nodes: 4 });
    await growing.until(() => growing.member(3)?.phase === 'Joining', 60_000, 'a member that joins');
    const { image } = growing.nodes().find(({ metadata }) => metadata.name === 'demo-3')?.spec.template ?? {};
    expect(ends()).to.include('its node is to stay as it is');
    stamp('marekvs:next');
    expect(ends()).to.equal(undefined);
    stamp(String(image));
    await growing.until(() => growing.member(3)?.phase === 'Active', 60_000, 'a member that has joined');
    stamp('marekvs:next');
    const isShown = () => [0, 1, 2].some((by) => growing.phaseShownBy(by, 3) === 'Active');
    expect([isShown(), ends()], 'only it knows').to.deep.equal([false, undefined]);
    await growing.until(isShown, 60_000, 'another one shows it');
    expect(ends()).to.include('its node is to stay as it is');
  });

  it('may not delete a node that is not the target of a removal under way', () => {
    expect(deletion(NODES, 'demo-2')).to.include('no removal of it');
  });

  it('may not delete a volume that a node has', () => {
    expect(deletion(CLAIMS, 'data-demo-2')).to.include('no removal under way is of its node');
  });

  it('may not delete a Service or a disruption budget at all', () => {
    expect(deletion('services', 'demo')).to.include('nothing of this kind');
    expect(deletion('poddisruptionbudgets.policy', 'demo')).to.include('nothing of this kind');
  });

  it('may not tell a node to leave for an operation that its cluster does not have', () => {
    const mark = { annotations: { 'marekvs.io/removal': '2-of-before' } };
    expect(patch(NODES, 'demo-2', mark, { intent: 'Leaving' })).to.include('told to leave by 2-of-before');
  });

  it('may not take the protection off a node that stays', () => {
    expect(patch(NODES, 'demo-2', { finalizers: [] })).to.include('loses its protection');
  });

  it('may not give a volume to an earlier cluster, nor to one that is to leave it behind', () => {
    const owner = (uid: string) => ({
      ownerReferences: [{ apiVersion: 'marekvs.io/v1alpha1', kind: 'MarekvsCluster', name: 'demo', uid }],
    });
    expect(patch(CLAIMS, 'data-demo-0', owner('of-before'))).to.include('collected at once');
    const { uid } = idOf(CLUSTERS, 'demo');
    expect(patch(CLAIMS, 'data-demo-0', owner(uid))).to.include('which is to leave it');
  });

  it('may not begin a removal that nobody asked for, nor one of a node that does not exist', () => {
    const claim = (target: object): string | undefined =>
      problem('update', `${CLUSTERS}/status`, 'demo', {
        metadata: idOf(CLUSTERS, 'demo'),
        status: { ...world.cluster()?.status, operation: { id: '2-op', type: 'Remove', phase: 'Claimed', target } },
      });
    expect(claim({ name: 'demo-2', uid: idOf(NODES, 'demo-2').uid })).to.include('all nodes are wanted');
    expect(claim({ name: 'demo-2', uid: 'of-before' })).to.include('is not there');
  });

  it('ends the run when an operator deletes by name alone', async () => {
    const spoilt = new MemberWorld({ seed: 2 });
    await spoilt.formed(4);
    await spoilt.advance(60_000);
    spoilt.planted = (request) => (request.verb === 'delete' ? { ...request, body: {} } : request);
    spoilt.edit({ nodes: 3 });
    const end = await spoilt.advance(120_000).then(
      () => 'no violation',
      (error: Error) => error.message,
    );
    expect(end).to.include('delete pods demo-3: it names no UID');
  });
});
